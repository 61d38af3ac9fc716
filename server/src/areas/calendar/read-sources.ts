/** Calendars of other systems: list, delete, and read again every hour. */
import { type Context, getNow, getTimeIn } from "../../context.ts";
import type { Caller, Identity } from "../../core/caller.ts";
import { AppError, buildForbiddenError, buildNotFoundError, shortenText } from "../../core/errors.ts";
import type { Actor } from "../../core/events.ts";
import { type PageQuery, paginateRows } from "../../core/http/paging.ts";
import { type Repeating, repeatWork } from "../../core/repeating.ts";
import { WebhookError } from "../../integrations/webhooks/port.ts";
import { findIdentity } from "../accounts/sign-in/create-sessions.ts";
import {
	buildSourceContext,
	buildSourceTarget,
	fetchCalendar,
	recordImport,
	writeImported,
} from "./import-calendar.ts";
import { presentSource } from "./present.ts";
import { IcsProblem, readCalendar } from "./rules/ics-events.ts";
import {
	claimDueSources,
	listSourcePage,
	lockSource,
	removeSource,
	type SourceRow,
	updateSource,
} from "./sql/imports.ts";

const HOUR_MS = 3_600_000;
const TICK_MS = 60_000;
const BATCH = 10;
const ERROR_MAX = 1_000;

export const listSources = async (ctx: Context, caller: Caller, query: PageQuery, url: string) =>
	paginateRows(url, query, await listSourcePage(ctx.store.db, caller, query), presentSource);

/** Deletes a source with its entries. @throws 404 */
export async function deleteSource(ctx: Context, caller: Caller, id: string): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const row = await lockSource(tx, id);
		if (row === undefined || !(caller.isAdmin || row.created_by_id === caller.userId)) throw buildNotFoundError();
		await removeSource(tx, id);
		await ctx.events.changed(tx, caller, {
			...buildSourceTarget(id),
			description: `${caller.username} deleted the calendar of ${row.url_host} with its entries`,
		});
	});
}

const buildActor = ({ userId, username }: Identity): Actor => ({
	userId,
	username,
	ip: "",
	userAgent: "",
	requestId: "",
	audit: { category: "controller_management", action: "calendar_import" },
});

/** Reads a calendar. If it cannot be read, its entries stay as they are. */
async function readSource(ctx: Context, source: SourceRow, signal: AbortSignal): Promise<void> {
	const owner = await findIdentity(ctx, source.created_by_id);
	if (owner === null) throw buildForbiddenError("The owner of the calendar is not active any more.");
	const url = ctx.secrets.open(source.url_sealed, buildSourceContext(source.id));
	const read = readCalendar(await fetchCalendar(ctx, url, signal), source.time_zone, ctx.clock.now());
	await ctx.store.transaction(async (tx) => {
		if ((await lockSource(tx, source.id)) === undefined) return;
		const counts = await writeImported(ctx, tx, owner, source, read, source.id);
		await updateSource(tx.db, source.id, { read_at: getNow(ctx), error: "" });
		if (counts.created + counts.updated + counts.removed > 0) {
			await recordImport(ctx, tx, buildActor(owner), source, counts);
		}
	});
}

const describeProblem = (error: unknown): string | null =>
	error instanceof IcsProblem || error instanceof WebhookError || error instanceof AppError ? error.message : null;

/** Reads the sources that are due. One whose process dies meanwhile is read an hour later. */
async function readDueSources(ctx: Context, signal: AbortSignal): Promise<void> {
	for (const source of await claimDueSources(ctx.store.db, getNow(ctx), getTimeIn(ctx, HOUR_MS), BATCH)) {
		if (signal.aborted) return;
		await readSource(ctx, source, signal).catch(async (error: unknown) => {
			const problem = describeProblem(error);
			if (problem === null) ctx.log.error({ err: error, source: source.id }, "a calendar could not be read");
			const text = problem ?? "The calendar could not be read. The log of the service says why.";
			await updateSource(ctx.store.db, source.id, { error: shortenText(text, ERROR_MAX) });
		});
	}
}

export const startCalendarTimers = (ctx: Context): Repeating =>
	repeatWork(ctx, [
		{
			everyMs: TICK_MS,
			failure: "calendars of other systems were not read",
			work: (signal) => readDueSources(ctx, signal),
		},
	]);
