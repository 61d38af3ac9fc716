/** Every screen of the UI with content, for page tests and documentation pictures. */
import type { Page } from "playwright-core";
import type { Web } from "./browser.ts";
import { QUERY } from "./seed.ts";
import { FAILING_CHECK } from "./seed-checks.ts";

export interface Place {
	readonly name: string;
	/** Without it a user is signed in. */
	readonly signedOut?: boolean;
	/** Without: it looks like one that is drawn. */
	readonly drawn?: boolean;
	path(web: Web): string;
	/** There when the page has what it shows. */
	ready(page: Page): Promise<unknown>;
}

const waitForHeading = (name: string | RegExp) => (page: Page) =>
	page.getByRole("heading", { level: 1, name }).waitFor();
const waitForList = (name: string) => (page: Page) => page.getByRole("list", { name }).waitFor();
const waitForText = (what: string | RegExp) => (page: Page) => page.getByText(what).first().waitFor();

export const PLACES: readonly Place[] = [
	{
		name: "overview",
		path: () => "/",
		ready: (page) => page.getByRole("region", { name: "Since yesterday" }).waitFor(),
	},
	{ name: "builder, empty", drawn: false, path: () => "/builder", ready: waitForHeading("New query") },
	{ name: "builder", path: ({ queryId }) => `/builder/${queryId}`, ready: waitForText("class query") },
	{ name: "library", path: () => "/library", ready: waitForText(QUERY) },
	{ name: "history of runs", drawn: false, path: () => "/library?view=history", ready: waitForText("Succeeded") },
	{ name: "runs", path: () => "/runs", ready: waitForText(QUERY) },
	{
		name: "run, table",
		path: ({ runId }) => `/runs/${runId}`,
		ready: (page) => page.getByRole("gridcell").first().waitFor(),
	},
	{ name: "run, JSON", drawn: false, path: ({ runId }) => `/runs/${runId}?tab=json`, ready: waitForText("attributes") },
	{
		name: "run, stages",
		path: ({ runId }) => `/runs/${runId}?tab=stages`,
		ready: waitForText("GET /api/class/fvBD.json"),
	},
	{ name: "changes", drawn: false, path: () => "/changes?hours=2160", ready: waitForHeading("Changes") },
	{ name: "group runs", drawn: false, path: () => "/runs/groups", ready: waitForHeading("Group runs") },
	{
		name: "group run",
		path: ({ groupRunId }) => `/runs/groups/${groupRunId}`,
		ready: (page) => page.getByRole("region", { name: "Runs of the group" }).waitFor(),
	},
	{
		name: "group run, rows",
		drawn: false,
		path: ({ groupRunId }) => `/runs/groups/${groupRunId}?tab=rows`,
		ready: (page) => page.getByRole("gridcell").first().waitFor(),
	},
	{
		name: "group run, differences",
		path: ({ groupRunId }) => `/runs/groups/${groupRunId}?tab=pivot&key=severity`,
		ready: waitForText("Fewer than two fabrics have rows."),
	},
	{ name: "gallery", drawn: false, path: () => "/gallery", ready: waitForText("Which EPGs have no contract?") },
	{
		name: "question",
		drawn: false,
		path: () => "/gallery?key=epgs-without-contract",
		ready: waitForText(/^about \d+ requests/),
	},
	{
		name: "connection groups",
		drawn: false,
		path: () => "/settings/connection-groups",
		ready: waitForText("A group names connections"),
	},
	{
		name: "connection group, new",
		drawn: false,
		path: () => "/settings/connection-groups?edit=new",
		ready: (page) => page.getByRole("dialog").getByLabel("fab-dc1", { exact: true }).waitFor(),
	},
	{
		name: "checks",
		path: () => "/checks",
		ready: (page) => Promise.all([waitForText(FAILING_CHECK)(page), waitForText("There are bridge domains")(page)]),
	},
	{
		name: "check",
		path: ({ checkId, connectionId }) => `/checks/${checkId}?connection=${connectionId}`,
		ready: (page) =>
			Promise.all([
				page.getByRole("gridcell").first().waitFor(),
				page.getByRole("region", { name: "Changes of the state" }).waitFor(),
			]),
	},
	{
		name: "check, edit",
		path: ({ checkId }) => `/checks/${checkId}/edit`,
		ready: (page) => page.getByRole("group", { name: "Condition 2" }).waitFor(),
	},
	{ name: "check, new", drawn: false, path: () => "/checks/new", ready: waitForHeading("New check") },
	{ name: "templates of checks", path: () => "/checks/templates", ready: waitForList("Templates") },
	{
		name: "template of checks, install",
		drawn: false,
		path: () => "/checks/templates?install=critical-faults",
		ready: (page) => page.getByRole("dialog").getByText("None chosen").waitFor(),
	},
	{ name: "Time Machine", path: () => "/time-machine", ready: waitForText(QUERY) },
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
		ready: waitForText("Modified"),
	},
	{
		name: "compare fabrics",
		drawn: false,
		path: ({ queryId }) => `/time-machine/fabrics?query=${queryId}`,
		ready: waitForText("The query has snapshots of fab-dc1 only."),
	},
	{
		name: "one object",
		path: ({ queryId }) => `/time-machine/track?query=${queryId}&dn=uni/tn-Finance-01/BD-bd-003`,
		ready: (page) =>
			Promise.all([
				waitForText("Attributes over time")(page),
				page.getByRole("region", { name: "Last changes, by attribute" }).waitFor(),
			]),
	},
	{ name: "find", drawn: false, path: () => "/find?q=bd-003", ready: waitForText("bd-003") },
	{
		name: "object",
		drawn: false,
		path: ({ connectionId }) => `/objects?connection=${connectionId}&dn=uni/tn-Finance-01/BD-bd-003`,
		ready: (page) => page.getByRole("list", { name: "Changes of the object" }).waitFor(),
	},
	{ name: "class model", path: () => "/model", ready: (page) => page.getByRole("treeitem").first().waitFor() },
	{ name: "class model, search", path: () => "/model?q=tenant", ready: waitForList("Found") },
	{ name: "class model, package", drawn: false, path: () => "/model?package=fv", ready: waitForList("Classes of fv") },
	{ name: "class", path: () => "/model/fvBD", ready: waitForText("naming") },
	{ name: "class, contains", drawn: false, path: () => "/model/fvBD?tab=contains", ready: waitForText("fvSubnet") },
	{
		name: "class, contained by",
		drawn: false,
		path: () => "/model/fvBD?tab=containers",
		ready: waitForText("fvTenant"),
	},
	{ name: "class, relations", path: () => "/model/fvBD?tab=relations", ready: waitForText("fvRsCtx") },
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
	{
		name: "class, ancestors",
		drawn: false,
		path: () => "/model/fvBD?tab=ancestors",
		ready: waitForList("Path to fvBD"),
	},
	{ name: "class, about", drawn: false, path: () => "/model/fvBD?tab=about", ready: waitForText("Best queried") },
	{ name: "requests", path: () => "/automation/requests", ready: waitForText("Tenants for the new shop") },
	{
		name: "request",
		path: ({ automationSeed }) => `/automation/requests/${automationSeed.requestId}`,
		ready: waitForText("shop-prod"),
	},
	{
		name: "new request",
		path: ({ automationSeed }) => `/automation/requests/new?template=${automationSeed.templateId}`,
		ready: (page) => page.getByRole("grid").waitFor(),
	},
	{
		name: "request, edit",
		path: ({ automationSeed }) => `/automation/requests/${automationSeed.requestId}/edit`,
		ready: waitForText("2 rows, no problems"),
	},
	{ name: "templates", path: () => "/automation/templates", ready: waitForText("Create tenants") },
	{
		name: "template",
		path: ({ automationSeed }) => `/automation/templates/${automationSeed.templateId}`,
		ready: (page) => page.getByLabel("Try a value").first().waitFor(),
	},
	{ name: "automation servers", path: () => "/settings/automation", ready: waitForText("awx-lab") },
	{
		name: "automation server, new",
		drawn: false,
		path: () => "/settings/automation?edit=new",
		ready: (page) => page.getByRole("dialog").waitFor(),
	},
	{
		name: "request, ended",
		drawn: false,
		path: ({ automationSeed }) => `/automation/requests/${automationSeed.endedRequestId}`,
		ready: (page) =>
			Promise.all([waitForText("old-prod")(page), page.getByRole("columnheader", { name: "Result" }).waitFor()]),
	},
	{
		name: "execution",
		path: ({ automationSeed }) => `/automation/executions/${automationSeed.executionId}`,
		ready: waitForText(/PLAY RECAP/),
	},
	{
		name: "execution, rows",
		path: ({ automationSeed }) => `/automation/executions/${automationSeed.executionId}?tab=rows`,
		ready: (page) =>
			Promise.all([waitForText("old-prod")(page), page.getByRole("columnheader", { name: "Result" }).waitFor()]),
	},
	{ name: "schedules", path: () => "/schedules", ready: waitForText("Nightly bridge domains") },
	{ name: "schedule", path: ({ scheduleId }) => `/schedules/${scheduleId}`, ready: waitForText("Not run yet") },
	{ name: "schedule, new", drawn: false, path: () => "/schedules?new=1", ready: waitForText("Daily at 06:00") },
	{ name: "connections", path: () => "/settings/connections", ready: waitForText("Reachable") },
	{
		name: "connection, new",
		path: () => "/settings/connections?edit=new",
		ready: (page) => page.getByRole("dialog").waitFor(),
	},
	{ name: "model versions", path: () => "/settings/model", ready: waitForText("Active") },
	{
		name: "model import",
		path: ({ importId }) => `/settings/model?run=${importId}`,
		ready: waitForText("From older versions"),
	},
	{
		name: "retention",
		path: () => "/settings/retention",
		ready: waitForText(/No snapshot has expired|Captured/),
	},
	{ name: "schedule defaults", path: () => "/settings/tasks", ready: waitForText("Mail about schedules") },
	{
		name: "query categories",
		path: () => "/settings/categories/queries",
		ready: waitForText("What should not be there"),
	},
	{
		name: "query category, new",
		drawn: false,
		path: () => "/settings/categories/queries?edit=new",
		ready: (page) => page.getByRole("dialog").getByLabel("Colour").waitFor(),
	},
	{
		name: "template categories",
		drawn: false,
		path: () => "/settings/categories/templates",
		ready: waitForText("Onboarding"),
	},
	{ name: "value lists", path: () => "/settings/reference/lists", ready: waitForText("ams, cdg, fra, lhr") },
	{
		name: "value list, new",
		drawn: false,
		path: () => "/settings/reference/lists?edit=new",
		ready: (page) => page.getByRole("dialog").getByLabel("Values").waitFor(),
	},
	{ name: "regex patterns", path: () => "/settings/reference/patterns", ready: waitForText("Name of a tenant") },
	{
		name: "regex pattern, new",
		drawn: false,
		path: () => "/settings/reference/patterns?edit=new",
		ready: (page) => page.getByRole("dialog").getByLabel("Texts to try").waitFor(),
	},
	{
		name: "column templates",
		drawn: false,
		path: () => "/settings/reference/columns",
		ready: waitForText("VLAN of a bridge domain"),
	},
	{
		name: "column template, new",
		drawn: false,
		path: () => "/settings/reference/columns?edit=new",
		ready: (page) => page.getByRole("dialog").getByLabel("Regex pattern").waitFor(),
	},
	{ name: "table templates", path: () => "/settings/table-templates", ready: waitForText("Bridge domains, short") },
	{
		name: "table template, new",
		drawn: false,
		path: () => "/settings/table-templates?edit=new",
		ready: (page) => page.getByRole("dialog").getByLabel("Class", { exact: true }).waitFor(),
	},
	{ name: "webhooks", path: () => "/settings/webhooks", ready: waitForText("On-call chat") },
	{
		name: "webhook, new",
		drawn: false,
		path: () => "/settings/webhooks?edit=new",
		ready: (page) => page.getByRole("dialog").getByLabel("Address", { exact: true }).waitFor(),
	},
	{ name: "users", path: () => "/users", ready: waitForText("Last sign-in") },
	{
		name: "user, new",
		drawn: false,
		path: () => "/users?edit=new",
		ready: (page) => page.getByRole("dialog").getByLabel("Admin").waitFor(),
	},
	{
		name: "user",
		path: ({ userId }) => `/users/${userId}`,
		ready: (page) => Promise.all([waitForText("superuser")(page), waitForText("Signed in")(page)]),
	},
	{ name: "groups", path: () => "/groups", ready: waitForText("Operator") },
	{
		name: "group",
		path: ({ groupId }) => `/groups/${groupId}`,
		ready: (page) => page.getByRole("region", { name: "Permissions of the group" }).waitFor(),
	},
	{
		name: "permissions",
		path: () => "/permissions",
		ready: (page) =>
			Promise.all([
				page.getByRole("region", { name: "Permissions by group" }).waitFor(),
				page.getByRole("region", { name: "Role templates" }).first().waitFor(),
			]),
	},
	{ name: "API tokens of users", path: () => "/tokens", ready: waitForText("nightly-drift") },
	{
		name: "audit log",
		path: () => "/audit",
		ready: (page) =>
			Promise.all([waitForList("Categories")(page), page.getByRole("region", { name: "Audit log" }).waitFor()]),
	},
	{
		name: "sign-ins",
		path: () => "/audit/sign-ins",
		ready: (page) => page.getByRole("region", { name: "Attempts to sign in" }).waitFor(),
	},
	{ name: "audit settings", path: () => "/audit/settings", ready: waitForText("Documents of entries") },
	{ name: "notifications", path: () => "/notifications", ready: waitForText("Maintenance on Sunday") },
	{ name: "notification settings", path: () => "/me/notifications", ready: waitForText("No mail and no webhook") },
	{ name: "profile", path: () => "/me/profile", ready: waitForText("Saved queries") },
	{ name: "security", path: () => "/me/security", ready: waitForText("This one") },
	{ name: "API tokens", path: () => "/me/tokens", ready: waitForText("nightly-drift") },
	{
		name: "API token, new",
		drawn: false,
		path: () => "/me/tokens?edit=new",
		ready: (page) => page.getByRole("dialog").getByText("Never", { exact: true }).waitFor({ state: "attached" }),
	},
	{ name: "appearance", path: () => "/me/appearance", ready: waitForHeading("Appearance and keys") },
	{ name: "sign in", path: () => "/login", ready: waitForHeading("Sign in"), signedOut: true },
	{
		name: "forgotten password",
		drawn: false,
		path: () => "/reset",
		ready: waitForText("Mail is not configured."),
		signedOut: true,
	},
	{
		name: "new password",
		drawn: false,
		path: () => "/reset-password",
		ready: waitForHeading("New password"),
		signedOut: true,
	},
	{ name: "nothing", drawn: false, path: () => "/nowhere", ready: waitForText("There is no page at this address") },
];
