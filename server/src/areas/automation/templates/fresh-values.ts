/**
 * Allowed values from saved queries. A query runs when rows are checked, with the rights of the
 * caller, and its values are cached for a minute.
 */
import { AUTOMATION_LIMITS } from "@weft/contracts";
import { LRUCache } from "lru-cache";
import type { Context } from "../../../context.ts";
import type { Identity } from "../../../core/caller.ts";
import { AppError } from "../../../core/errors.ts";
import { NotRunnable, type RunnableQuery } from "../../runs/background/index.ts";
import { prepareQueryRun, startQueryRun } from "../../runs/background/start-background-runs.ts";
import { findRunStanding, readRunDocument } from "../../runs/pipelines/run-standing.ts";
import type { RunRow } from "../../runs/pipelines/sql/runs.ts";
import type { ValueSource } from "./rules/rules.ts";

interface GivenValues {
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
/** Columns whose values are remembered. */
const REMEMBERED = 50;

/** Runs of this call, so that columns of one query share one. */
type Runs = Map<string, Promise<string>>;

const startRun = (ctx: Context, runnable: RunnableQuery) =>
	ctx.store.transaction((tx) => startQueryRun(ctx, tx, runnable, "the allowed values of a column", null));

/** The completed run. @throws Unavailable */
async function waitForEnd(ctx: Context, runId: string): Promise<RunRow> {
	const until = ctx.clock.now() + PATIENCE_MS;
	for (;;) {
		const run = await findRunStanding(ctx, runId);
		if (run === null) throw new Unavailable("its run does not exist any more.");
		if (run.completedAt !== null) {
			if (run.status === "completed") return run.job;
			throw new Unavailable(run.status === "cancelled" ? "its run was cancelled." : (run.error ?? "its run failed."));
		}
		if (ctx.clock.now() >= until) throw new Unavailable(`it was not over within ${PATIENCE_MS / 1_000} seconds.`);
		await ctx.clock.sleep(LOOK_MS);
	}
}

async function readRunValues(ctx: Context, runId: string, attribute: string): Promise<readonly string[]> {
	const { bytes } = await readRunDocument(ctx, await waitForEnd(ctx, runId), MAX_BYTES);
	if (bytes === null) throw new Unavailable(`its rows have more than ${MAX_MB} MB.`);
	const task = { document: bytes, attribute, max: AUTOMATION_LIMITS.values };
	const values = await ctx.automationPool.run("values", task, { timeoutMs: TASK_MS });
	if (values === null) throw new Unavailable(`it gives more than ${AUTOMATION_LIMITS.values} values.`);
	if (values.length === 0) throw new Unavailable(`it gives no value of "${attribute}".`);
	return values;
}

async function readSourceValues(
	ctx: Context,
	identity: Identity,
	source: ValueSource,
	runs: Runs,
): Promise<GivenValues> {
	const { saved_query, controller_connection, field } = source.from;
	let name = "the query";
	try {
		// What the caller may not see is not taken from memory either.
		const runnable = await prepareQueryRun(ctx, identity, saved_query, controller_connection);
		name = `the query "${runnable.query.name}"`;
		const place = `${saved_query} ${runnable.query.versionHash} ${controller_connection}`;
		const key = `${place} ${field}`;
		const known = ctx.areas.automation.freshValues.get(key);
		if (known !== undefined && ctx.clock.now() - known.at < FRESH_MS) return { source, values: await known.values };
		const run = runs.get(place) ?? startRun(ctx, runnable);
		runs.set(place, run);
		const values = run.then((id) => readRunValues(ctx, id, field));
		ctx.areas.automation.freshValues.set(key, { at: ctx.clock.now(), values });
		values.catch(() => ctx.areas.automation.freshValues.delete(key));
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
export async function readFreshValues(
	ctx: Context,
	identity: Identity,
	sources: readonly ValueSource[],
): Promise<GivenValues[]> {
	const runs: Runs = new Map();
	return Promise.all(sources.map((source) => readSourceValues(ctx, identity, source, runs)));
}

/** Values of a column by query, connection and attribute, with the time of their run. */
export type FreshValues = LRUCache<string, { readonly at: number; readonly values: Promise<readonly string[]> }>;

export const createFreshValues = (): FreshValues => new LRUCache({ max: REMEMBERED });

/** Why the values cannot be had, after the query's name. */
class Unavailable extends Error {}
