/** Automation templates, what they draw on, and checks of rows in the background. */
import type { RunningAutomation } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer } from "../support/automation.ts";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";
import { groupIds } from "../support/rights.ts";

const API = "/api/automation/";
const TEMPLATES = `${API}templates/`;
let t: TestApp;
let lab: RunningAutomation;
let alice: TestUser;
let bob: TestUser;
let viewer: TestUser;
let connection: string;
let serial = 0;

beforeAll(async () => {
	[t, lab] = await Promise.all([startTestApp({ work: true }), startServer()]);
	alice = await t.user("alice", ["Operator"]);
	bob = await t.user("bob", ["Operator"]);
	viewer = await t.user("vera", ["Viewer"]);
	const { body } = await alice.api.post(`${API}connections/`, {
		name: "Lab",
		base_url: lab.url,
		oauth_token: lab.token,
		is_default: true,
		is_public: true,
	});
	connection = body.id;
});
afterAll(async () => {
	await t.close();
	await lab.close();
});

const COLUMNS = [
	{ name: "name", field_type: "text", required: true, unique: true },
	{ name: "vlan", field_type: "vlan" },
	{ name: "secret", field_type: "password" },
];
const buildTemplateInput = (more: Record<string, unknown> = {}) => ({
	name: `Template ${++serial}`,
	automation_connection: connection,
	automation_job_template_id: 9,
	execution_mode: "bulk",
	schema: COLUMNS,
	...more,
});
async function createTemplate(user: TestUser, more: Record<string, unknown> = {}) {
	const { status, body } = await user.api.post(TEMPLATES, buildTemplateInput(more));
	expect(status, JSON.stringify(body)).toBe(201);
	return body;
}
async function createResource(user: TestUser, area: string, body: Record<string, unknown>) {
	const answer = await user.api.post(`${API}${area}/`, body);
	expect(answer.status, answer.text).toBe(201);
	return answer.body;
}

describe("a template", () => {
	it("has every field of the interface", async () => {
		const template = await createTemplate(alice, { description: "d", tags: ["fabric"], requires_approval: true });
		expect(template).toMatchObject({
			kind: "job",
			execution_mode: "bulk",
			automation_connection: connection,
			automation_connection_name: "Lab",
			automation_job_template_id: 9,
			validation_lists: [],
			allowed_groups: [],
			approver_groups: [],
			requires_approval: true,
			allow_check_mode: true,
			is_public: false,
			rollback_template: null,
			request_count: 0,
			created_by: { username: "alice" },
			can_edit: true,
			can_delete: true,
			schema: [
				expect.objectContaining({ name: "name", required: true, send: true }),
				expect.anything(),
				expect.anything(),
			],
		});
		const without = await alice.api.post(TEMPLATES, { ...buildTemplateInput(), automation_connection: undefined });
		expect(without.body.automation_connection).toBe(connection);
	});

	it("is seen by its maker, everybody when public, the groups that may use it, and administrators", async () => {
		const [operators] = await groupIds(t, "Operator");
		const own = await createTemplate(alice);
		const open = await createTemplate(alice, { is_public: true });
		const grouped = await createTemplate(alice, { allowed_groups: [operators] });
		const sees = async (user: TestUser, id: string) => (await user.api.get(`${TEMPLATES}${id}/`)).status;
		expect([await sees(bob, own.id), await sees(bob, open.id), await sees(bob, grouped.id)]).toEqual([404, 200, 200]);
		expect([await sees(viewer, grouped.id), await sees(t.admin, own.id)]).toEqual([404, 200]);
		const listed = (await bob.api.get(`${TEMPLATES}?page_size=200`)).body.results.map(({ id }: { id: string }) => id);
		expect([own.id, open.id, grouped.id].map((id) => listed.includes(id))).toEqual([false, true, true]);
		expect((await bob.api.patch(`${TEMPLATES}${open.id}/`, { name: "Mine" })).status).toBe(403);
		expect((await viewer.api.post(TEMPLATES, buildTemplateInput())).status).toBe(403);
	});

	it("is filtered, searched and ordered", async () => {
		const category = await createResource(alice, "categories", { name: "Fabric" });
		const template = await createTemplate(alice, { category: category.id, tags: ["needle"], kind: "workflow" });
		const ids = async (query: string) =>
			(await alice.api.get(`${TEMPLATES}?${query}`)).body.results.map(({ id }: { id: string }) => id);
		expect(await ids(`category=${category.id}`)).toEqual([template.id]);
		expect(await ids("search=NEEDLE")).toEqual([template.id]);
		expect(await ids("kind=workflow")).toEqual([template.id]);
		expect((await ids("ordering=-created_at&page_size=1"))[0]).toBe(template.id);
		expect((await alice.api.get(`${TEMPLATES}?ordering=secret`)).body.ordering[0]).toMatch(/name/);
		expect((await alice.api.get(`${API}categories/${category.id}/`)).body.template_count).toBe(1);
		await alice.api.del(`${API}categories/${category.id}/`);
		expect((await alice.api.get(`${TEMPLATES}${template.id}/`)).body.category).toBeNull();
	});

	it("may be in a category, which has defaults for all but its name", async () => {
		const { id, ...category } = await createResource(alice, "categories", { name: "Defaults" });
		expect(category).toEqual({
			name: "Defaults",
			description: "",
			color: "#64748b",
			icon: "",
			display_order: 0,
			template_count: 0,
			created_at: expect.any(String),
		});
		await alice.api.del(`${API}categories/${id}/`);
	});

	it("is told where it makes no sense", async () => {
		const wrong = {
			schema: [{ name: "x", field_type: "enum" }],
			allowed_groups: [999_999],
			category: 999_999,
			rollback_template: "01890000-0000-7000-8000-000000000000",
		};
		const { status, body } = await alice.api.post(TEMPLATES, buildTemplateInput(wrong));
		expect([status, Object.keys(body).sort()]).toEqual([
			400,
			["allowed_groups", "rollback_template", "schema.0.choices"],
		]);
		expect((await alice.api.post(TEMPLATES, buildTemplateInput({ category: 999_999 }))).body).toHaveProperty(
			"category",
		);
		expect((await alice.api.post(TEMPLATES, buildTemplateInput({ execution_mode: "per_row" }))).body).toHaveProperty(
			"execution_mode",
		);
		expect((await alice.api.post(TEMPLATES, {})).body).toMatchObject({
			name: ["This field is required."],
			automation_job_template_id: [expect.any(String)],
		});
		const ghost = { automation_connection: "01890000-0000-7000-8000-000000000000" };
		expect((await alice.api.post(TEMPLATES, buildTemplateInput(ghost))).body).toHaveProperty("automation_connection");
	});

	it("is changed and deleted", async () => {
		const template = await createTemplate(alice, { variable_mappings: { tenant: "common" } });
		const path = `${TEMPLATES}${template.id}/`;
		const patched = await alice.api.patch(path, { description: "new", schema: [{ name: "a", field_type: "ip" }] });
		expect(patched.body).toMatchObject({ description: "new", variable_mappings: { tenant: "common" } });
		expect(patched.body.schema).toHaveLength(1);
		const replaced = await alice.api.put(path, buildTemplateInput({ name: "Whole" }));
		expect(replaced.body).toMatchObject({ name: "Whole", description: "", variable_mappings: {} });
		expect((await alice.api.patch(path, { rollback_template: template.id })).body).toHaveProperty("rollback_template");
		expect((await alice.api.del(path)).status).toBe(204);
		expect((await alice.api.get(path)).status).toBe(404);
	});
});

describe("expected changes of a row", () => {
	it("refuses a column that is missing, also one that an edit removes while a change names it", async () => {
		const schema = [{ name: "tenant", field_type: "text" }];
		const refused = await alice.api.post(TEMPLATES, buildTemplateInput({ schema, expects: [{ dn: "uni/tn-{vrf}" }] }));
		expect(refused.status).toBe(400);
		expect(refused.body).toEqual({ "expects.0.dn": ['There is no column "vrf". Columns are tenant.'] });
		const { id } = await createTemplate(alice, { schema, expects: [{ dn: "uni/tn-{tenant}" }] });
		const path = `${TEMPLATES}${id}/`;
		const without = await alice.api.patch(path, { schema: [{ name: "vrf", field_type: "text" }] });
		expect(without.body).toHaveProperty(["expects.0.dn"]);
		const both = { schema: [{ name: "vrf", field_type: "text" }], expects: [{ dn: "uni/tn-a/ctx-{vrf}" }] };
		expect((await alice.api.patch(path, both)).status).toBe(200);
	});
});

describe("reference data", () => {
	it("in use is not deleted; counts say by how many", async () => {
		const list = await createResource(alice, "validation-lists", { name: "Tenants", values: ["a", "b", "a"] });
		expect(list).toMatchObject({ values: ["a", "b"], case_sensitive: true, usage_count: 0, created_by: "alice" });
		const pattern = await createResource(alice, "regex-patterns", { name: "Short", pattern: "[a-z]{1,3}", flags: "i" });
		const base = await createResource(alice, "column-templates", {
			name: "Tenant",
			column: { name: "tenant", field_type: "text", validation_list: list.id },
		});
		const template = await createTemplate(alice, {
			schema: [
				{ name: "tenant", field_type: "text", column_template: base.id },
				{ name: "short", field_type: "text", regex_pattern: pattern.id },
			],
		});
		for (const [area, { id }] of [
			["validation-lists", list],
			["regex-patterns", pattern],
			["column-templates", base],
		] as const) {
			const path = `${API}${area}/${id}/`;
			expect((await alice.api.get(path)).body.usage_count, area).toBe(1);
			expect((await alice.api.del(path)).status, area).toBe(409);
		}
		await alice.api.del(`${TEMPLATES}${template.id}/`);
		expect((await alice.api.del(`${API}validation-lists/${list.id}/`)).status).toBe(409);
		expect((await alice.api.del(`${API}column-templates/${base.id}/`)).status).toBe(204);
		expect((await alice.api.del(`${API}validation-lists/${list.id}/`)).status).toBe(204);
		expect((await alice.api.del(`${API}regex-patterns/${pattern.id}/`)).status).toBe(204);
	});

	it("refuses a pattern whose program is too large, wherever one is given", async () => {
		const pattern = "(?:(?:\\p{L}|\\p{N}|\\p{P}){0,31}){0,31}";
		const texts = Array.from({ length: 100 }, () => "aé1-Ж".repeat(200));
		for (const [area, body, field] of [
			["regex-patterns/test", { pattern, test_strings: texts }, "pattern"],
			["regex-patterns", { name: "Huge", pattern }, "pattern"],
			["column-templates", { name: "H", column: { name: "n", field_type: "text", pattern } }, "column.pattern"],
			["templates", buildTemplateInput({ schema: [{ name: "n", field_type: "text", pattern }] }), "schema.0.pattern"],
		] as const) {
			const { status, body: answer } = await alice.api.post(`${API}${area}/`, body);
			expect({ area, status }).toEqual({ area, status: 400 });
			expect(answer).toHaveProperty([field]);
		}
	});

	it("tries a pattern on texts without keeping others waiting, and gives up on one that takes too long", async () => {
		const slow = {
			pattern: "(?:(?:\\p{L}|\\p{N}|\\p{P}){0,25}){0,27}",
			test_strings: Array.from({ length: 100 }, (_, i) => `${"aé1-Ж".repeat(199)}${i}`),
		};
		const ended: string[] = [];
		const trying = alice.api.post(`${API}regex-patterns/test/`, slow).then((answer) => {
			ended.push("slow");
			return answer;
		});
		const others = Array.from({ length: 5 }, async () => {
			await bob.api.get(`${API}regex-patterns/`);
			ended.push("other");
		});
		const { status, body } = await trying;
		await Promise.all(others);
		expect(ended).toEqual(["other", "other", "other", "other", "other", "slow"]);
		expect(status).toBe(400);
		expect(body).toEqual({ pattern: [expect.stringContaining("takes too long")] });
		const quick = { pattern: "[a-z]+", test_strings: ["abc", "a1"] };
		expect((await alice.api.post(`${API}regex-patterns/test/`, quick)).body.results).toEqual([
			{ text: "abc", matches: true },
			{ text: "a1", matches: false },
		]);
	});

	it("has unique names, owners, and says what is wrong", async () => {
		await createResource(alice, "validation-lists", { name: "Zones", values: ["x"] });
		expect((await bob.api.post(`${API}validation-lists/`, { name: "Zones", values: ["x"] })).body).toHaveProperty(
			"name",
		);
		expect((await alice.api.post(`${API}validation-lists/`, { name: "None", values: [] })).body).toHaveProperty(
			"values",
		);
		expect((await alice.api.post(`${API}regex-patterns/`, { name: "Bad", pattern: "(" })).body).toHaveProperty(
			"pattern",
		);
		const hidden = await createResource(alice, "regex-patterns", { name: "Hidden", pattern: "x", is_public: false });
		expect((await bob.api.get(`${API}regex-patterns/${hidden.id}/`)).status).toBe(404);
		const shared = await createResource(alice, "regex-patterns", { name: "Shared", pattern: "x" });
		expect((await bob.api.patch(`${API}regex-patterns/${shared.id}/`, { pattern: "y" })).status).toBe(403);
		const use = { schema: [{ name: "a", field_type: "text", regex_pattern: hidden.id }] };
		expect((await bob.api.post(TEMPLATES, buildTemplateInput(use))).body).toHaveProperty("schema.0.regex_pattern");
		const nested = { name: "N", column: { name: "n", field_type: "text", column_template: hidden.id } };
		expect((await alice.api.post(`${API}column-templates/`, nested)).body).toHaveProperty("column.column_template");
		expect(
			(await alice.api.put(`${API}regex-patterns/${shared.id}/`, { name: "Renamed", pattern: "z" })).body,
		).toMatchObject({
			name: "Renamed",
			pattern: "z",
			flags: "",
		});
	});

	it("patterns can be tried; they match the whole text", async () => {
		const { body } = await viewer.api.post(`${API}regex-patterns/test/`, { pattern: "a+", test_strings: ["aa", "ab"] });
		expect(body).toEqual({
			valid: true,
			results: [
				{ text: "aa", matches: true },
				{ text: "ab", matches: false },
			],
		});
		expect(
			(await viewer.api.post(`${API}regex-patterns/test/`, { pattern: "(", test_strings: [] })).body,
		).toHaveProperty("pattern");
	});
});

describe("checking rows", () => {
	async function validateRows(user: TestUser, path: string, body: Record<string, unknown>) {
		const started = await user.api.post(`${TEMPLATES}${path}/`, body);
		expect([started.status, started.body.status, started.body.polling_interval]).toEqual([202, "PENDING", 2]);
		return waitUntil("the rows are checked", async () => {
			const { body: status } = await user.api.get(`${TEMPLATES}validation-status/${started.body.task_id}/`);
			return status.completed ? status : null;
		});
	}

	it("tells right rows and exact places of wrong ones, and no password", async () => {
		const template = await createTemplate(alice);
		const right = await validateRows(alice, "validate-input", {
			template: template.id,
			input_data: [{ name: "a", vlan: "7" }],
		});
		expect(right).toMatchObject({ state: "SUCCESS", progress: 100, error: null });
		expect(right.result).toEqual({ valid: true, error_count: 0, row_count: 1, errors: [] });
		const rows = [
			{ name: "a", secret: "{{ hunter2 }}" },
			{ name: "a", vlan: 5000 },
		];
		const wrong = await validateRows(alice, "validate-input", { template: template.id, input_data: rows });
		expect(wrong.result.errors.map(({ row, column }: { row: number; column: string }) => [row, column])).toEqual([
			[0, "secret"],
			[1, "name"],
			[1, "vlan"],
		]);
		expect(JSON.stringify(wrong)).not.toContain("hunter2");
		const { rows: stored } = await t.pool.query("select rows_sealed, rules from automation_validations");
		expect(stored.every(({ rows_sealed }) => rows_sealed === null)).toBe(true);
	});

	it("takes sheets", async () => {
		const sheets = [
			{ name: "VLANs", variable: "vlans", columns: [{ name: "id", field_type: "vlan", required: true }] },
			{ name: "Ports", variable: "ports", columns: [{ name: "port", field_type: "text" }] },
		];
		const template = await createTemplate(alice, { schema: [], sheets });
		const { result } = await validateRows(alice, "validate-sheets", {
			template: template.id,
			sheets: { VLANs: [{ id: 1 }, {}] },
		});
		expect(result.sheets).toEqual({
			VLANs: { valid: false, row_count: 2, error_count: 1 },
			Ports: { valid: true, row_count: 0, error_count: 0 },
		});
		const misnamed = await validateRows(alice, "validate-sheets", { template: template.id, sheets: { Other: [] } });
		expect(misnamed).toMatchObject({
			state: "FAILURE",
			result: null,
			error: expect.stringMatching(/no sheet "Other"/),
		});
	});

	it("is nobody else's business", async () => {
		const template = await createTemplate(alice, { is_public: true });
		const { body } = await alice.api.post(`${TEMPLATES}validate-input/`, { template: template.id, input_data: [] });
		expect((await bob.api.get(`${TEMPLATES}validation-status/${body.task_id}/`)).status).toBe(404);
		const own = await createTemplate(alice);
		expect((await bob.api.post(`${TEMPLATES}validate-input/`, { template: own.id, input_data: [] })).status).toBe(404);
	});

	it("of ten thousand rows goes through the threads", async () => {
		const template = await createTemplate(alice);
		const rows = Array.from({ length: 10_000 }, (_, at) => ({ name: `row ${at}`, vlan: (at % 4094) + 1 }));
		const { result } = await validateRows(alice, "validate-input", { template: template.id, input_data: rows });
		expect(result).toMatchObject({ valid: true, row_count: 10_000 });
	});
});
