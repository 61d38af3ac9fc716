/**
 * Allowed values from saved queries. A query runs when rows are checked, with the rights of the
 * caller, and its values are cached for a minute.
 */
import { AUTOMATION_LIMITS } from "@weft/contracts";
import { LRUCache } from "lru-cache";
import type { Identity } from "../../../platform/caller.ts";
import { AppError } from "../../../platform/errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Store } from "../../../ports/store.ts";
import { NotRunnable, type QueryRunsFeature, type RunnableQuery } from "../../query-runs/index.ts";
import type { ValueSource } from "./domain/rules.ts";
import type { AutomationPool } from "./workers/work.ts";

export interface FreshValuesDeps {
	readonly clock: Pick<Clock, "now" | "sleep">;
	readonly automationPool: Pick<AutomationPool, "run">;
	readonly store: Pick<Store, "transaction">;
	readonly queryRuns: Pick<QueryRunsFeature, "prepare" | "start">;
	runState(
		id: string,
	): Promise<{ readonly status: string; readonly error: string | null; readonly completedAt: Date | null } | null>;
	runDocument(identity: Identity, id: string, maxBytes: number): Promise<{ readonly bytes: Uint8Array | null }>;
}

export interface GivenValues {
	readonly source: ValueSource;
	readonly values: readonly string[];
}

/** Why the values of a column cannot be had. */
export class ValuesProblem extends Error {
	override readonly name = "ValuesProblem";
	readonly column: string;
	constructor(column: string, reason: string) {
		super(`The allowed values of the column "${column}" cannot be had: ${reason}`);
		this.column = column;
	}
}

const FRESH_MS = 60_000;
/** A query that takes longer is none to wait for while rows are checked. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 250;
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_MB = 32;
const TASK_MS = 60_000;
/** Sets of values that are remembered. */
const KEPT = 50;

export function createFreshValues(deps: FreshValuesDeps) {
	const { clock, automationPool: pool } = deps;
	const kept = new LRUCache<string, { readonly at: number; readonly values: Promise<readonly string[]> }>({
		max: KEPT,
	});

	const start = (runnable: RunnableQuery) =>
		deps.store.transaction((tx) => deps.queryRuns.start(tx, runnable, "the allowed values of a column", null));

	async function findEnd(runId: string): Promise<void> {
		const until = clock.now() + PATIENCE_MS;
		for (;;) {
			const run = await deps.runState(runId);
			if (run === null) throw new Unavailable("its run does not exist any more.");
			if (run.completedAt !== null) {
				if (run.status === "completed") return;
				throw new Unavailable(run.status === "cancelled" ? "its run was cancelled." : (run.error ?? "its run failed."));
			}
			if (clock.now() >= until) throw new Unavailable(`it was not over within ${PATIENCE_MS / 1_000} seconds.`);
			await clock.sleep(LOOK_MS);
		}
	}

	async function listValues(identity: Identity, runId: string, attribute: string): Promise<readonly string[]> {
		await findEnd(runId);
		const { bytes } = await deps.runDocument(identity, runId, MAX_BYTES);
		if (bytes === null) throw new Unavailable(`its rows have more than ${MAX_MB} MB.`);
		const task = { document: bytes, attribute, max: AUTOMATION_LIMITS.values };
		const values = await pool.run("values", task, { timeoutMs: TASK_MS });
		if (values === null) throw new Unavailable(`it gives more than ${AUTOMATION_LIMITS.values} values.`);
		if (values.length === 0) throw new Unavailable(`it gives no value of "${attribute}".`);
		return values;
	}

	/** Runs of this call, so that columns of one query share one. */
	type Runs = Map<string, Promise<string>>;

	async function readSourceValues(identity: Identity, source: ValueSource, runs: Runs): Promise<GivenValues> {
		const { saved_query, controller_connection, field } = source.from;
		let name = "the query";
		try {
			// What the caller may not see is not taken from memory either.
			const runnable = await deps.queryRuns.prepare(identity, saved_query, controller_connection);
			name = `the query "${runnable.query.name}"`;
			const place = `${saved_query} ${runnable.query.versionHash} ${controller_connection}`;
			const key = `${place} ${field}`;
			const known = kept.get(key);
			if (known !== undefined && clock.now() - known.at < FRESH_MS) return { source, values: await known.values };
			const run = runs.get(place) ?? start(runnable);
			runs.set(place, run);
			const values = run.then((id) => listValues(identity, id, field));
			kept.set(key, { at: clock.now(), values });
			values.catch(() => kept.delete(key));
			return { source, values: await values };
		} catch (error) {
			if (error instanceof Unavailable) throw new ValuesProblem(source.column, `${name}: ${error.message}`);
			if (error instanceof NotRunnable) throw new ValuesProblem(source.column, error.message);
			// The rows of the run were removed, or its owner is no more.
			if (error instanceof AppError && error.status < 500) throw new ValuesProblem(source.column, error.message);
			throw error;
		}
	}

	/** @throws ValuesProblem */
	return async function freshValues(identity: Identity, sources: readonly ValueSource[]): Promise<GivenValues[]> {
		const runs: Runs = new Map();
		return Promise.all(sources.map((source) => readSourceValues(identity, source, runs)));
	};
}
export type FreshValues = ReturnType<typeof createFreshValues>;

/** Why the values cannot be had, after the query's name. */
class Unavailable extends Error {}
