/** Who may see and do what with a snapshot. */
import type { Identity } from "../../platform/caller.ts";

/** What the Time Machine must know of a saved query that somebody sees. */
export interface KnownQuery {
	readonly id: string;
	readonly ownerId: number;
	readonly name: string;
	/** Such as `v1.3`. */
	readonly version: string;
	readonly versionHash: string;
}

interface Captured {
	readonly saved_query_id: string | null;
	readonly executed_by_id: number | null;
}

/** @param seesQuery whether the identity sees the snapshot's saved query */
export function canSee(identity: Identity, snapshot: Captured, seesQuery: boolean): boolean {
	if (snapshot.saved_query_id !== null) return seesQuery;
	return identity.isAdmin || snapshot.executed_by_id === identity.userId;
}

/** For snapshots that are seen. @param query the snapshot's saved query; null where it has none */
export function canAnnotate(identity: Identity, snapshot: Captured, query: KnownQuery | null): boolean {
	return identity.isAdmin || snapshot.executed_by_id === identity.userId || query?.ownerId === identity.userId;
}
