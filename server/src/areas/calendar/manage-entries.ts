/** Calendar entries: list, create, change, delete. */
import type { CalendarEntry, CalendarEntryInput, CalendarEntryList, CalendarEntryPatch } from "@weft/contracts";
import { CALENDAR_LIMITS } from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import type { Caller, Identity } from "../../core/caller.ts";
import { buildConflictError, buildFieldError, buildForbiddenError, buildNotFoundError } from "../../core/errors.ts";
import { markUnchanged } from "../../core/events.ts";
import { paginateRows } from "../../core/http/paging.ts";
import type { Db, Tx } from "../../core/ports/store.ts";
import { assertScope } from "./assert-scope.ts";
import { canDelete, canEdit, canMake } from "./policy.ts";
import { presentEntry } from "./present.ts";
import { hasOccurrence, isTooLong } from "./rules/occurrences.ts";
import { parseRule, RuleProblem } from "./rules/recurrence-rule.ts";
import {
	type EntryRow,
	findShownEntry,
	insertEntryRow,
	listEntryPage,
	lockEntryRow,
	removeEntryRow,
	updateEntryRow,
} from "./sql/entries.ts";

/** The columns that a request may set. */
export type Columns = Pick<
	EntryRow,
	| "kind"
	| "title"
	| "reason"
	| "ticket_number"
	| "ticket_url"
	| "connection_ids"
	| "connection_group_ids"
	| "starts_at"
	| "ends_at"
	| "rrule"
	| "exdates"
	| "time_zone"
	| "is_active"
>;

const FIRST_START = Date.UTC(1970, 0, 1);
const LAST_START = Date.UTC(2200, 0, 1);
const NOT_OWNED = "Only the owner of a calendar entry and administrators may do this.";
export const NO_FREEZES = "You need the permission override_freeze to make, change or delete a freeze.";

const buildEntryTarget = (id: string) => ({ targetType: "calendar_entry", targetId: id });

/** Returns the columns of the given fields. */
export function readColumns(input: CalendarEntryPatch): Partial<Columns> {
	const { ticket, controller_connection_ids, starts_at, ends_at, exdates, ...plain } = input;
	const columns = {
		...plain,
		connection_ids: controller_connection_ids,
		starts_at: starts_at === undefined ? undefined : new Date(starts_at),
		ends_at: ends_at === undefined ? undefined : new Date(ends_at),
		exdates: exdates?.map((date) => new Date(date)),
		ticket_number: ticket === undefined ? undefined : (ticket?.number ?? null),
		ticket_url: ticket === undefined ? undefined : (ticket?.url ?? null),
	};
	return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)) as Partial<Columns>;
}

/** @throws 400 */
export function assertTimes(columns: Columns): void {
	const start = columns.starts_at.getTime();
	if (start < FIRST_START || start > LAST_START) {
		throw buildFieldError("starts_at", "Must be between the years 1970 and 2200.");
	}
	if (columns.ends_at <= columns.starts_at) throw buildFieldError("ends_at", "Must be after starts_at.");
	if (isTooLong(columns)) {
		throw buildFieldError("ends_at", `Must be at most ${CALENDAR_LIMITS.days} days after starts_at.`);
	}
	if (columns.rrule === null) return;
	try {
		parseRule(columns.rrule);
	} catch (error) {
		if (error instanceof RuleProblem) throw buildFieldError("rrule", error.message);
		throw error;
	}
	if (!hasOccurrence(columns)) {
		throw buildFieldError("rrule", "No day meets the rule within ten years of starts_at. Check its parts.");
	}
}

async function readEntry(ctx: Context, db: Db, caller: Identity, id: string): Promise<CalendarEntry> {
	const row = await findShownEntry(db, caller, id);
	if (row === undefined) throw buildNotFoundError();
	return presentEntry(row, caller, ctx.clock.now());
}

/**
 * Locks the row.
 * @throws 404 if the caller does not see it, 403 if the caller may not write it, 409 if it comes
 * from a calendar that is read every hour
 */
async function lockEntry(tx: Tx, caller: Identity, id: string, may: typeof canEdit): Promise<EntryRow> {
	const row = await lockEntryRow(tx, id);
	if (row === undefined || (await findShownEntry(tx.db, caller, id)) === undefined) throw buildNotFoundError();
	if (!canMake(caller, row.kind)) throw buildForbiddenError(NO_FREEZES);
	if (!may(caller, row)) throw buildForbiddenError(NOT_OWNED);
	if (row.source_id !== null) {
		throw buildConflictError(
			"The entry comes from a calendar that is read every hour. Change it there, or delete the source.",
		);
	}
	return row;
}

export async function listEntries(ctx: Context, caller: Caller, filter: CalendarEntryList, url: string) {
	const now = ctx.clock.now();
	return paginateRows(url, filter, await listEntryPage(ctx.store.db, caller, filter), (row) =>
		presentEntry(row, caller, now),
	);
}

export const readVisibleEntry = (ctx: Context, caller: Caller, id: string) => readEntry(ctx, ctx.store.db, caller, id);

/** @throws 403 for a missing right or quota, 400 for unknown connections and groups */
export async function insertEntry(ctx: Context, tx: Tx, caller: Caller, columns: Columns): Promise<string> {
	if (!canMake(caller, columns.kind)) throw buildForbiddenError(NO_FREEZES);
	await assertScope(tx, caller, columns, null);
	await ctx.quotas.check(caller, "calendar_entries_max", tx);
	const id = ctx.ids.uuid();
	const now = getNow(ctx);
	await insertEntryRow(tx, {
		...columns,
		id,
		source: "manual",
		created_by_id: caller.userId,
		created_at: now,
		updated_at: now,
	});
	await ctx.events.changed(tx, caller, {
		...buildEntryTarget(id),
		description: `${caller.username} added the ${columns.kind} "${columns.title}"`,
		metadata: describeScope(columns),
	});
	return id;
}

export async function createEntry(ctx: Context, caller: Caller, input: CalendarEntryInput): Promise<CalendarEntry> {
	const columns = readColumns(input) as Columns;
	if (!canMake(caller, columns.kind)) throw buildForbiddenError(NO_FREEZES);
	assertTimes(columns);
	return ctx.store.transaction(async (tx) =>
		readEntry(ctx, tx.db, caller, await insertEntry(ctx, tx, caller, columns)),
	);
}

const describeScope = ({ kind, connection_ids, connection_group_ids, starts_at, ends_at, rrule }: Columns) => ({
	kind,
	connection_ids,
	connection_group_ids,
	starts_at: starts_at.toISOString(),
	ends_at: ends_at.toISOString(),
	rrule,
});

/**
 * Locks the entry and writes only the given fields.
 * @throws 404, 403 and 409 as `lockEntry` does, 400 for values that do not fit together
 */
export async function writeEntryFields(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	id: string,
	input: CalendarEntryPatch,
): Promise<void> {
	const given = readColumns(input);
	const fields = Object.keys(input).filter((name) => input[name as keyof CalendarEntryPatch] !== undefined);
	const before = await lockEntry(tx, caller, id, canEdit);
	if (fields.length === 0) return markUnchanged(caller);
	const columns: Columns = { ...before, ...given };
	if (!canMake(caller, columns.kind)) throw buildForbiddenError(NO_FREEZES);
	assertTimes(columns);
	await assertScope(tx, caller, columns, before);
	await updateEntryRow(tx, id, { ...given, updated_at: getNow(ctx) });
	await ctx.events.changed(tx, caller, {
		...buildEntryTarget(id),
		description: `${caller.username} changed the ${columns.kind} "${columns.title}"`,
		metadata: { fields, ...describeScope(columns) },
	});
}

/** Writes only the given fields. */
export async function changeEntry(
	ctx: Context,
	caller: Caller,
	id: string,
	input: CalendarEntryPatch,
): Promise<CalendarEntry> {
	return ctx.store.transaction(async (tx) => {
		await writeEntryFields(ctx, tx, caller, id, input);
		return readEntry(ctx, tx.db, caller, id);
	});
}

export async function removeEntry(ctx: Context, caller: Caller, id: string): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const row = await lockEntry(tx, caller, id, canDelete);
		await removeEntryRow(tx, id);
		await ctx.events.changed(tx, caller, {
			...buildEntryTarget(id),
			description: `${caller.username} deleted the ${row.kind} "${row.title}"`,
			metadata: describeScope(row),
		});
	});
}
