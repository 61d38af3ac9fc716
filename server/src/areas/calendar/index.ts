/** The calendar: freezes, which refuse changes of fabrics, and maintenance, which holds alerts. */
import type { Context } from "../../context.ts";
import type { BoundRoute } from "../../core/http/binder.ts";
import type { SealedColumn } from "../../core/ports/secrets.ts";
import type { Repeating } from "../../core/repeating.ts";
import { buildSourceContext } from "./import-calendar.ts";
import { passFreeze } from "./pass-freeze.ts";
import { startCalendarTimers } from "./read-sources.ts";
import { createRoutes } from "./routes.ts";

export interface Calendar {
	readonly routes: BoundRoute[];
	/** Called by the area fabrics, which may not import this one. */
	readonly passFreeze: typeof passFreeze;
	/** Starts the timers of a worker process. */
	work(): Repeating;
}

export const calendarSecrets: readonly SealedColumn[] = [
	{ table: "calendar_sources", key: "id", column: "url_sealed", context: buildSourceContext },
];

export const createCalendar = (ctx: Context, background: Context): Calendar => ({
	routes: createRoutes(ctx),
	passFreeze,
	work: () => startCalendarTimers(background),
});
