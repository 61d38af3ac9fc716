/**
 * The feed of a user as iCalendar (RFC 5545): occurrences of freezes and maintenance, change
 * windows, and runs of schedules, as single events in UTC, which every calendar program reads
 * alike.
 */
import { findWindowSpan } from "@weft/contracts";
import ICAL from "ical.js";
import type { Context } from "../../context.ts";
import { type Identity, isAllowed } from "../../core/caller.ts";
import { findFeedOwner } from "../calendar/manage-feed.ts";
import { generateOccurrences } from "../calendar/rules/occurrences.ts";
import { listEntriesBetween } from "../calendar/sql/entries.ts";
import { describeSchedule } from "../schedules/rules/describe.ts";
import { listRunsUntil } from "../schedules/rules/next-run.ts";
import { listUpcomingTasks } from "../schedules/sql/tasks.ts";
import { presentListed } from "../windows/present.ts";
import { listWindowPage } from "../windows/sql/windows.ts";

interface FeedEvent {
	readonly uid: string;
	readonly start: number;
	readonly end: number;
	readonly title: string;
	readonly text: string;
	/** Whether calendar programs show its time as free. */
	readonly isFree: boolean;
	readonly changedAt: Date;
}

const DAY_MS = 86_400_000;
const PAST_DAYS = 30;
const AHEAD_DAYS = 180;
const RUNS_DAYS = 30;
const ENTRIES_MAX = 2_000;
const TASKS_MAX = 200;
const WINDOWS_MAX = 500;
const EVENTS_MAX = 5_000;
/** Shown duration of a run, whose end is not known. */
const RUN_MS = 15 * 60_000;
const KIND_NAMES = { freeze: "Freeze", maintenance: "Maintenance" } as const;

async function listEntryEvents(ctx: Context, owner: Identity): Promise<FeedEvent[]> {
	if (!isAllowed(owner, "view_calendarentry")) return [];
	const now = ctx.clock.now();
	const [from, to] = [now - PAST_DAYS * DAY_MS, now + AHEAD_DAYS * DAY_MS];
	const range = { from: new Date(from), to: new Date(to) };
	const events: FeedEvent[] = [];
	for (const entry of await listEntriesBetween(ctx.store.db, owner, range, {}, ENTRIES_MAX)) {
		for (const { start, end } of generateOccurrences(entry, from, to)) {
			events.push({
				uid: `${entry.id}-${start}`,
				start,
				end,
				title: `${KIND_NAMES[entry.kind]}: ${entry.title}`,
				text: entry.reason,
				isFree: entry.kind === "maintenance",
				changedAt: entry.updated_at,
			});
			if (events.length === EVENTS_MAX) return events;
		}
	}
	return events;
}

async function listWindowEvents(ctx: Context, owner: Identity): Promise<FeedEvent[]> {
	if (!isAllowed(owner, "view_changewindow")) return [];
	const now = ctx.clock.now();
	const [from, to] = [now - PAST_DAYS * DAY_MS, now + AHEAD_DAYS * DAY_MS];
	const { rows } = await listWindowPage(ctx.store.db, owner, {
		from: new Date(from).toISOString(),
		to: new Date(to).toISOString(),
		page: 1,
		page_size: WINDOWS_MAX,
		ordering: "-created_at",
	});
	return rows.flatMap((row) => {
		const { id, title, ticket, plan_name: plan, ...window } = presentListed(row);
		const span = findWindowSpan(window);
		if (span === null || Date.parse(span.ends_at) <= from) return [];
		return {
			uid: id,
			start: Date.parse(span.starts_at),
			end: Date.parse(span.ends_at),
			title: `Change window: ${title}`,
			text: ticket === null ? plan : `${ticket.number}, ${plan}`,
			isFree: false,
			changedAt: row.updated_at,
		};
	});
}

/** Lists the runs of schedules, except those of every hour or less, which would fill a calendar. */
async function listScheduleEvents(ctx: Context, owner: Identity): Promise<FeedEvent[]> {
	if (!isAllowed(owner, "view_scheduledtask")) return [];
	const now = ctx.clock.now();
	const tasks = await listUpcomingTasks(ctx.store.db, owner, TASKS_MAX);
	return tasks
		.filter(({ frequency }) => frequency !== "minutes" && frequency !== "hourly")
		.flatMap((task) =>
			listRunsUntil(task, now, now + RUNS_DAYS * DAY_MS, RUNS_DAYS + 1).map((start) => ({
				uid: `${task.id}-${start}`,
				start,
				end: start + RUN_MS,
				title: `Schedule: ${task.name}`,
				text: `${task.query_name}. ${describeSchedule(task)}`,
				isFree: true,
				changedAt: task.updated_at,
			})),
		);
}

function buildEvent({ uid, start, end, title, text, isFree, changedAt }: FeedEvent): ICAL.Component {
	const event = new ICAL.Component("vevent");
	const formatTime = (at: number) => ICAL.Time.fromJSDate(new Date(at), true);
	event.addPropertyWithValue("uid", `${uid}@weft`);
	event.addPropertyWithValue("dtstamp", formatTime(changedAt.getTime()));
	event.addPropertyWithValue("dtstart", formatTime(start));
	event.addPropertyWithValue("dtend", formatTime(end));
	event.addPropertyWithValue("summary", title);
	if (text !== "") event.addPropertyWithValue("description", text);
	event.addPropertyWithValue("transp", isFree ? "TRANSPARENT" : "OPAQUE");
	return event;
}

/**
 * Returns the feed as the text of an iCalendar file.
 * @throws 404 if there is no feed with the secret
 */
export async function writeCalendarFeed(ctx: Context, secret: string): Promise<string> {
	const owner = await findFeedOwner(ctx, secret);
	const events = [
		...(await listEntryEvents(ctx, owner)),
		...(await listWindowEvents(ctx, owner)),
		...(await listScheduleEvents(ctx, owner)),
	];
	const calendar = new ICAL.Component("vcalendar");
	calendar.addPropertyWithValue("version", "2.0");
	calendar.addPropertyWithValue("prodid", "-//Weft//Calendar//EN");
	calendar.addPropertyWithValue("x-wr-calname", "Weft");
	calendar.addPropertyWithValue("refresh-interval", ICAL.Duration.fromString("PT1H"));
	for (const event of events) calendar.addSubcomponent(buildEvent(event));
	return `${calendar.toString()}\r\n`;
}
