/** Checks: list, create, change, delete. */
import {
	CHECK_TYPES_ACROSS,
	type Check,
	type CheckCreate,
	type CheckList,
	type CheckPatch,
	type CheckType,
} from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import type { Caller, Identity } from "../../core/caller.ts";
import {
	buildFieldError,
	buildForbiddenError,
	buildInvalidError,
	buildNotFoundError,
	type FieldErrors,
} from "../../core/errors.ts";
import { markUnchanged } from "../../core/events.ts";
import { paginateRows } from "../../core/http/paging.ts";
import type { Db, Tx } from "../../core/ports/store.ts";
import { listHolds } from "../calendar/find-hold.ts";
import type { VisibleQuery } from "../queries/saved/index.ts";
import { findReferredConnection, findReferredQuery, type KnownReferences } from "../schedules/known-references.ts";
import { assertBaselineRoom, assertCheckRoom } from "./assert-check-room.ts";
import { assertRecipients, buildNotifyColumns, NOTIFY_DEFAULTS } from "./assert-recipients.ts";
import { canDelete, canEdit } from "./policy.ts";
import { presentCheck } from "./present.ts";
import { getBaseline, listBaselineConnections } from "./preview-baselines.ts";
import { ACROSS_QUEUE } from "./queue.ts";
import { readRule } from "./read-rule.ts";
import { isSameJson } from "./rules/same-json.ts";
import { sendNotices } from "./send-notices.ts";
import type { CheckRow, ShownCheck } from "./sql/checks.ts";
import {
	findShownCheck,
	insertCheckRow,
	listCheckPage,
	lockCheckRow,
	removeCheckRow,
	updateCheckRow,
} from "./sql/checks.ts";
import { deleteEvaluations } from "./sql/evaluations.ts";
import {
	insertCheckEvents,
	insertMissingStates,
	listVisibleStates,
	lockCheckStates,
	removeOtherStates,
	resetStateRows,
} from "./sql/states.ts";

export const FIELD_DEFAULTS = {
	description: "",
	controller_connection_ids: [] as string[],
	config: {} as Record<string, unknown>,
	severity: "warning",
	for_runs: 1,
	is_active: true,
	is_public: false,
} as const;

export const buildCheckTarget = ({ id }: { id: string }) => ({ targetType: "check", targetId: id });
export const isAcross = (type: CheckType): boolean => CHECK_TYPES_ACROSS.includes(type);

/** The entries that a check has before a run; null: of all connections together. */
const getEntries = ({ type, connection_ids }: Pick<CheckRow, "type" | "connection_ids">): (string | null)[] =>
	isAcross(type) ? [null] : connection_ids;

export type Columns = Pick<
	CheckRow,
	| "name"
	| "description"
	| "saved_query_id"
	| "connection_ids"
	| "type"
	| "config"
	| "severity"
	| "for_runs"
	| "is_active"
	| "is_public"
	| "notify_user_ids"
	| "notify_webhook_ids"
	| "notify_addresses"
	| "notify_min_severity"
>;

/** @throws 400 where the query keeps no snapshots that the type needs */
export function assertSnapshots(type: CheckType, { enableTimeMachine }: VisibleQuery): void {
	if ((type !== "unchanged" && type !== "trend") || enableTimeMachine) return;
	throw buildFieldError("type", `${type} reads snapshots. Switch on snapshots for the query.`);
}

export async function findVisibleCheck(db: Db, caller: Identity, id: string): Promise<ShownCheck> {
	const row = await findShownCheck(db, caller, id);
	if (row === undefined) throw buildNotFoundError();
	return row;
}

export async function readCheck(ctx: Context, db: Db, caller: Identity, id: string): Promise<Check> {
	const row = await findVisibleCheck(db, caller, id);
	return presentCheck(row, await listVisibleStates(db, caller, [id]), caller, await listHolds(db, getNow(ctx)));
}

/** The check, locked: 404 where it is not visible, 403 where the caller may not do this. */
export async function lockCheck(tx: Tx, caller: Identity, id: string, may: typeof canEdit): Promise<CheckRow> {
	const row = await lockCheckRow(tx, id);
	if (row === undefined || (await findShownCheck(tx.db, caller, id)) === undefined) throw buildNotFoundError();
	if (!may(caller, row)) throw buildForbiddenError("Only the owner of a check and administrators may do this.");
	return row;
}

async function getQuery(
	ctx: Context,
	caller: Identity,
	id: string,
	known: KnownReferences | null,
): Promise<VisibleQuery> {
	const query = await findReferredQuery(ctx, caller, id, known);
	if (query === null) throw buildFieldError("saved_query", "There is no such query that you can see.");
	return query;
}

async function getRuleConfig(ctx: Context, type: CheckType, config: unknown, query: VisibleQuery): Promise<object> {
	assertSnapshots(type, query);
	return (await readRule(ctx, type, config, query)).config;
}

/**
 * The columns after a change. The caller must see a new query and new connections.
 * @param known references that a batch of files has read in advance
 */
export async function buildCheckColumns(
	ctx: Context,
	caller: Identity,
	input: CheckPatch,
	before: CheckRow | null,
	known: KnownReferences | null = null,
): Promise<Columns> {
	const { saved_query, controller_connection_ids, notify, type: newType, config: newConfig, ...plain } = input;
	const type = newType ?? before?.type;
	const queryId = saved_query ?? before?.saved_query_id;
	if (type === undefined || queryId === undefined) throw buildFieldError("type", "Is required.");
	const isRuleNew = type !== before?.type || newConfig !== undefined || queryId !== before.saved_query_id;
	const config = newConfig ?? (type === before?.type ? before.config : {});
	const read = isRuleNew ? await getRuleConfig(ctx, type, config, await getQuery(ctx, caller, queryId, known)) : config;
	const rule = { type, config: { ...read }, saved_query_id: queryId };
	const named = controller_connection_ids ?? before?.connection_ids ?? [];
	const db = known?.db ?? ctx.store.db;
	const connection_ids = [...(await listBaselineConnections(db, { ...rule, connection_ids: named }, before))];
	await assertConnections(
		ctx,
		caller,
		named.filter((id) => before?.connection_ids.includes(id) !== true),
		known,
	);
	const is_public = plain.is_public ?? before?.is_public ?? FIELD_DEFAULTS.is_public;
	const recipients = buildNotifyColumns(notify, before);
	const ownerId = before?.owner_id ?? caller.userId;
	const isQueryPublic = known?.queries.get(queryId)?.isPublic ?? false;
	const seen = { ...recipients, is_public, saved_query_id: queryId, isQueryPublic };
	await assertRecipients(ctx, db, seen, ownerId, before);
	return {
		name: plain.name ?? before?.name ?? "",
		description: plain.description ?? before?.description ?? FIELD_DEFAULTS.description,
		...rule,
		connection_ids,
		severity: plain.severity ?? before?.severity ?? FIELD_DEFAULTS.severity,
		for_runs: plain.for_runs ?? before?.for_runs ?? FIELD_DEFAULTS.for_runs,
		is_active: plain.is_active ?? before?.is_active ?? FIELD_DEFAULTS.is_active,
		is_public,
		...recipients,
	};
}

async function assertConnections(
	ctx: Context,
	caller: Identity,
	connectionIds: readonly string[],
	known: KnownReferences | null,
): Promise<void> {
	const problems: string[] = [];
	for (const id of connectionIds) {
		const found = await findReferredConnection(ctx, caller, id, known);
		if (found === null) problems.push(`There is no connection ${id} that you can see.`);
	}
	const errors: FieldErrors = { controller_connection_ids: problems };
	if (problems.length > 0) throw buildInvalidError(errors);
}

/** A rule across connections is evaluated on the runs that there are. */
async function evaluateSoon(ctx: Context, tx: Tx, { type, saved_query_id, is_active }: Columns): Promise<void> {
	if (isAcross(type) && is_active) await ctx.jobs.enqueue(tx, ACROSS_QUEUE, { queryId: saved_query_id });
}

/** Makes all entries unknown, and records it. */
async function resetStates(ctx: Context, tx: Tx, id: string, at: Date): Promise<void> {
	const known = (await lockCheckStates(tx, id)).filter(({ state }) => state !== "unknown");
	await resetStateRows(tx, id, at);
	await deleteEvaluations(tx, id);
	await insertCheckEvents(
		tx,
		known.map((entry) => ({
			id: ctx.ids.uuid(),
			check_id: id,
			connection_id: entry.connection_id,
			connection_name: entry.connection_name,
			from_state: entry.state,
			to_state: "unknown",
			at,
			run_id: null,
			violations: 0,
			acknowledged_by_id: null,
			acknowledged_at: null,
			muted_by_id: entry.muted_by_id,
			muted_until: entry.muted_until,
		})),
	);
}

/** @param isSame whether the states of before still say something about the check */
async function reconcileStates(
	ctx: Context,
	tx: Tx,
	before: CheckRow,
	after: Columns,
	isSame: boolean,
	at: Date,
): Promise<void> {
	if (!isSame) await resetStates(ctx, tx, before.id, at);
	const entries = getEntries(after);
	// Without names entries come with the runs.
	if (isAcross(after.type) || after.connection_ids.length > 0) await removeOtherStates(tx, before.id, entries);
	else if (isAcross(before.type)) await removeOtherStates(tx, before.id, []);
	await insertMissingStates(
		tx,
		entries.map((connectionId) => ({ check: before, connectionId })),
		at,
	);
}

export async function writeChange(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	before: CheckRow,
	after: Columns,
	names: readonly string[],
): Promise<void> {
	const { id } = before;
	const at = new Date(ctx.clock.now());
	if (after.is_public && !before.is_public) await ctx.quotas.check(caller, "can_share", tx);
	if (after.saved_query_id !== before.saved_query_id) await assertCheckRoom(tx, after.saved_query_id, before.owner_id);
	await assertBaselineRoom(tx, after, before.owner_id, before);
	const isRuleSame =
		after.saved_query_id === before.saved_query_id &&
		after.type === before.type &&
		isSameJson(after.config, before.config);
	const areConnectionsSame = isSameJson(after.connection_ids, before.connection_ids);
	const { config, ...columns } = after;
	const row = { ...columns, config: JSON.stringify(config), updated_at: at };
	await updateCheckRow(tx, id, row, !isRuleSame || !areConnectionsSame);
	if (!isRuleSame || !areConnectionsSame) {
		await reconcileStates(ctx, tx, before, after, isRuleSame && (areConnectionsSame || !isAcross(after.type)), at);
	}
	await sendNotices(ctx, tx, [id]);
	await evaluateSoon(ctx, tx, after);
	await ctx.events.changed(tx, caller, {
		...buildCheckTarget({ id }),
		description: `${caller.username} changed the check "${after.name}"`,
		metadata: { fields: names },
	});
}

export async function insertCheck(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	columns: Columns,
	id: string = ctx.ids.uuid(),
): Promise<string> {
	const at = new Date(ctx.clock.now());
	if (columns.is_public) await ctx.quotas.check(caller, "can_share", tx);
	await ctx.quotas.check(caller, "checks_max", tx);
	await assertCheckRoom(tx, columns.saved_query_id, caller.userId);
	await assertBaselineRoom(tx, columns, caller.userId, null);
	const { config, ...plain } = columns;
	const muted = { muted_until: null, muted_by_id: null };
	await insertCheckRow(tx, {
		...plain,
		...muted,
		config: JSON.stringify(config),
		id,
		owner_id: caller.userId,
		created_at: at,
		updated_at: at,
	});
	await insertMissingStates(
		tx,
		getEntries(columns).map((connectionId) => ({ check: { id, ...muted }, connectionId })),
		at,
	);
	await evaluateSoon(ctx, tx, columns);
	await ctx.events.changed(tx, caller, {
		...buildCheckTarget({ id }),
		description: `${caller.username} added the check "${columns.name}"`,
		metadata: { saved_query: columns.saved_query_id, type: columns.type },
	});
	return id;
}

export async function removeLockedCheck(ctx: Context, tx: Tx, caller: Caller, check: CheckRow): Promise<void> {
	await removeCheckRow(tx, check.id);
	await sendNotices(ctx, tx, [check.id]);
	await ctx.events.changed(tx, caller, {
		...buildCheckTarget(check),
		description: `${caller.username} deleted the check "${check.name}"`,
	});
}

export async function changeCheck(ctx: Context, caller: Caller, id: string, input: CheckPatch): Promise<Check> {
	const names = Object.entries(input).flatMap(([name, value]) => (value === undefined ? [] : [name]));
	const seen = await findVisibleCheck(ctx.store.db, caller, id);
	if (!canEdit(caller, seen)) throw buildForbiddenError("Only the owner of a check and administrators may do this.");
	const checked = await buildCheckColumns(ctx, caller, input, seen);
	return ctx.store.transaction(async (tx) => {
		const before = await lockCheck(tx, caller, id, canEdit);
		if (names.length === 0) {
			markUnchanged(caller);
			return readCheck(ctx, tx.db, caller, id);
		}
		await writeChange(ctx, tx, caller, before, mergeColumns(before, checked, input), names);
		return readCheck(ctx, tx.db, caller, id);
	});
}

export async function listChecks(ctx: Context, caller: Caller, filter: CheckList, url: string) {
	const page = await listCheckPage(ctx.store.db, caller, filter);
	const entries = await listVisibleStates(
		ctx.store.db,
		caller,
		page.rows.map(({ id }) => id),
	);
	const byCheck = new Map<string, typeof entries>();
	for (const entry of entries) {
		const known = byCheck.get(entry.check_id);
		if (known === undefined) byCheck.set(entry.check_id, [entry]);
		else known.push(entry);
	}
	const holds = await listHolds(ctx.store.db, getNow(ctx));
	return paginateRows(url, filter, page, (row) => presentCheck(row, byCheck.get(row.id) ?? [], caller, holds));
}

export const readVisibleCheck = (ctx: Context, caller: Caller, id: string) => readCheck(ctx, ctx.store.db, caller, id);

export async function createCheck(ctx: Context, caller: Caller, input: CheckCreate): Promise<Check> {
	const columns = await buildCheckColumns(ctx, caller, input, null);
	return ctx.store.transaction(async (tx) =>
		readCheck(ctx, tx.db, caller, await insertCheck(ctx, tx, caller, columns)),
	);
}

export const replaceCheck = (ctx: Context, caller: Caller, id: string, input: CheckCreate): Promise<Check> =>
	changeCheck(ctx, caller, id, { ...FIELD_DEFAULTS, notify: NOTIFY_DEFAULTS, ...input });

export async function removeCheck(ctx: Context, caller: Caller, id: string): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		await removeLockedCheck(ctx, tx, caller, await lockCheck(tx, caller, id, canDelete));
	});
}

/** Only the given fields are written, so that of two changes at the same time both count. */
function mergeColumns(before: CheckRow, checked: Columns, input: CheckPatch): Columns {
	const given = <K extends keyof Columns>(column: K, ...fields: (keyof CheckPatch)[]): Columns[K] =>
		fields.some((field) => input[field] !== undefined) ? checked[column] : before[column];
	return {
		name: given("name", "name"),
		description: given("description", "description"),
		saved_query_id: given("saved_query_id", "saved_query"),
		// A pinned snapshot brings its connection.
		connection_ids:
			getBaseline(checked)?.kind === "snapshot"
				? checked.connection_ids
				: given("connection_ids", "controller_connection_ids"),
		type: given("type", "type"),
		config: given("config", "config", "type"),
		severity: given("severity", "severity"),
		for_runs: given("for_runs", "for_runs"),
		is_active: given("is_active", "is_active"),
		is_public: given("is_public", "is_public"),
		notify_user_ids: given("notify_user_ids", "notify"),
		notify_webhook_ids: given("notify_webhook_ids", "notify"),
		notify_addresses: given("notify_addresses", "notify"),
		notify_min_severity: given("notify_min_severity", "notify"),
	};
}
