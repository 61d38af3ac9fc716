/** Exporting queries and importing them again. */
import { DEFAULT_DRIFT_RULES } from "@weft/contracts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chainNodes, classNode, createEdge, createNameFilter, output, QUERIES, UNKNOWN } from "../support/canvases.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { setRights } from "../support/rights.ts";

let t: TestApp;
let ada: TestUser;
beforeAll(async () => {
	t = await startTestApp();
	ada = await t.user("ada", ["Editor"]);
});
afterAll(() => t.close());

const tenants = chainNodes(classNode("fvTenant"), output);
let users = 0;
const createEditor = () => t.user(`user-${++users}`, ["Editor"]);
const saveQuery = async (user: TestUser, more: Record<string, unknown> = {}) => {
	const { status, body, text } = await user.api.post(QUERIES, { name: "Tenants", flow_data: tenants, ...more });
	expect(status, text).toBe(201);
	return body;
};
const exportQueries = async (user: TestUser, ids?: string) => {
	const { status, body, text } = await user.api.get(`${QUERIES}export/${ids === undefined ? "" : `?ids=${ids}`}`);
	expect(status, text).toBe(200);
	return body;
};
const importQueries = (user: TestUser, queries: unknown, more: Record<string, unknown> = {}) =>
	user.api.post(`${QUERIES}import/`, { document: { format: "weft-queries", version: 1, queries }, ...more });
const listStatuses = (body: { results: { status: string }[] }) => body.results.map(({ status }) => status);

describe("a document", () => {
	it("has the caller's own queries, or those asked for, with their categories by name", async () => {
		const { body: category } = await ada.api.post("/api/queries/categories/", { name: "Fabric" });
		const first = await saveQuery(ada, {
			name: "First",
			category: category.id,
			tags_list: ["a", "b"],
			enable_time_machine: true,
			post_processors: [{ type: "array-sort", config: { field: "name" } }],
			variables: [{ id: "x", label: "X", type: "text" }],
		});
		const second = await saveQuery(ada, { name: "Second", is_public: true });
		const { headers } = await ada.api.get(`${QUERIES}export/`);
		expect(headers["content-disposition"]).toBe('attachment; filename="weft-queries.json"');
		expect(await exportQueries(ada)).toEqual({
			format: "weft-queries",
			version: 1,
			queries: [
				{
					name: "First",
					description: "",
					category: "Fabric",
					tags_list: ["a", "b"],
					is_public: false,
					is_template: false,
					enable_time_machine: true,
					flow_data: tenants,
					post_processors: first.post_processors,
					variables: first.variables,
					drift_rules: DEFAULT_DRIFT_RULES,
				},
				expect.objectContaining({ name: "Second", category: null, is_public: true }),
			],
		});
		expect((await exportQueries(ada, ` ${second.id},${second.id},`)).queries).toMatchObject([{ name: "Second" }]);
		const bob = await createEditor();
		expect((await exportQueries(bob)).queries).toEqual([]);
		expect((await exportQueries(bob, second.id)).queries).toMatchObject([{ name: "Second" }]);
		for (const ids of [first.id, UNKNOWN, "nonsense", `${second.id},${first.id}`]) {
			const { status, body } = await bob.api.get(`${QUERIES}export/?ids=${ids}`);
			expect(status).toBe(400);
			expect(Object.keys(body)[0]).toMatch(/^ids/);
		}
		expect((await ada.api.post(`${QUERIES}export/`)).status).toBe(405);
		expect((await ada.api.get(`${QUERIES}import/`)).status).toBe(405);
	});

	it("of many queries has each of them once", async () => {
		const bob = await createEditor();
		const queries = Array.from({ length: 25 }, (_, i) => ({ name: `Query ${i}`, flow_data: tenants }));
		expect(listStatuses((await importQueries(bob, queries)).body)).toEqual(queries.map(() => "created"));
		expect((await exportQueries(bob)).queries.map(({ name }: { name: string }) => name)).toEqual(
			queries.map(({ name }) => name),
		);
	});
});

describe("an import", () => {
	it("makes categories that are not there, and takes those that are whatever the case of their letters", async () => {
		const bob = await createEditor();
		const { body } = await importQueries(bob, [
			{ name: "One", category: "Brand new", flow_data: tenants },
			{ name: "Two", category: "brand NEW", flow_data: tenants },
		]);
		expect(listStatuses(body)).toEqual(["created", "created"]);
		const names = (await exportQueries(bob)).queries.map(({ category }: { category: string }) => category);
		expect(names).toEqual(["Brand new", "Brand new"]);
		const cat = await createEditor();
		await setRights(t, cat, { permissions: ["add_savedquery", "view_savedquery"] });
		const refused = await importQueries(cat, [{ name: "Three", category: "Never made", flow_data: tenants }]);
		expect(refused.body.results).toMatchObject([{ status: "invalid", errors: { category: [expect.any(String)] } }]);
		const found = await t.admin.api.get("/api/queries/categories/?search=Never");
		expect(found.body.count).toBe(0);
	});

	it("skips, renames or replaces on a conflict, and says so", async () => {
		const bob = await createEditor();
		const old = await saveQuery(bob, { name: "Same", description: "old" });
		const changed = { name: "Same", description: "new", flow_data: chainNodes(classNode("fvBD"), output) };

		const skipped = await importQueries(bob, [changed]);
		expect(skipped.body.results).toEqual([{ index: 0, name: "Same", status: "skipped", id: old.id }]);
		expect((await bob.api.get(`${QUERIES}${old.id}/`)).body.description).toBe("old");

		const renamed = await importQueries(bob, [changed, changed], { on_conflict: "rename" });
		expect(renamed.body.results).toMatchObject([
			{ index: 0, name: "Same (Copy)", status: "renamed" },
			{ index: 1, name: "Same (Copy 2)", status: "renamed" },
		]);

		const replaced = await importQueries(bob, [changed], { on_conflict: "replace" });
		expect(replaced.body.results).toEqual([{ index: 0, name: "Same", status: "replaced", id: old.id }]);
		const { body } = await bob.api.get(`${QUERIES}${old.id}/`);
		expect(body).toMatchObject({ description: "new", version_string: "v2.0", flow_data: changed.flow_data });
		const entries = await t.admin.api.get(`/api/audit/logs/?user=${bob.id}&page_size=200`);
		const imports = entries.body.results.filter(({ action }: { action: string }) => action.endsWith("import"));
		expect(imports).toHaveLength(3);
		// Other people's names are no conflict.
		const eve = await createEditor();
		expect(listStatuses((await importQueries(eve, [changed, changed])).body)).toEqual(["created", "skipped"]);
	});

	it("tells what is wrong with each query, and takes the others", async () => {
		const bob = await createEditor();
		const { status, body } = await importQueries(bob, [
			{ name: "Good", flow_data: tenants },
			3,
			{ flow_data: tenants },
			{
				name: "Broken",
				category: "Not for this",
				flow_data: { nodes: [{ id: "a", type: "classNode", data: {} }], edges: [] },
			},
			{ name: "Processors", flow_data: tenants, post_processors: [{ type: "magic" }] },
			{ name: "x".repeat(201), flow_data: tenants },
			{ name: "Also good", flow_data: tenants, surprise: true },
		]);
		expect(status).toBe(200);
		expect(listStatuses(body)).toEqual(["created", "invalid", "invalid", "invalid", "invalid", "invalid", "created"]);
		expect(body.results.map(({ errors }: { errors?: object }) => Object.keys(errors ?? {})[0])).toEqual([
			undefined,
			"non_field_errors",
			"name",
			"flow_data.nodes.0.data.className",
			expect.stringMatching(/^post_processors\.0/),
			"name",
			undefined,
		]);
		expect((await exportQueries(bob)).queries).toHaveLength(2);
		expect((await t.admin.api.get("/api/queries/categories/?search=Not for this")).body.count).toBe(0);
	});

	it("refuses what is no such document", async () => {
		const post = (body: unknown) => ada.api.post(`${QUERIES}import/`, body);
		const document = { format: "weft-queries", version: 1, queries: [] };
		for (const [body, key] of [
			[{}, "document"],
			[{ document: { ...document, format: "other" } }, "document.format"],
			[{ document: { ...document, version: 2 } }, "document.version"],
			[{ document: { ...document, queries: {} } }, "document.queries"],
			[{ document: { ...document, queries: Array(1_001).fill(null) } }, "document.queries"],
			[{ document, on_conflict: "merge" }, "on_conflict"],
		] as const) {
			const answer = await post(body);
			expect([answer.status, Object.keys(answer.body)]).toEqual([400, [key]]);
		}
		expect((await post({ document })).body).toEqual({ results: [] });
	});

	it("of the same document by two at once makes each query once", async () => {
		const bob = await createEditor();
		const queries = Array.from({ length: 8 }, (_, i) => ({
			name: `Q${i}`,
			category: `Raced ${i % 2}`,
			flow_data: tenants,
		}));
		const answers = await Promise.all([
			importQueries(bob, queries),
			importQueries(bob, queries),
			importQueries(bob, queries),
		]);
		for (const { status } of answers) expect(status).toBe(200);
		const all = answers.flatMap(({ body }) => listStatuses(body));
		expect(all.filter((status) => status === "created")).toHaveLength(8);
		expect(all.filter((status) => status === "skipped")).toHaveLength(16);
		expect((await exportQueries(bob)).queries).toHaveLength(8);
	});
});

describe("there and back", () => {
	const text = fc
		.string({ maxLength: 30, unit: "grapheme" })
		.filter((value) => value.isWellFormed() && !value.includes("\0"));
	const name = text.map((value) => value.trim()).filter((value) => value !== "");
	const entries = fc.uniqueArray(
		fc.record({
			name,
			description: text,
			category: fc.option(fc.constantFrom("Alpha", "Beta", "Ünïcode")),
			tags_list: fc.uniqueArray(fc.constantFrom("a", "B", "ç", "d e")),
			is_public: fc.boolean(),
			is_template: fc.boolean(),
			enable_time_machine: fc.boolean(),
			flow_data: fc
				.record({ value: text, note: fc.jsonValue({ maxDepth: 2 }), x: fc.integer({ min: -500, max: 500 }) })
				.filter(({ note }) => !JSON.stringify(note).includes("\\u0000") && JSON.stringify(note).isWellFormed())
				.map(({ value, note, x }) => ({
					nodes: [
						{ ...classNode("fvTenant", { note }), position: { x, y: 0 } },
						createNameFilter(value.replaceAll("$", "") || "x"),
						output,
					],
					edges: [createEdge("fvTenant", "f"), createEdge("f", "out")],
					viewport: { zoom: 1 },
				})),
			post_processors: fc.constantFrom([], [{ type: "array-sort", config: { field: "name", order: "desc" } }]),
			drift_rules: fc.record({
				ignore: fc.subarray(["descr", "*Ts"]),
				ignore_volatile: fc.boolean(),
				ignore_classes: fc.subarray(["fvCtx"]),
				ignore_dns: fc.subarray(["^uni/"]),
				severity: fc.constantFrom({}, { fvBD: "critical" }),
				treat_as_set: fc.subarray(["ctrl"]),
			}),
			variables: fc.constantFrom([], [{ id: "v", label: "V", type: "number", required: false, defaultValue: 3 }]),
		}),
		{ selector: (entry) => entry.name, maxLength: 4 },
	);

	it("nothing changes", { timeout: 60_000 }, async () => {
		await fc.assert(
			fc.asyncProperty(entries, async (queries) => {
				const [one, other] = [await createEditor(), await createEditor()];
				// As JSON: it has no -0.
				const sent = JSON.parse(JSON.stringify(queries));
				const first = await importQueries(one, sent);
				expect(listStatuses(first.body), JSON.stringify(first.body)).toEqual(queries.map(() => "created"));
				const document = await exportQueries(one);
				expect(document.queries).toEqual(sent);
				expect(listStatuses((await importQueries(other, document.queries)).body)).toEqual(queries.map(() => "created"));
				expect(await exportQueries(other)).toEqual(document);
			}),
			{ numRuns: 25 },
		);
	});
});
