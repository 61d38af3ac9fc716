/** Occurrences of calendar entries between two times. */
import { CALENDAR_LIMITS, type CalendarOccurrence, type CalendarOccurrencesQuery } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { buildFieldError } from "../../core/errors.ts";
import { getOffset, paginateRows } from "../../core/http/paging.ts";
import { presentOccurrence } from "./present.ts";
import { listOccurrences as listOccurrencesOfEntry } from "./rules/occurrences.ts";
import { listEntriesBetween } from "./sql/entries.ts";

const DAY_MS = 86_400_000;
const USUAL_DAYS = 30;
/** Upper bound of the entries that are read for one list. */
const ENTRIES_MAX = 2_000;
const TOO_MANY = "There are too many occurrences. Choose a shorter time, or a connection.";

function readRange({ from, to }: CalendarOccurrencesQuery, now: number): { from: Date; to: Date } {
	const start = from === undefined ? now : Date.parse(from);
	const end = to === undefined ? start + USUAL_DAYS * DAY_MS : Date.parse(to);
	if (end <= start) throw buildFieldError("to", "Must be after from.");
	if (end - start > CALENDAR_LIMITS.rangeDays * DAY_MS) {
		throw buildFieldError("to", `Must be at most ${CALENDAR_LIMITS.rangeDays} days after from.`);
	}
	return { from: new Date(start), to: new Date(end) };
}

/** Lists occurrences by their start. @throws 400 if there are too many */
export async function listOccurrences(ctx: Context, caller: Caller, query: CalendarOccurrencesQuery, url: string) {
	const range = readRange(query, ctx.clock.now());
	const entries = await listEntriesBetween(ctx.store.db, caller, range, query, ENTRIES_MAX + 1);
	if (entries.length > ENTRIES_MAX) throw buildFieldError("to", TOO_MANY);
	const found: CalendarOccurrence[] = [];
	for (const entry of entries) {
		const left = CALENDAR_LIMITS.occurrences - found.length;
		const occurrences = listOccurrencesOfEntry(entry, range.from.getTime(), range.to.getTime(), left);
		if (occurrences.length > left) throw buildFieldError("to", TOO_MANY);
		found.push(...occurrences.map((occurrence) => presentOccurrence(entry, occurrence)));
	}
	found.sort((a, b) => compareTexts(a.starts_at, b.starts_at) || compareTexts(a.entry_id, b.entry_id));
	const offset = getOffset(query);
	const page = { count: found.length, rows: found.slice(offset, offset + query.page_size) };
	return paginateRows(url, query, page, (occurrence) => occurrence);
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
