/**
 * Imports calendars: a file once, and an address every hour. Events that are known by their UID are
 * changed; those that an address has no more are removed.
 */
import { CALENDAR_LIMITS, type CalendarImport, type CalendarImportResult, type CalendarKind } from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import type { Caller, Identity } from "../../core/caller.ts";
import { buildFieldError, buildForbiddenError, buildRefusedError } from "../../core/errors.ts";
import type { Actor } from "../../core/events.ts";
import type { Tx } from "../../core/ports/store.ts";
import { WebhookError } from "../../integrations/webhooks/port.ts";
import { assertScope } from "./assert-scope.ts";
import { NO_FREEZES } from "./manage-entries.ts";
import { canMake } from "./policy.ts";
import { presentSource } from "./present.ts";
import { type IcsContent, type IcsEntry, IcsProblem, readCalendar } from "./rules/ics-events.ts";
import { type EntryRow, insertEntryRow, removeEntryRow, updateEntryRow } from "./sql/entries.ts";
import { countOwnSources, insertSource, lockImportedEntries, type SourceRow } from "./sql/imports.ts";

/** The kind and the fabrics of all entries of a calendar. */
export interface ImportTarget {
	readonly kind: CalendarKind;
	readonly connection_ids: readonly string[];
	readonly connection_group_ids: readonly string[];
}

type Counts = Pick<CalendarImportResult, "created" | "updated" | "unchanged" | "removed">;

const HOUR_MS = 3_600_000;
const SOURCES_MAX = 20;
const OFF = "The administrator's settings allow no addresses of calendars. Import a file.";

export const buildSourceContext = (id: string): string => `calendar_sources:${id}:url`;
export const buildSourceTarget = (id: string) => ({ targetType: "calendar_source", targetId: id });

/** Returns the text of a calendar at an address. @throws WebhookError, IcsProblem */
export async function fetchCalendar(ctx: Context, url: string, signal: AbortSignal): Promise<string> {
	if (ctx.webhooks === null) throw new WebhookError("address", OFF);
	const { status, text } = await ctx.webhooks.fetchText({ url, signal, maxBytes: CALENDAR_LIMITS.fileBytes });
	if (status !== 200) throw new IcsProblem(`${new URL(url).hostname} answered ${status} instead of a calendar.`);
	if (text === null) {
		throw new IcsProblem(`The calendar has more than ${CALENDAR_LIMITS.fileBytes / 1024} KiB. Export fewer events.`);
	}
	return text;
}

const isSameTimes = (one: readonly Date[], other: readonly Date[]): boolean =>
	one.map(Number).join() === other.map(Number).join();

const isSame = (
	row: EntryRow,
	event: IcsEntry,
	{ kind, connection_ids, connection_group_ids }: ImportTarget,
): boolean =>
	row.kind === kind &&
	row.title === event.title &&
	row.reason === event.reason &&
	row.rrule === event.rrule &&
	row.time_zone === event.time_zone &&
	isSameTimes([row.starts_at, row.ends_at], [event.starts_at, event.ends_at]) &&
	isSameTimes(row.exdates, event.exdates) &&
	row.connection_ids.join() === connection_ids.join() &&
	row.connection_group_ids.join() === connection_group_ids.join();

/**
 * Writes the events of a calendar as entries of a user.
 * @param sourceId null for a file: entries that it lacks stay
 * @throws 403 for an exhausted quota and for fabrics that the user may not edit, 400
 */
export async function writeImported(
	ctx: Context,
	tx: Tx,
	user: Identity,
	target: ImportTarget,
	{ entries }: IcsContent,
	sourceId: string | null,
): Promise<Counts> {
	if (!canMake(user, target.kind)) throw buildForbiddenError(NO_FREEZES);
	await assertScope(tx, user, target, null);
	const known = new Map((await lockImportedEntries(tx, user.userId, sourceId)).map((row) => [row.uid, row]));
	const added = entries.filter(({ uid }) => !known.has(uid));
	if (added.length > 0) await ctx.quotas.check(user, "calendar_entries_max", tx, added.length);
	const now = getNow(ctx);
	const counts = { created: added.length, updated: 0, unchanged: 0, removed: 0 };
	for (const event of entries) {
		const row = known.get(event.uid);
		const columns = {
			...event,
			exdates: [...event.exdates],
			kind: target.kind,
			connection_ids: [...target.connection_ids],
			connection_group_ids: [...target.connection_group_ids],
		};
		if (row === undefined) {
			await insertEntryRow(tx, {
				...columns,
				id: ctx.ids.uuid(),
				ticket_number: null,
				ticket_url: null,
				is_active: true,
				source: "ics",
				source_id: sourceId,
				created_by_id: user.userId,
				created_at: now,
				updated_at: now,
			});
		} else if (isSame(row, event, target)) counts.unchanged += 1;
		else {
			await updateEntryRow(tx, row.id, { ...columns, updated_at: now });
			counts.updated += 1;
		}
	}
	if (sourceId !== null) {
		const uids = new Set(entries.map(({ uid }) => uid));
		for (const row of known.values()) {
			if (row.uid !== null && uids.has(row.uid)) continue;
			await removeEntryRow(tx, row.id);
			counts.removed += 1;
		}
	}
	return counts;
}

async function readGivenCalendar(
	ctx: Context,
	{ content, url, time_zone }: CalendarImport,
	signal: AbortSignal,
): Promise<IcsContent> {
	const field = url === undefined ? "content" : "url";
	try {
		const text = url === undefined ? (content ?? "") : await fetchCalendar(ctx, url, signal);
		return readCalendar(text, time_zone, ctx.clock.now());
	} catch (error) {
		if (error instanceof IcsProblem || error instanceof WebhookError) throw buildFieldError(field, error.message);
		throw error;
	}
}

export async function importCalendar(
	ctx: Context,
	caller: Caller,
	input: CalendarImport,
	signal: AbortSignal,
): Promise<CalendarImportResult> {
	const target = {
		kind: input.kind,
		connection_ids: input.controller_connection_ids,
		connection_group_ids: input.connection_group_ids,
	};
	if (!canMake(caller, input.kind)) throw buildForbiddenError(NO_FREEZES);
	const read = await readGivenCalendar(ctx, input, signal);
	return ctx.store.transaction(async (tx) => {
		const source = input.url === undefined ? null : await addSource(ctx, tx, caller, input, input.url);
		const counts = await writeImported(ctx, tx, caller, target, read, source?.id ?? null);
		await recordImport(ctx, tx, caller, source, counts);
		const { skipped, past } = read;
		return { ...counts, past, skipped: [...skipped], source: source && presentSource(source) };
	});
}

/** @throws 400 if the user has the maximum of sources */
async function addSource(ctx: Context, tx: Tx, caller: Caller, input: CalendarImport, url: string): Promise<SourceRow> {
	if ((await countOwnSources(tx, caller.userId)) >= SOURCES_MAX) {
		throw buildRefusedError(
			`You have ${SOURCES_MAX} calendars that are read every hour, which is the limit. Delete one.`,
		);
	}
	const id = ctx.ids.uuid();
	const now = getNow(ctx);
	const row: SourceRow = {
		id,
		url_sealed: ctx.secrets.seal(url, buildSourceContext(id)),
		url_host: new URL(url).host,
		kind: input.kind,
		connection_ids: [...input.controller_connection_ids],
		connection_group_ids: [...input.connection_group_ids],
		time_zone: input.time_zone,
		created_by_id: caller.userId,
		next_read_at: new Date(now.getTime() + HOUR_MS),
		read_at: now,
		error: "",
		created_at: now,
	};
	await insertSource(tx, row);
	return row;
}

/**
 * Writes the audit entry of an import.
 * @param source null for a file
 */
export async function recordImport(
	ctx: Context,
	tx: Tx,
	actor: Actor,
	source: Pick<SourceRow, "id" | "url_host"> | null,
	counts: Counts,
): Promise<void> {
	const from = source === null ? "a file" : source.url_host;
	await ctx.events.changed(tx, actor, {
		...buildSourceTarget(source?.id ?? "file"),
		description: `${actor.username} imported a calendar from ${from}`,
		metadata: { ...counts },
	});
}
