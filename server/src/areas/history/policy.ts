/** Who may see and do what with a snapshot. */
import type { Identity } from "../../core/caller.ts";

/** A saved query as the Time Machine reads it. */
export interface KnownQuery {
	readonly id: string;
	readonly ownerId: number;
	readonly name: string;
	/** Such as `v1.3`. */
	readonly version: string;
	readonly versionHash: string;
}

interface SnapshotOwner {
	readonly saved_query_id: string | null;
	readonly executed_by_id: number | null;
}

/** @param seesQuery whether the identity sees the snapshot's saved query */
export function canSee(identity: Identity, snapshot: SnapshotOwner, seesQuery: boolean): boolean {
	if (snapshot.saved_query_id !== null) return seesQuery;
	return identity.isAdmin || snapshot.executed_by_id === identity.userId;
}

/**
 * Expects a snapshot that the identity sees.
 * @param query the snapshot's saved query; null if it has none
 */
export function canAnnotate(identity: Identity, snapshot: SnapshotOwner, query: KnownQuery | null): boolean {
	return identity.isAdmin || snapshot.executed_by_id === identity.userId || query?.ownerId === identity.userId;
}
