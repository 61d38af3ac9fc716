/** What the Time Machine's use cases share: their dependencies, and the way to a snapshot that the caller sees. */
import type { SnapshotSettings } from "@weft/contracts";
import type { Identity } from "../../platform/caller.ts";
import { notFound } from "../../platform/errors.ts";
import type { Events } from "../../platform/events.ts";
import type { BodyMemory } from "../../platform/http/body-memory.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Store } from "../../ports/store.ts";
import { canSee, type KnownQuery } from "./policy.ts";
import type { SnapshotRow, TimeMachineRepo } from "./repo.ts";
import type { SnapshotContent } from "./repo-content.ts";
import type { SettingsRepo } from "./repo-settings.ts";
import type { Turns } from "./turns.ts";
import type { TimeMachineWork } from "./workers/work.ts";

/** What the Time Machine must know of saved queries. */
export interface QueryLookup {
	/** A saved query as the identity sees it; null when that is nothing. */
	find(identity: Identity, id: string): Promise<KnownQuery | null>;
	/** Whether the identity sees a saved query. */
	sees(identity: Identity, id: string): Promise<boolean>;
	/** All that the identity sees and that have the Time Machine enabled. */
	enabled(identity: Identity): Promise<readonly Pick<KnownQuery, "id" | "name" | "version">[]>;
}

/** What it must know of controller connections. */
export interface ConnectionLookup {
	/** A connection as the identity sees it; null when that is nothing. */
	find(identity: Identity, id: string): Promise<{ readonly name: string } | null>;
}

export interface TimeMachineDeps {
	readonly store: Store;
	readonly clock: Pick<Clock, "now">;
	readonly ids: Pick<Ids, "uuid">;
	readonly events: Pick<Events, "changed" | "emit">;
	readonly repo: TimeMachineRepo;
	readonly content: SnapshotContent;
	readonly settings: SettingsRepo;
	readonly work: TimeMachineWork;
	readonly turns: Turns;
	readonly queries: QueryLookup;
	readonly connections: ConnectionLookup;
	/** Takes the memory of a body back once its capture has ended. */
	readonly bodyMemory: Pick<BodyMemory, "give">;
	/** Rejects with 403 when the identity's groups may not use the Time Machine. */
	assertQuota(identity: Identity): Promise<void>;
}

/** Before anybody has set something. */
export const DEFAULT_SETTINGS: SnapshotSettings = {
	retention_policy: "days",
	retention_days: 90,
	retention_count: 100,
	max_snapshot_size_mb: 10,
	warn_large_snapshots: true,
	auto_cleanup_enabled: true,
	store_duplicates: false,
};

/** A snapshot that the identity sees. 404 for every other. */
export async function visible(
	{ store, repo, queries }: Pick<TimeMachineDeps, "store" | "repo" | "queries">,
	identity: Identity,
	id: string,
): Promise<SnapshotRow> {
	const row = await repo.find(store.db, id);
	if (row === undefined) throw notFound();
	const seesQuery = row.saved_query_id !== null && (await queries.sees(identity, row.saved_query_id));
	if (!canSee(identity, row, seesQuery)) throw notFound();
	return row;
}
