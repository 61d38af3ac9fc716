/** Wrong, malformed and hostile input to saved queries, through the API. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import {
	buildClassNode,
	createQuery,
	createQueryEdge,
	EMPTY,
	getNames,
	getQueryUrl,
	PATH,
} from "../support/saved-queries.ts";

let t: TestApp;
let ada: TestUser;
beforeAll(async () => {
	t = await startTestApp({ poolSize: 12 });
	[ada] = await Promise.all([t.user("ada")]);
});
afterAll(() => t.close());

describe("hostile input", () => {
	const cyclic = {
		nodes: [buildClassNode("a", "fvTenant"), buildClassNode("b", "fvCtx")],
		edges: [createQueryEdge("a", "b"), createQueryEdge("b", "a")],
	};
	const deep = JSON.parse(`${"[".repeat(90)}${"]".repeat(90)}`);
	it.each([
		["name", { name: undefined }],
		["name", { name: "" }],
		["name", { name: "  \t" }],
		["name", { name: "x".repeat(201) }],
		["name", { name: ["x"] }],
		["name", { name: "a\u0000" }],
		["name", { name: "a\ud800" }],
		["description", { description: 5 }],
		["description", { description: "x".repeat(10_001) }],
		["flow_data", { flow_data: undefined }],
		["flow_data", { flow_data: null }],
		["flow_data", { flow_data: [] }],
		["flow_data", { flow_data: "{}" }],
		["flow_data.nodes", { flow_data: {} }],
		["flow_data.edges", { flow_data: { nodes: [], edges: 1 } }],
		["flow_data.nodes.0", { flow_data: { nodes: [null], edges: [] } }],
		["flow_data.nodes.0.type", { flow_data: { nodes: [{ id: "a", type: "evil" }], edges: [] } }],
		[
			"flow_data.nodes.1.id",
			{ flow_data: { nodes: [buildClassNode("a", "fvCtx"), buildClassNode("a", "fvBD")], edges: [] } },
		],
		["flow_data.nodes.0.data.className", { flow_data: { nodes: [buildClassNode("a", "../x")], edges: [] } }],
		[
			"flow_data.nodes.0.data.label",
			{ flow_data: { nodes: [buildClassNode("a", "fvBD", { label: "\u0000" })], edges: [] } },
		],
		["post_processors", { post_processors: {} }],
		["post_processors", { post_processors: Array(101).fill({ type: "flatten" }) }],
		["post_processors.0", { post_processors: ["x"] }],
		[
			"post_processors.0.config.pattern",
			{ post_processors: [{ type: "regex-transform", config: { field: "dn", pattern: "(" } }] },
		],
		["variables", { variables: null }],
		["variables.1.id", { variables: [{ id: "a" }, { id: "a" }] }],
		["category", { category: "1" }],
		["category", { category: 1.5 }],
		["category", { category: 2_147_483_648 }],
		["category", { category: 2_147_483_647 }],
		["category", { category: 0 }],
		["tags_list", { tags_list: "a,b" }],
		["tags_list.0", { tags_list: [1] }],
		["tags_list.0", { tags_list: ["x".repeat(51)] }],
		["tags_list", { tags_list: Array.from({ length: 51 }, (_, i) => `t${i}`) }],
		["is_public", { is_public: "yes" }],
		["is_template", { is_template: null }],
		["enable_time_machine", { enable_time_machine: 1 }],
		["shared_with", { shared_with: 5 }],
		["shared_with.0", { shared_with: ["1"] }],
		["shared_with.0", { shared_with: [-1] }],
		["shared_with.0", { shared_with: [99999999999] }],
		["shared_with", { shared_with: [2_147_483_647] }],
		["shared_with", { shared_with: Array.from({ length: 1_001 }, (_, i) => i + 1) }],
	])("%s is refused, on creation and on change", async (field, fields) => {
		const created = await ada.api.post(PATH, { name: "hostile", flow_data: EMPTY, ...fields });
		expect(created.status).toBe(400);
		expect(created.body).toHaveProperty([field]);
		if (Object.values(fields)[0] === undefined) return;
		const query = await createQuery(ada);
		const changed = await ada.api.patch(getQueryUrl(query), fields);
		expect(changed.status).toBe(400);
		expect(changed.body).toHaveProperty([field]);
		expect((await ada.api.get(getQueryUrl(query))).body).toEqual(query);
	});

	it("cycles, depth, broken JSON and wrong types are refused", async () => {
		const json = { "content-type": "application/json" };
		for (const answer of await Promise.all([
			ada.api.post(PATH, { name: "c", flow_data: cyclic }),
			ada.api.post(PATH, { name: "d", flow_data: { ...EMPTY, deep } }),
			ada.api.send("POST", PATH, "{", json),
			ada.api.send("POST", PATH, "", json),
			ada.api.send("POST", PATH, "null", json),
			ada.api.send("POST", PATH, '"text"', json),
			ada.api.send("POST", PATH, Buffer.from([0x7b, 0xff, 0x7d]), json),
			ada.api.send("POST", PATH, "[".repeat(100_000), json),
			ada.api.send("POST", PATH, '{"name":"p","flow_data":{"__proto__":{"nodes":[],"edges":[]}}}', json),
		])) {
			expect(answer.status).toBe(400);
		}
		expect((await ada.api.send("POST", PATH, "name=x", { "content-type": "text/plain" })).status).toBe(415);
	});

	it.each(["x", "0", "%00", "..%2f", "019a0000-0000-7000-8000-00000000000", `${"a".repeat(400)}`, "'%20or%20'1'='1"])(
		"there is no query %s",
		async (id) => {
			for (const [method, rest] of [
				["GET", ""],
				["DELETE", ""],
				["POST", "favorite/"],
				["POST", "duplicate/"],
				["GET", "versions/v1.0/"],
			] as const) {
				expect((await t.admin.api.send(method, `${PATH}${id}/${rest}`)).status).toBe(404);
			}
		},
	);

	it("a name with quotes, wildcards and markup is a name", async () => {
		const name = `'; drop table users; -- %_\\ <b> \${x} 😀`;
		const query = await createQuery(ada, { name, tags_list: ['{"a",\\}', "null", "NULL"], description: "$1 %s" });
		expect(query).toMatchObject({ name, tags_list: ['{"a",\\}', "null"], description: "$1 %s" });
		expect(getNames((await ada.api.get(`${PATH}?search=${encodeURIComponent(name)}`)).body)).toEqual([name]);
		expect((await ada.api.post(getQueryUrl(query, "duplicate/"))).body.name).toBe(`${name} (Copy)`);
	});
});
