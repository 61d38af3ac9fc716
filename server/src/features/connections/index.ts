/**
 * Controller connections: stored credentials, their test and pass-through, and targets for the
 * features that query.
 */
import type { Identity } from "../../platform/caller.ts";
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { Log } from "../../ports/log.ts";
import type { Metrics } from "../../ports/metrics.ts";
import type { Db } from "../../ports/store.ts";
import type { listVisibleMembers } from "./repo-groups.ts";
import { createGroupRoutes, createRoutes } from "./routes.ts";
import { type ConnectionDeps, createConnectionService, type UsableConnection } from "./service.ts";
import { createGroupService, type FoundGroup } from "./service-groups.ts";
import type { UnusableConnection } from "./service-stored.ts";

// The parts that connections to automation servers share.
export { type ConnectionPolicy, createConnectionPolicy } from "./policy.ts";
export { presentStored } from "./present.ts";
export { createStoredConnectionRepo, type OwnedConnection } from "./repo-stored.ts";
export { isAdministrator } from "./repo-visible.ts";
export { connectionSecrets, type UsableConnection } from "./service.ts";
export type { FoundGroup } from "./service-groups.ts";
export {
	createStoredConnections,
	type StoredConnectionDeps,
	sealedColumns,
	type UnusableConnection,
} from "./service-stored.ts";

export interface Connections {
	readonly routes: BoundRoute[];
	/**
	 * A connection that the caller sees and that is active. With `field` every problem is a 400 under
	 * that key, as for the body of a create; without it an invisible connection is a 404, and an
	 * inactive one a 400 `{detail}`.
	 */
	buildTarget(identity: Identity, id: string, field?: string): Promise<UsableConnection>;
	/** Null if the caller does not see the connection. */
	find(identity: Identity, id: string): Promise<{ id: string; name: string; isActive: boolean } | null>;
	/** The connections of these names that the identity sees. */
	named(
		db: Db,
		identity: Identity,
		names: readonly string[],
	): Promise<{ id: string; name: string; isActive: boolean; isOwn: boolean }[]>;
	/** Null if there is no such group that the identity sees. */
	findGroup(db: Db, identity: Identity, id: string): Promise<FoundGroup | null>;
	/** The members of groups as users see them; see `GroupRepo.membersFor`. */
	readonly groupMembers: typeof listVisibleMembers;
	/** The groups of these names that the identity sees. */
	groupsNamed(
		db: Db,
		identity: Identity,
		names: readonly string[],
	): Promise<{ id: string; name: string; isOwn: boolean }[]>;
	/** The first names of groups that the identity sees, sorted; at most 20. */
	groupNames(db: Db, identity: Identity): Promise<string[]>;
	/** A page of the connections that the caller sees, as the route answers it. */
	readonly list: ReturnType<typeof createConnectionService>["list"];
	/** How many connections a user has. */
	ownedCount(db: Db, userId: number): Promise<number>;
	/** The number of a user's own connection groups. */
	ownedGroupCount(db: Db, userId: number): Promise<number>;
	/**
	 * For background work, whose right to the connection was checked before: does not check
	 * visibility.
	 */
	target(id: string): Promise<UsableConnection | UnusableConnection>;
}

export function createConnections(deps: ConnectionDeps): Connections {
	const connections = createConnectionService(deps);
	const groups = createGroupService(deps);
	return {
		routes: [...createRoutes(connections), ...createGroupRoutes(groups)],
		findGroup: groups.find,
		groupMembers: groups.membersFor,
		groupsNamed: groups.named,
		groupNames: groups.names,
		list: connections.list,
		buildTarget: connections.usable,
		async find(identity, id) {
			const row = await connections.findVisible(identity, id);
			return row === null ? null : { id: row.id, name: row.name, isActive: row.is_active };
		},
		async named(db, identity, names) {
			const rows = await connections.named(db, identity, names);
			return rows.map(({ id, name, is_active, created_by }) => ({
				id,
				name,
				isActive: is_active,
				isOwn: created_by === identity.userId,
			}));
		},
		ownedCount: connections.ownedCount,
		ownedGroupCount: groups.ownedCount,
		target: connections.target,
	};
}

/** For drivers: a warning on each use of a connection whose certificate is not validated. */
export const warnUnverified =
	(log: Pick<Log, "warn">, server: "a controller" | "an automation server") =>
	({ id, url }: { readonly id: string; readonly url: string }): void =>
		log.warn({ connectionId: id, host: new URL(url).host }, `the certificate of ${server} is not validated`);

/** For the driver: each failover in the log and in the metrics. */
export const noteFailover =
	(log: Pick<Log, "warn">, metrics: Pick<Metrics, "controllerFailover"> | null) =>
	(
		{ id, name = "" }: { readonly id: string; readonly name?: string | undefined },
		failover: { readonly from: string; readonly to: string; readonly reason: string },
	): void => {
		log.warn({ connectionId: id, connection: name, ...failover }, "controller_failover");
		metrics?.controllerFailover({ connection: name });
	};
