/** Checks as files: export, validation, apply and prune. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { addConnection, UNKNOWN } from "../support/canvases.ts";
import { CHECKS } from "../support/checks.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { exportFiles } from "../support/query-files.ts";
import { setRights } from "../support/rights.ts";

const APPLY = "/api/queries/apply/";
let t: TestApp;
let ada: TestUser;
beforeAll(async () => {
	t = await startTestApp();
	ada = await t.user("ada", ["Editor"]);
	await addConnection(ada.api, { url: "http://127.0.0.1:9", username: "u", password: "p" }, { name: "fab-dc1" });
});
afterAll(() => t.close());

const query = {
	path: "queries/tenants.yaml",
	content: `kind: query
flow_data:
  edges: []
  nodes:
    - data:
        className: fvTenant
      id: a
      type: classNode
name: Tenants
`,
};
const createCheckFile = (more: string) => ({
	path: "checks/few.yaml",
	content: `kind: check
name: Few tenants
saved_query: Tenants
${more}`,
});
const COUNT = `config:
  operator: le
  value: 64
type: row_count
`;
const applyFiles = async (files: object[], more: object = {}) => (await ada.api.post(APPLY, { files, ...more })).body;
const summarizeChanges = ({ changes }: { changes: Record<string, string>[] }) =>
	changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`);
const listChecks = async () => (await ada.api.get(CHECKS)).body.results;

it("a check is made with its query, changed, exported, and deleted by prune", async () => {
	const files = [query, createCheckFile(`${COUNT}controller_connections:\n  - fab-dc1\n`)];
	expect(summarizeChanges(await applyFiles(files, { dry_run: true }))).toEqual([
		"created query Tenants",
		"created check Few tenants",
	]);
	expect(await listChecks()).toEqual([]);
	await applyFiles(files);
	const [made] = await listChecks();
	expect(made).toMatchObject({
		name: "Few tenants",
		query_name: "Tenants",
		type: "row_count",
		config: { operator: "le", value: 64, group_by: [] },
		states: [{ controller_connection_name: "fab-dc1", state: "unknown" }],
	});
	expect(summarizeChanges(await applyFiles(files))).toEqual(["unchanged query Tenants", "unchanged check Few tenants"]);
	const changed = [query, createCheckFile(`${COUNT}severity: critical\n`)];
	expect(summarizeChanges(await applyFiles(changed))).toEqual(["unchanged query Tenants", "updated check Few tenants"]);
	expect(await listChecks()).toMatchObject([{ id: made.id, severity: "critical", controller_connection_ids: [] }]);

	const exported = await exportFiles(ada);
	const file = exported.find(({ path }) => path === "checks/few-tenants.yaml");
	expect(file?.content.split("\n").slice(0, 2)).toEqual(["kind: check", "config:"]);
	expect(summarizeChanges(await applyFiles(exported))).toEqual([
		"unchanged query Tenants",
		"unchanged check Few tenants",
	]);

	expect(summarizeChanges(await applyFiles([query], { prune: true }))).toEqual([
		"unchanged query Tenants",
		"deleted check Few tenants",
	]);
	expect(await listChecks()).toEqual([]);
});

it("exports a trend check as a file, and applies it with another threshold", async () => {
	const createTrendFile = (threshold: number) =>
		createCheckFile(
			`config:\n  operator: le\n  threshold: ${threshold}\n  value: count\n  within_days: 30\ntype: trend\n`,
		);
	const recorded = {
		...query,
		content: query.content.replace("kind: query\n", "kind: query\nenable_time_machine: true\n"),
	};
	await applyFiles([recorded, createTrendFile(64)]);
	const exported = await exportFiles(ada);
	const file = exported.find(({ path }) => path === "checks/few-tenants.yaml");
	expect(file?.content).toContain("config:\n  operator: le\n  threshold: 64\n  value: count\n  within_days: 30\n");
	expect(summarizeChanges(await applyFiles(exported))).toEqual([
		"unchanged query Tenants",
		"unchanged check Few tenants",
	]);
	expect(summarizeChanges(await applyFiles([recorded, createTrendFile(32)]))).toContain("updated check Few tenants");
	expect(await listChecks()).toMatchObject([
		{ type: "trend", config: { value: "count", operator: "le", threshold: 32, within_days: 30 } },
	]);
	const { errors } = await applyFiles([
		recorded,
		createCheckFile("config:\n  operator: eq\n  threshold: 1\n  value: count\n  within_days: 30\ntype: trend\n"),
	]);
	expect(errors).toMatchObject([{ message: expect.stringContaining("Must be gt, lt, ge or le") }]);
	await applyFiles([query], { prune: true });
});

it("everything that is wrong with a file is listed with its line", async () => {
	const refusals = async (content: string) => {
		const { errors } = await applyFiles([query, createCheckFile(content)]);
		return errors.map(({ line, message }: Record<string, string>) => `${line}: ${message}`);
	};
	expect(await refusals("type: rows\n")).toEqual([expect.stringMatching(/^4: type: /)]);
	expect(await refusals(`${COUNT}colour: red\n`)).toEqual(['8: There is no key "colour".']);
	expect(await refusals("type: row_count\n")).toEqual([
		expect.stringMatching(/config.operator/),
		expect.stringMatching(/config.value/),
	]);
	expect(await refusals(`${COUNT}controller_connections:\n  - fab-dc9\n`)).toEqual([
		'9: controller_connections: There is no connection "fab-dc9" that you can see.',
	]);
});

it("a baseline has no id unless it is a pinned snapshot, which another server does not have", async () => {
	const kept = { ...query, content: `${query.content}enable_time_machine: true\n` };
	const baseline = (text: string) => createCheckFile(`type: unchanged\nconfig:\n  baseline:\n${text}`);
	for (const text of ["    kind: label\n    label: golden\n", "    hours: 24\n    kind: hours\n"]) {
		await applyFiles([kept, baseline(text)]);
		const exported = await exportFiles(ada);
		expect(exported.find(({ path }) => path === "checks/few-tenants.yaml")?.content).toContain(text);
		expect(summarizeChanges(await applyFiles(exported))).toEqual([
			"unchanged query Tenants",
			"unchanged check Few tenants",
		]);
	}
	const { errors } = await applyFiles([kept, baseline(`    kind: snapshot\n    snapshot_id: ${UNKNOWN}\n`)]);
	expect(errors).toEqual([
		expect.objectContaining({
			message: expect.stringMatching(/^config.baseline.snapshot_id: .* compare with a label/),
		}),
	]);
	await applyFiles([query], { prune: true });
});

it("a check needs the rights to checks", async () => {
	const bob = await t.user("bob");
	await setRights(t, bob, { permissions: ["view_savedquery", "add_savedquery"] });
	const { status, body } = await bob.api.post(APPLY, { files: [query, createCheckFile("type: no_rows\n")] });
	expect([status, body.detail]).toEqual([403, expect.stringContaining("add_check")]);
});
