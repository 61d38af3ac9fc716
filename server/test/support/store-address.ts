/** Addresses of the tests' PostgreSQL, for proxies before it. */
import type { NetConnectOpts } from "node:net";
import { join } from "node:path";
import type pg from "pg";
import { inject } from "vitest";

/** Address of the tests' PostgreSQL. */
export function storeAddress(): NetConnectOpts {
	const { connectionString, host = "localhost", port = 5432 } = inject("connection");
	if (connectionString !== undefined) {
		const url = new URL(connectionString);
		return { host: url.hostname, port: Number(url.port || 5432) };
	}
	return host.startsWith("/") ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port };
}

/** The same store, through a port of this host. */
export const addPort = (connection: pg.ClientConfig, port: number): pg.ClientConfig => {
	if (connection.connectionString === undefined) return { ...connection, host: "127.0.0.1", port, ssl: false };
	const url = new URL(connection.connectionString);
	url.hostname = "127.0.0.1";
	url.port = String(port);
	return { connectionString: url.href };
};
