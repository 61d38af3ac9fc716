/** Databases of the tests, on the server that the global set-up started. */
import pg from "pg";

/** Runs one statement on a connection of its own, as `create database` needs it. */
export async function runAdminStatement(connection: pg.ClientConfig, statement: string): Promise<void> {
	const client = new pg.Client(connection);
	await client.connect();
	await client.query(statement).finally(() => client.end());
}

/** The same server, another database. */
export function runInDatabase(connection: pg.ClientConfig, database: string): pg.ClientConfig {
	if (!connection.connectionString) return { ...connection, database };
	const url = new URL(connection.connectionString);
	url.pathname = `/${database}`;
	return { connectionString: url.href };
}
