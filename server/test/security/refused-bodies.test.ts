/** Refused bodies cost little: length first, few errors, short messages. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp } from "../support/harness.ts";

let t: TestApp;
beforeAll(async () => {
	t = await startTestApp();
});
afterAll(() => t.close());

const QUERIES = "/api/queries/saved-queries/";
const flow = { nodes: [], edges: [] };
const repeatEntry = <T>(length: number, entry: T): T[] => Array.from({ length }, () => entry);
const SMALL = 16_384;

describe("a refused body", () => {
	it("names the length of a list, and none of its entries, when the list is too long", async () => {
		for (const field of ["shared_with", "tags_list", "post_processors", "variables"]) {
			const { status, body, text } = await t.admin.api.post(QUERIES, {
				name: "q",
				flow_data: flow,
				[field]: repeatEntry(200_000, false),
			});
			expect([field, status, text.length < SMALL]).toEqual([field, 400, true]);
			expect(body).toEqual({ [field]: [expect.stringMatching(/^Must have at most \d+ /)] });
		}
	});

	it("names the first 20 wrong entries of a list", async () => {
		const { status, body } = await t.admin.api.post(QUERIES, {
			name: "q",
			flow_data: flow,
			shared_with: repeatEntry(1_000, "x"),
		});
		expect(status).toBe(400);
		expect(Object.keys(body)).toEqual(Array.from({ length: 20 }, (_, index) => `shared_with.${index}`));
	});

	it("names at most 100 errors in all", async () => {
		const schema = repeatEntry(200, { name: "", field_type: 1, required: 1, unique: 1, send: 1, min: "x", max: "x" });
		const { status, body, text } = await t.admin.api.post("/api/automation/templates/", { name: "t", schema });
		expect(status).toBe(400);
		expect(Object.values(body).flat().length).toBeLessThanOrEqual(100);
		expect(text.length).toBeLessThan(SMALL);
	});

	it("names few of the wrong nodes and edges of a canvas", async () => {
		for (const node of [1, { id: 1, type: "classNode" }, { id: "a", type: { toString: 1 } }]) {
			const flow_data = { nodes: repeatEntry(2_000, node), edges: repeatEntry(5_000, { id: 1 }) };
			const { status, text } = await t.admin.api.post("/api/queries/saved-queries/generate-query/", { flow_data });
			expect([status, text.length < SMALL]).toEqual([400, true]);
			const saved = await t.admin.api.post(QUERIES, { name: "q", flow_data });
			expect([saved.status, saved.text.length < SMALL]).toEqual([400, true]);
		}
	});

	it("is no canvas of more values than can be looked at", async () => {
		const flow_data = { ...flow, x: repeatEntry(300_000, {}) };
		for (const path of [QUERIES, `${QUERIES}generate-query/`]) {
			const { status, body } = await t.admin.api.post(path, { name: "q", flow_data });
			expect([path, status, body]).toEqual([path, 400, { flow_data: ["Must have at most 200,000 values."] }]);
		}
	});

	it("is not repeated in the messages", async () => {
		const long = "x".repeat(900_000);
		const inputs: [string, unknown][] = [
			[QUERIES, { name: "q", flow_data: flow, [long]: 1, is_public: long, tags_list: [long] }],
			["/api/queries/saved-queries/generate-query/", { flow_data: flow, variable_values: { [long]: 1 } }],
			[
				"/api/queries/saved-queries/generate-query/",
				{ flow_data: { nodes: [{ id: "a", type: long, data: {} }], edges: [] } },
			],
			[
				"/api/queries/saved-queries/generate-query/",
				{ flow_data: { nodes: [], edges: [{ id: "e", source: long, target: long }] } },
			],
			["/api/automation/regex-patterns/test/", { pattern: long, flags: long, test_strings: [long] }],
			["/api/auth/management/", { username: long, password: long, [long]: long }],
		];
		for (const [path, body] of inputs) {
			const { status, text } = await t.admin.api.post(path, body);
			expect([path, status < 500, text.length < SMALL]).toEqual([path, true, true]);
		}
	});

	it("names the field whose value has an unexpected type", async () => {
		const odd: unknown[] = [{ toString: 1 }, { valueOf: 1, toString: null }, ["a"], 7, null, true, { length: 1e9 }];
		const refuse = async (type: unknown, className: unknown, field: string) => {
			const flow_data = { nodes: [{ id: "a", type, data: { className } }], edges: [] };
			const { status, body } = await t.admin.api.post(`${QUERIES}generate-query/`, { flow_data });
			expect([type, className, status, Object.keys(body)]).toEqual([type, className, 400, [field]]);
		};
		for (const value of odd) {
			await refuse(value, "fvBD", "flow_data.nodes.0.type");
			await refuse("classNode", value, "flow_data.nodes.0.data.className");
		}
	});
});

describe("a filter of many patterns", () => {
	const filtered = (groups: number, patterns: number) => {
		const group = { patterns: repeatEntry(patterns, { property: "name", pattern: "x" }), logicalOperator: "xor" };
		const data = {
			filterType: "query-target-filter",
			patternGroups: repeatEntry(groups, group),
			groupCombineOperator: "xor",
		};
		return {
			nodes: [
				{ id: "a", type: "classNode", data: { className: "fvBD" } },
				{ id: "f", type: "filterNode", data },
			],
			edges: [{ id: "e", source: "a", target: "f" }],
		};
	};
	const path = "/api/queries/saved-queries/generate-query/";

	it("combined by xor is written whole", async () => {
		const { status, body } = await t.admin.api.post(path, { flow_data: filtered(20, 500) });
		expect(status).toBe(200);
		const { preview_query } = body.stages[0];
		expect(preview_query.split("wcard(fvBD.name,").length - 1).toBe(10_000);
		expect(preview_query.split("xor(").length - 1).toBe(9_999);
	});

	it("is refused when it has more than can be worked with", async () => {
		const { status, body } = await t.admin.api.post(path, { flow_data: filtered(100, 500) });
		expect([status, body]).toEqual([400, { "flow_data.nodes": [expect.stringContaining("10,000 patterns")] }]);
	});
});
