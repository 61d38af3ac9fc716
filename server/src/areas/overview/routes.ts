/** The start page, the status of the service, its first setup, and the feed of the calendar. */
import { calendarFeedRoutes, dashboardRoutes, serviceRoutes } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type BoundRoute, bindAll, buildReply, noContent } from "../../core/http/binder.ts";
import { createFeed, endFeed, endFeedOfSecret } from "../calendar/manage-feed.ts";
import { changeSetup, readSetup } from "./manage-setup.ts";
import { readOpening, readPlatformInfo, readStats } from "./read-overview.ts";
import { readProblems } from "./read-problems.ts";
import { readStatus, sendTestMail } from "./read-status.ts";
import type { NodeStart } from "./report-node.ts";
import { writeCalendarFeed } from "./write-calendar-feed.ts";

const CALENDAR = { "content-type": "text/calendar; charset=utf-8", "cache-control": "no-store" };

export function createRoutes(ctx: Context, node: NodeStart): BoundRoute[] {
	const ofDashboard = bindAll(dashboardRoutes, {
		stats: async ({ caller }) => buildReply(200, await readStats(ctx, caller)),
		opening: async ({ caller, url }) => buildReply(200, await readOpening(ctx, caller, url)),
		problems: async ({ caller, url, signal }) => buildReply(200, await readProblems(ctx, caller, url, signal)),
		platformInfo: async () => buildReply(200, await readPlatformInfo(ctx, node.startedAt.getTime())),
	});
	const ofService = bindAll(serviceRoutes, {
		status: async () => buildReply(200, await readStatus(ctx, node.id)),
		setup: async () => buildReply(200, await readSetup(ctx)),
		changeSetup: async ({ caller, body }) => buildReply(200, await changeSetup(ctx, caller, body)),
		testMail: async ({ caller }) => buildReply(200, await sendTestMail(ctx, caller)),
	});
	const ofFeed = bindAll(calendarFeedRoutes, {
		create: async ({ caller, url }) => buildReply(201, await createFeed(ctx, caller, url)),
		end: async ({ caller }) => {
			await endFeed(ctx, caller);
			return noContent;
		},
		read: async ({ params }) =>
			buildReply(200, await writeCalendarFeed(ctx, params.secret), { headers: CALENDAR, sendAsIs: true }),
		endOne: async ({ caller, params }) => {
			await endFeedOfSecret(ctx, caller, params.secret);
			return noContent;
		},
	});
	return [...ofDashboard, ...ofService, ...ofFeed];
}
