/** How often a page asks the service in an empty tab, the frame around it included. */
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Place } from "./places-account.ts";

/** Of a page view in all. The columns of a template refer to three more lists. */
const MOST = 6;
const MOST_OF_TEMPLATE = 8;
/** What the frame asks: a tab does it once for all its pages. */
const FRAME = ["POST /api/auth/token/refresh/", "POST /api/dashboard/opening/"];

/** Calls of the page's own. */
const CALLS: Readonly<Record<string, number>> = {
	overview: 4,
	"builder, empty": 0,
	builder: 4,
	library: 2,
	"history of runs": 1,
	runs: 1,
	"run, table": 2,
	"run, JSON": 2,
	"run, stages": 1,
	"group runs": 1,
	"group run": 1,
	"group run, rows": 2,
	"group run, differences": 2,
	"connection groups": 1,
	"connection group, new": 1,
	changes: 2,
	find: 1,
	object: 2,
	pictures: 1,
	"pictures, tenant": 1,
	gallery: 1,
	question: 3,
	checks: 2,
	check: 4,
	"check, edit": 4,
	"check, new": 3,
	"templates of checks": 1,
	"template of checks, install": 3,
	Snapshots: 1,
	history: 3,
	trends: 3,
	snapshot: 1,
	comparison: 2,
	"compare fabrics": 2,
	"one object": 4,
	"class model": 4,
	"class model, search": 4,
	"class model, package": 4,
	class: 3,
	"class, contains": 4,
	"class, contained by": 4,
	"class, relations": 4,
	"class, graph": 4,
	"class, graph as a list": 4,
	"class, ancestors": 4,
	"class, about": 4,
	"new request": 1,
	"request, edit": 4,
	templates: 1,
	template: 6,
	"automation servers": 1,
	"automation server, new": 1,
	requests: 1,
	request: 4,
	"request, ended": 4,
	execution: 2,
	"execution, rows": 4,
	schedules: 2,
	schedule: 4,
	"schedule, new": 4,
	calendar: 1,
	"calendar, month": 2,
	"calendar entry, new": 2,
	"change windows": 1,
	"change windows, month": 1,
	"change window": 4,
	"change window, new": 2,
	"change plans": 2,
	"change plan, new": 4,
	connections: 0,
	"connection, new": 0,
	"model versions": 2,
	"model import": 3,
	retention: 3,
	"schedule defaults": 1,
	"query categories": 1,
	"query category, new": 1,
	"template categories": 1,
	"value lists": 1,
	"value list, new": 1,
	"regex patterns": 1,
	"regex pattern, new": 1,
	"column templates": 1,
	"column template, new": 3,
	"table templates": 1,
	"table template, new": 1,
	notifications: 1,
	"notification settings": 1,
	deliveries: 1,
	channels: 2,
	"webhook, new": 2,
	profile: 3,
	security: 2,
	"API tokens": 1,
	"API token, new": 2,
	appearance: 0,
	"sign in": 1,
	"forgotten password": 1,
	"new password": 0,
	users: 3,
	"user, new": 3,
	user: 4,
	groups: 1,
	group: 3,
	permissions: 4,
	"service status": 1,
	"first setup": 1,
	"API tokens of users": 1,
	"audit log": 2,
	"sign-ins": 1,
	"audit settings": 1,
	nothing: 0,
};

/** Collects what the page asks the service from here on, and compares it with the known calls. */
export function watchCalls(page: Page) {
	const calls: string[] = [];
	page.on("request", (request) => {
		const { pathname } = new URL(request.url());
		const call = `${request.method()} ${pathname}`;
		// How often a check of rows is looked at depends on how busy the machine is.
		const isLook = pathname.includes("/validation-status/") && calls.includes(call);
		if (pathname.startsWith("/api/") && !isLook) calls.push(call);
	});
	return {
		async expectKnown({ name, signedOut = false }: Pick<Place, "name" | "signedOut">): Promise<void> {
			await page.waitForLoadState("networkidle");
			const own = [...calls];
			for (const call of signedOut ? [] : FRAME) {
				expect(own).toContain(call);
				own.splice(own.indexOf(call), 1);
			}
			expect(own, own.join()).toHaveLength(CALLS[name] ?? -1);
			expect(calls.length).toBeLessThanOrEqual(name === "template" ? MOST_OF_TEMPLATE : MOST);
		},
	};
}
