/**
 * Shared by the use cases: their dependencies, and the lookup of a snapshot that the caller may
 * see.
 */
import type { DriftRules, SnapshotSettings } from "@weft/contracts";
import type { Identity } from "../../platform/caller.ts";
import { notFound } from "../../platform/errors.ts";
import type { Events } from "../../platform/events.ts";
import type { KeyedMutex } from "../../platform/keyed-mutex.ts";
import type { CurrentModel } from "../../ports/class-model.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Store } from "../../ports/store.ts";
import { canSee, type KnownQuery } from "./policy.ts";
import type { SnapshotRow } from "./repo.ts";
import { findSnapshot } from "./repo.ts";
import type { TimeMachineWork } from "./workers/work.ts";

/** Reads of saved queries. */
export interface QueryLookup {
	/** A saved query; null if the identity does not see it. */
	find(identity: Identity, id: string): Promise<KnownQuery | null>;
	/** Whether the identity sees a saved query. */
	sees(identity: Identity, id: string): Promise<boolean>;
	/** All that the identity sees and for which the Time Machine is on. */
	enabled(identity: Identity): Promise<readonly Pick<KnownQuery, "id" | "name" | "version">[]>;
	/** What counts as drift of a saved query; null if it does not exist. */
	driftRules(id: string): Promise<DriftRules | null>;
}

/** Reads of controller connections. */
export interface ConnectionLookup {
	/** A connection; null if the identity does not see it. */
	find(identity: Identity, id: string): Promise<{ readonly name: string } | null>;
}

export interface Reservations {
	/**
	 * Does work with a history that is reserved for `holder`, and again when it answers null because
	 * the history was changed after the reservation ended.
	 * @throws 503 when the history is not to be had
	 */
	hold<T>(historyId: string, work: (holder: string) => Promise<T | null>): Promise<T>;
}

export interface TimeMachineDeps {
	readonly store: Store;
	readonly clock: Pick<Clock, "now">;
	readonly ids: Pick<Ids, "uuid">;
	readonly events: Pick<Events, "changed" | "emit">;
	readonly work: TimeMachineWork;
	/** Captures and deletions of a history run one after another. */
	readonly historyMutex: KeyedMutex;
	readonly reservations: Reservations;
	readonly queries: QueryLookup;
	readonly connections: ConnectionLookup;
	readonly classModel: CurrentModel;
	/** Throws 403 if the identity's groups may not use the Time Machine. */
	assertQuota(identity: Identity): Promise<void>;
}

/** Settings of users who have saved none. */
export const DEFAULT_SETTINGS: SnapshotSettings = {
	retention_policy: "days",
	retention_days: 90,
	retention_count: 100,
	max_snapshot_size_mb: 10,
	warn_large_snapshots: true,
	auto_cleanup_enabled: true,
	store_duplicates: false,
};

/** A snapshot that the identity sees. Throws 404 for any other. */
export async function findVisibleSnapshot(
	{ store, queries }: Pick<TimeMachineDeps, "store" | "queries">,
	identity: Identity,
	id: string,
): Promise<SnapshotRow> {
	const row = await findSnapshot(store.db, id);
	if (row === undefined) throw notFound();
	const seesQuery = row.saved_query_id !== null && (await queries.sees(identity, row.saved_query_id));
	if (!canSee(identity, row, seesQuery)) throw notFound();
	return row;
}
