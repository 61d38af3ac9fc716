/** Controller connections: stored credentials, their test and pass-through, and targets for the features that query. */
import type { Identity } from "../../platform/caller.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { ControllerTarget } from "../../ports/controller.ts";
import type { Log } from "../../ports/log.ts";
import type { SealedColumn } from "../../ports/secrets.ts";
import type { Db } from "../../ports/store.ts";
import { createConnectionRepo } from "./repo.ts";
import { createRoutes } from "./routes.ts";
import { type ConnectionDeps, createConnectionService, passwordContext } from "./service.ts";
import { createConnectionUse, type UnusableConnection, type UsableConnection } from "./service-use.ts";

export type { UnusableConnection, UsableConnection } from "./service-use.ts";

export const connectionSecrets: readonly SealedColumn[] = [
	{ table: "controller_connections", key: "id", column: "password_sealed", context: passwordContext },
];

export interface Connections {
	readonly routes: BoundRoute[];
	/**
	 * A connection that the caller sees and that is active. With `field` every problem is a 400 under that key, as for
	 * the body of a create; without it an invisible connection is a 404, and an inactive one a 400 `{detail}`.
	 */
	targetOf(identity: Identity, id: string, field?: string): Promise<UsableConnection>;
	/** What the caller sees of a connection; null when that is nothing. */
	find(identity: Identity, id: string): Promise<{ id: string; name: string; isActive: boolean } | null>;
	/** A page of what the caller sees, as the route answers it. */
	readonly list: ReturnType<typeof createConnectionService>["list"];
	/** How many connections a user has. */
	ownedCount(db: Db, userId: number): Promise<number>;
	/** For background work, whose right to the connection was checked before: asks for no one's visibility. */
	target(id: string): Promise<UsableConnection | UnusableConnection>;
}

export function createConnections(deps: Omit<ConnectionDeps, "repo"> & { readonly log: Log }): Connections {
	const repo = createConnectionRepo();
	const all = { ...deps, repo };
	const use = createConnectionUse(all);
	const connections = createConnectionService(all);
	return {
		routes: createRoutes({ connections, use }),
		list: connections.list,
		targetOf: use.usable,
		find: use.find,
		ownedCount: repo.ownedCount,
		target: use.target,
	};
}

/** For the driver: a warning on each use of a connection whose certificate is not validated. */
export const warnUnverified =
	(log: Pick<Log, "warn">) =>
	({ id, url }: Pick<ControllerTarget, "id" | "url">): void =>
		log.warn({ connectionId: id, host: new URL(url).host }, "the certificate of a controller is not validated");
