/** Every screen of the UI with something on it: what the tests of pages go through, and what is drawn for the documentation. */
import type { Page } from "playwright-core";
import type { Web } from "./browser.ts";
import { QUERY } from "./seed.ts";

export interface Place {
	readonly name: string;
	/** Without: somebody is signed in. */
	readonly signedOut?: boolean;
	/** Without: it looks like one that is drawn. */
	readonly drawn?: boolean;
	path(web: Web): string;
	/** There when the page has what it shows. */
	ready(page: Page): Promise<unknown>;
}

const heading = (name: string | RegExp) => (page: Page) => page.getByRole("heading", { level: 1, name }).waitFor();
const list = (name: string) => (page: Page) => page.getByRole("list", { name }).waitFor();
const text = (what: string | RegExp) => (page: Page) => page.getByText(what).first().waitFor();

export const PLACES: readonly Place[] = [
	{ name: "overview", path: () => "/", ready: (page) => page.getByRole("region", { name: "Runs" }).waitFor() },
	{ name: "builder, empty", drawn: false, path: () => "/builder", ready: heading("New query") },
	{ name: "builder", path: ({ queryId }) => `/builder/${queryId}`, ready: text("class query") },
	{ name: "library", path: () => "/library", ready: text(QUERY) },
	{ name: "history of runs", drawn: false, path: () => "/library?view=history", ready: text("Succeeded") },
	{ name: "runs", path: () => "/runs", ready: text(QUERY) },
	{
		name: "run, table",
		path: ({ runId }) => `/runs/${runId}`,
		ready: (page) => page.getByRole("gridcell").first().waitFor(),
	},
	{ name: "run, JSON", drawn: false, path: ({ runId }) => `/runs/${runId}?tab=json`, ready: text("attributes") },
	{ name: "run, stages", path: ({ runId }) => `/runs/${runId}?tab=stages`, ready: text("GET /api/class/fvBD.json") },
	{ name: "Time Machine", path: () => "/time-machine", ready: text(QUERY) },
	{
		name: "history",
		path: ({ queryId }) => `/time-machine/${queryId}`,
		ready: (page) => page.getByRole("region", { name: "Snapshots" }).waitFor(),
	},
	{
		name: "snapshot",
		path: ({ snapshotIds: [first] }) => `/time-machine/snapshots/${first}`,
		ready: (page) => page.getByRole("gridcell").first().waitFor(),
	},
	{
		name: "comparison",
		path: ({ queryId, snapshotIds: [from, , to] }) => `/time-machine/compare?from=${from}&to=${to}&query=${queryId}`,
		ready: text("Modified"),
	},
	{
		name: "one object",
		path: ({ queryId }) => `/time-machine/track?query=${queryId}&dn=uni/tn-Finance-01/BD-bd-003`,
		ready: (page) =>
			Promise.all([
				text("Attributes over time")(page),
				page.getByRole("region", { name: "Last changes, by attribute" }).waitFor(),
			]),
	},
	{ name: "class model", path: () => "/model", ready: (page) => page.getByRole("treeitem").first().waitFor() },
	{ name: "class model, search", path: () => "/model?q=tenant", ready: list("Found") },
	{ name: "class model, package", drawn: false, path: () => "/model?package=fv", ready: list("Classes of fv") },
	{ name: "class", path: () => "/model/fvBD", ready: text("naming") },
	{ name: "class, contains", drawn: false, path: () => "/model/fvBD?tab=contains", ready: text("fvSubnet") },
	{ name: "class, contained by", drawn: false, path: () => "/model/fvBD?tab=containers", ready: text("fvTenant") },
	{ name: "class, relations", path: () => "/model/fvBD?tab=relations", ready: text("fvRsCtx") },
	{
		name: "class, graph",
		path: () => "/model/fvBD?tab=graph",
		ready: (page) => page.getByRole("region", { name: "Graph of fvBD" }).waitFor(),
	},
	{
		name: "class, graph as a list",
		drawn: false,
		path: () => "/model/fvBD?tab=graph&as=list",
		ready: (page) => page.getByRole("region", { name: "fvBD: Contained by" }).waitFor(),
	},
	{ name: "class, ancestors", drawn: false, path: () => "/model/fvBD?tab=ancestors", ready: list("The way to fvBD") },
	{ name: "class, about", drawn: false, path: () => "/model/fvBD?tab=about", ready: text("Best asked for") },
	{ name: "schedules", path: () => "/schedules", ready: text("Nightly bridge domains") },
	{ name: "schedule", path: ({ scheduleId }) => `/schedules/${scheduleId}`, ready: text("It has not run yet") },
	{ name: "schedule, new", drawn: false, path: () => "/schedules?new=1", ready: text("Daily at 06:00") },
	{ name: "connections", path: () => "/settings/connections", ready: text("Reachable") },
	{
		name: "connection, new",
		path: () => "/settings/connections?edit=new",
		ready: (page) => page.getByRole("dialog").waitFor(),
	},
	{ name: "model versions", path: () => "/settings/model", ready: text("Active") },
	{
		name: "model import",
		path: ({ importId }) => `/settings/model?run=${importId}`,
		ready: text("From older versions"),
	},
	{ name: "notifications", path: () => "/notifications", ready: text("Maintenance on Sunday") },
	{ name: "notification settings", path: () => "/me/notifications", ready: text("No mail and no webhook") },
	{ name: "profile", path: () => "/me/profile", ready: text("Saved queries") },
	{ name: "security", path: () => "/me/security", ready: text("This one") },
	{ name: "appearance", path: () => "/me/appearance", ready: heading("Appearance and keys") },
	{ name: "sign in", path: () => "/login", ready: heading("Sign in"), signedOut: true },
	{
		name: "forgotten password",
		drawn: false,
		path: () => "/reset",
		ready: text("This installation sends no mail."),
		signedOut: true,
	},
	{
		name: "new password",
		drawn: false,
		path: () => "/reset-password",
		ready: heading("New password"),
		signedOut: true,
	},
	{ name: "nothing", drawn: false, path: () => "/nowhere", ready: text("This address leads nowhere") },
];
