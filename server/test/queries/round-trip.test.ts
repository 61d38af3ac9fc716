/** Queries that are exported as files and applied by another user stay the same. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildClassNode, createEdge, createNameFilter, output, QUERIES } from "../support/canvases.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

let t: TestApp;
const categories = new Map<string, number>();
beforeAll(async () => {
	t = await startTestApp();
	for (const name of ["Alpha", "Beta", "Ünïcode"]) {
		categories.set(name, (await t.admin.api.post("/api/queries/categories/", { name })).body.id);
	}
});
afterAll(() => t.close());

let users = 0;
const createEditor = () => t.user(`user-${++users}`, ["Editor"]);

const text = fc.string({ maxLength: 30, unit: "grapheme" }).filter((s) => s.isWellFormed() && !s.includes("\0"));
const entries = fc.uniqueArray(
	fc.record({
		name: text.map((value) => value.trim()).filter((value) => value !== ""),
		description: text,
		category: fc.option(fc.constantFrom("Alpha", "Beta", "Ünïcode")),
		tags_list: fc.uniqueArray(fc.constantFrom("a", "B", "ç", "d e")),
		is_template: fc.boolean(),
		enable_time_machine: fc.boolean(),
		flow_data: fc
			.record({ value: text, note: fc.jsonValue({ maxDepth: 2 }), x: fc.integer({ min: -500, max: 500 }) })
			.filter(({ note }) => !JSON.stringify(note).includes("\\u0000") && JSON.stringify(note).isWellFormed())
			.map(({ value, note, x }) => ({
				nodes: [
					{ ...buildClassNode("fvTenant", { note }), position: { x, y: 0 } },
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
type Entry = typeof entries extends fc.Arbitrary<(infer One)[]> ? One : never;

async function saveQuery({ api }: TestUser, entry: Entry): Promise<void> {
	const category = entry.category === null ? null : categories.get(entry.category);
	const { status, text: answer } = await api.post(QUERIES, { ...entry, category });
	expect(status, answer).toBe(201);
}

async function listQueries({ api }: TestUser): Promise<unknown[]> {
	const { body } = await api.get(`${QUERIES}?my_queries=true&ordering=name`);
	const queries = await Promise.all(body.results.map(({ id }: { id: string }) => api.get(`${QUERIES}${id}/`)));
	return queries.map(({ body: query }) => ({
		content: [query.name, query.description, query.category, query.tags_list, query.drift_rules],
		hash: query.current_version_hash,
		rest: [query.is_template, query.enable_time_machine, query.post_processors, query.variables],
	}));
}

it("imports a query of any content as it was exported", { timeout: 60_000 }, async () => {
	await fc.assert(
		fc.asyncProperty(entries, async (queries) => {
			const [one, other] = [await createEditor(), await createEditor()];
			// As JSON: it has no -0.
			for (const entry of JSON.parse(JSON.stringify(queries)) as Entry[]) await saveQuery(one, entry);
			const { files } = (await one.api.get("/api/queries/export-files/")).body;
			const { status, body, text: answer } = await other.api.post("/api/queries/apply/", { files });
			expect(status, answer).toBe(200);
			expect(body.changes.map(({ action }: { action: string }) => action)).toEqual(queries.map(() => "created"));
			expect((await other.api.get("/api/queries/export-files/")).body.files.toSorted()).toEqual(files.toSorted());
			expect(await listQueries(other)).toEqual(await listQueries(one));
		}),
		{ numRuns: 25 },
	);
});

it("checks files of some queries without naming the others as deleted", async () => {
	const ada = await createEditor();
	for (const name of ["One", "Two"]) {
		const flow_data = { nodes: [buildClassNode("fvTenant")], edges: [] };
		expect((await ada.api.post(QUERIES, { name, flow_data })).status).toBe(201);
	}
	const { files } = (await ada.api.get("/api/queries/export-files/")).body;
	expect(files).toHaveLength(2);
	const { status, body } = await ada.api.post("/api/queries/validate-files/", { files: files.slice(0, 1) });
	expect([status, body.changes.map(({ action }: { action: string }) => action)]).toEqual([200, ["unchanged"]]);
	expect(await listQueries(ada)).toHaveLength(2);
});
