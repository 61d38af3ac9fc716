/** Evaluating, acknowledging and muting a check, and reading its events and evidence. */
import type {
	Check,
	CheckAcknowledge,
	CheckEvaluate,
	CheckEventList,
	CheckMute,
	CheckRule,
	checkEvidence,
} from "@weft/contracts";
import type * as z from "zod";
import { type Context, getNow } from "../../context.ts";
import { type Caller, isAllowed } from "../../core/caller.ts";
import { AppError, buildFieldError, buildNotFoundError } from "../../core/errors.ts";
import { markUnchanged } from "../../core/events.ts";
import { paginateRows } from "../../core/http/paging.ts";
import type { Tx } from "../../core/ports/store.ts";
import { readProfile } from "../accounts/sign-in/manage-own-account.ts";
import { listHolds } from "../calendar/find-hold.ts";
import { findVisibleConnection } from "../fabrics/manage-connections.ts";
import { NotRunnable } from "../runs/background/index.ts";
import { listLatestRuns } from "../runs/background/sql.ts";
import { prepareQueryRun, startQueryRuns } from "../runs/background/start-background-runs.ts";
import { buildCheckTarget, findVisibleCheck, lockCheck, readCheck } from "./manage-checks.ts";
import { canEdit } from "./policy.ts";
import { presentEvent, presentState } from "./present.ts";
import { listViolatingFields } from "./rules/violating-objects.ts";
import { sendNotices } from "./send-notices.ts";
import type { CheckRow } from "./sql/checks.ts";
import { findShownCheck, lockCheckRow, updateCheckRow } from "./sql/checks.ts";
import {
	acknowledgeStates,
	findStateEvidence,
	listCheckEvents,
	listVisibleStates,
	lockCheckStates,
	markLatestEvents,
	muteStates,
} from "./sql/states.ts";

/** The name under which runs of `evaluate/` are recorded; their key is the check's id. */
export const CHECK = "check";
const CONNECTIONS = "controller_connection_ids";
/** Runs that one call starts. */
const RUNS_MAX = 50;

const buildMissingEntry = (): AppError =>
	buildFieldError("controller_connection_id", "The check has no state on this connection.");

/** The connections that a check runs on: those it names, or those its query has run on. */
export async function findConnections(ctx: Context, caller: Caller, check: CheckRow): Promise<string[]> {
	if (check.connection_ids.length > 0) return check.connection_ids;
	const usable: string[] = [];
	for (const { connection } of await listLatestRuns(ctx.store.db, check.saved_query_id)) {
		if (usable.length === RUNS_MAX) break;
		if ((await findVisibleConnection(ctx, caller, connection.id))?.isActive) usable.push(connection.id);
	}
	return usable;
}

/** Runs the query of a check. Returns the ids of the runs. Throws 400 where it cannot run. */
async function startRuns(
	ctx: Context,
	caller: Caller,
	check: CheckRow,
	connectionIds: readonly string[],
): Promise<string[]> {
	const { id } = check;
	const runnable: Awaited<ReturnType<typeof prepareQueryRun>>[] = [];
	for (const connectionId of connectionIds) {
		runnable.push(
			await prepareQueryRun(ctx, caller, check.saved_query_id, connectionId).catch((error: unknown) => {
				throw error instanceof NotRunnable ? buildFieldError(CONNECTIONS, error.message) : error;
			}),
		);
	}
	return ctx.store.transaction(async (tx) => {
		const runs = await startQueryRuns(
			ctx,
			tx,
			runnable.map((one) => ({
				...one,
				origin: CHECK,
				originId: id,
				keepsSnapshot: one.query.enableTimeMachine,
				isTrusted: true,
			})),
		);
		await ctx.events.changed(tx, caller, {
			...buildCheckTarget(check),
			description: `${caller.username} evaluated the check "${check.name}"`,
			metadata: { runs },
		});
		return runs;
	});
}

/** A check that the caller sees, locked, with those of its entries that are asked for. */
async function listEntries(tx: Tx, caller: Caller, id: string, connectionId: string | null | undefined) {
	const check = await lockCheckRow(tx, id);
	if (check === undefined || (await findShownCheck(tx.db, caller, id)) === undefined) throw buildNotFoundError();
	const entries = await lockCheckStates(tx, id, connectionId ?? undefined);
	if (connectionId && entries.length === 0) throw buildMissingEntry();
	return { check, entries };
}

/** Those of the entries that the caller sees, with all connections that decided them. */
async function lockVisibleEntries(tx: Tx, caller: Caller, id: string, connectionId: string | null | undefined) {
	const { check, entries } = await listEntries(tx, caller, id, connectionId);
	const shown = (await listVisibleStates(tx.db, caller, [id])).filter(({ sees_inputs }) => sees_inputs);
	const visible = new Set(shown.map(({ connection_id }) => connection_id));
	const found = entries.filter(({ connection_id }) => visible.has(connection_id));
	if (connectionId && found.length === 0) throw buildMissingEntry();
	return { check, entries: found };
}

export async function evaluateCheck(
	ctx: Context,
	caller: Caller,
	id: string,
	input: CheckEvaluate,
): Promise<{ runs: string[] }> {
	const check = await findVisibleCheck(ctx.store.db, caller, id);
	const ids = input.controller_connection_ids ?? [];
	const foreign = ids.find((one) => check.connection_ids.length > 0 && !check.connection_ids.includes(one));
	if (foreign !== undefined)
		throw buildFieldError(CONNECTIONS, `The check does not look at the connection ${foreign}.`);
	const wanted = ids.length > 0 ? ids : await findConnections(ctx, caller, check);
	if (wanted.length === 0) {
		throw buildFieldError(CONNECTIONS, "The query has not run on any connection yet. Name at least one.");
	}
	return { runs: await startRuns(ctx, caller, check, wanted) };
}

/**
 * Evaluates a new check, on the caller's default connection if its query has run nowhere. Does
 * nothing where the query cannot run: for lack of a connection, a permission or a quota.
 */
export async function evaluateCheckFirst(ctx: Context, caller: Caller, id: string): Promise<void> {
	if (!isAllowed(caller, "execute_savedquery")) return;
	const check = await findVisibleCheck(ctx.store.db, caller, id);
	const known = await findConnections(ctx, caller, check);
	const wanted =
		known.length > 0
			? known
			: [(await readProfile(ctx, caller)).preferences.default_controller_connection_id].filter((one) => one !== null);
	if (wanted.length === 0) return;
	await startRuns(ctx, caller, check, wanted).catch((error: unknown) => {
		if (!(error instanceof AppError)) throw error;
	});
}

export async function acknowledgeCheck(
	ctx: Context,
	caller: Caller,
	id: string,
	input: CheckAcknowledge,
): Promise<Check> {
	return ctx.store.transaction(async (tx) => {
		const { check, entries } = await lockVisibleEntries(tx, caller, id, input.controller_connection_id);
		const problems = entries.filter(({ state }) => state !== "ok" && state !== "unknown");
		if (problems.length === 0) {
			markUnchanged(caller);
			return readCheck(ctx, tx.db, caller, id);
		}
		const places = problems.map(({ connection_id }) => connection_id);
		await acknowledgeStates(tx, id, places, caller.userId);
		await markLatestEvents(tx, id, places, {
			acknowledged_by_id: caller.userId,
			acknowledged_at: new Date(ctx.clock.now()),
			comment: input.comment,
		});
		await ctx.events.changed(tx, caller, {
			...buildCheckTarget(check),
			description: `${caller.username} acknowledged the check "${check.name}"`,
			metadata: { entries: problems.length, comment: input.comment },
		});
		return readCheck(ctx, tx.db, caller, id);
	});
}

/** For those who may edit the check: its owner gets no notification meanwhile. */
export async function muteCheck(ctx: Context, caller: Caller, id: string, input: CheckMute): Promise<Check> {
	const until = input.until === null ? null : new Date(input.until);
	if (until !== null && until.getTime() <= ctx.clock.now()) throw buildFieldError("until", "Must be in the future.");
	return ctx.store.transaction(async (tx) => {
		const { check, entries } = await listEntries(tx, caller, id, input.controller_connection_id);
		await lockCheck(tx, caller, id, canEdit);
		const values = { muted_until: until, muted_by_id: until === null ? null : caller.userId };
		if (!input.controller_connection_id) await updateCheckRow(tx, id, values);
		const places = entries.map(({ connection_id }) => connection_id);
		await muteStates(tx, id, places, values);
		await markLatestEvents(tx, id, places, values);
		await sendNotices(ctx, tx, [id]);
		await ctx.events.changed(tx, caller, {
			...buildCheckTarget(check),
			description: `${caller.username} ${until === null ? "unmuted" : "muted"} the check "${check.name}"`,
			metadata: { until: input.until, entries: entries.length },
		});
		return readCheck(ctx, tx.db, caller, id);
	});
}

export async function listEventsOfCheck(ctx: Context, caller: Caller, id: string, filter: CheckEventList, url: string) {
	await findVisibleCheck(ctx.store.db, caller, id);
	return paginateRows(url, filter, await listCheckEvents(ctx.store.db, caller, id, filter), presentEvent);
}

/** The evidence of all connections together is shown to those who see all of them. */
export async function readCheckEvidence(
	ctx: Context,
	caller: Caller,
	id: string,
	connection: string,
): Promise<z.output<typeof checkEvidence>> {
	const { type, config } = await findVisibleCheck(ctx.store.db, caller, id);
	const rule = { type, config } as unknown as CheckRule;
	const row = await findStateEvidence(ctx.store.db, caller, id, connection === "all" ? null : connection);
	if (row === undefined) throw buildNotFoundError();
	const sample = (row.sees_inputs ? row.sample : []).map((one) => ({
		...one,
		violating_fields: listViolatingFields(rule, one.row),
	}));
	const holds = await listHolds(ctx.store.db, getNow(ctx));
	return { ...presentState(row, holds), sample };
}
