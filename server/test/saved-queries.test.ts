/** Saved queries and execution logs, through the API: visibility, versions, round trips, concurrency, hostile input. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSavedQueriesFeature } from "../src/features/saved-queries/index.ts";
import { startTestApp, type TestApp, type TestUser } from "./harness.ts";

const PATH = "/api/queries/saved-queries/";
const LOGS = "/api/queries/execution-logs/";
const EMPTY = { nodes: [], edges: [] };

let t: TestApp;
let ada: TestUser;
let bob: TestUser;
let cid: TestUser;
beforeAll(async () => {
	t = await startTestApp({ poolSize: 12 });
	[ada, bob, cid] = await Promise.all([t.user("ada"), t.user("bob"), t.user("cid")]);
});
afterAll(() => t.close());

const classNode = (id: string, className: string, data: object = {}) => ({
	id,
	type: "classNode",
	position: { x: 0, y: 0 },
	data: { className, ...data },
});
const filterNode = (id: string, value: string, property = "name") => ({
	id,
	type: "filterNode",
	position: { x: 0, y: 0 },
	data: { filterType: "property", property, operator: "eq", value },
});
const edge = (source: string, target: string, data = {}) => ({ id: `${source}-${target}`, source, target, data });
const canvas = (value = "prod") => ({
	nodes: [classNode("t", "fvTenant"), filterNode("f", value)],
	edges: [edge("t", "f")],
});

const placeholder = (id: string) => `\${${id}}`;

let serial = 0;
const make = async (user: TestUser, fields: object = {}) => {
	const answer = await user.api.post(PATH, { name: `query ${++serial}`, flow_data: EMPTY, ...fields });
	expect(answer.text).toContain('"id"');
	expect(answer.status).toBe(201);
	return answer.body;
};
const url = (query: { id: string }, rest = "") => `${PATH}${query.id}/${rest}`;
const namesOf = (body: { results: { name: string }[] }) => body.results.map(({ name }) => name);

describe("creating", () => {
	it("answers the detail with defaults, as v1.0", async () => {
		const { status, body } = await ada.api.post(PATH, { name: " First ", flow_data: canvas(), extra: 1, owner_id: 1 });
		expect(status).toBe(201);
		expect(body).toMatchObject({
			name: "First",
			description: "",
			category: null,
			category_name: null,
			tags_list: [],
			created_by: { id: ada.id, username: "ada", first_name: "", last_name: "" },
			is_public: false,
			is_template: false,
			execution_count: 0,
			last_executed_at: null,
			is_favorite: false,
			enable_time_machine: false,
			major_version: 1,
			minor_version: 0,
			version_string: "v1.0",
			flow_data: canvas(),
			post_processors: [],
			variables: [],
			shared_with: [],
			can_edit: true,
			can_delete: true,
		});
		expect(body.version_history).toMatchObject([{ version: "v1.0", created_by: "ada", changes: ["Created"] }]);
		expect(body.current_version_hash).toBe(body.version_history[0].hash);
		expect((await ada.api.get(url(body))).body).toEqual(body);
	});

	it("keeps names unique per owner", async () => {
		await make(ada, { name: "Twice" });
		expect((await ada.api.post(PATH, { name: "Twice", flow_data: EMPTY })).body).toHaveProperty("name");
		await make(bob, { name: "Twice" });
		const raced = await Promise.all(
			Array.from({ length: 5 }, () => ada.api.post(PATH, { name: "Raced", flow_data: EMPTY })),
		);
		expect(raced.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400]);
	});

	it("trims tags, and drops blanks and repetitions", async () => {
		const { tags_list } = await make(ada, { tags_list: [" Core ", "core", "", "  ", "edge", "Édge", "édge"] });
		expect(tags_list).toEqual(["Core", "edge", "Édge"]);
	});

	it("stores nothing of a query that is refused", async () => {
		const flow_data = { nodes: [{ id: "a", type: "classNode", data: {} }], edges: [edge("a", "ghost")] };
		const { status, body } = await ada.api.post(PATH, {
			name: "Broken",
			flow_data,
			post_processors: [{ type: "nonsense", config: {} }],
			variables: [{ id: "1x" }],
		});
		expect(status).toBe(400);
		expect(Object.keys(body).sort()).toEqual(
			[
				"flow_data.edges.0.target",
				"flow_data.nodes.0.data.className",
				"post_processors.0.type",
				"variables.0.id",
			].sort(),
		);
		expect((await t.pool.query("select 1 from saved_queries where name = 'Broken'")).rowCount).toBe(0);
	});

	it("checks placeholders against the variables, on both ways of changing them", async () => {
		const flow_data = canvas(placeholder("tenant"));
		const refused = await ada.api.post(PATH, { name: "Template", flow_data });
		expect(refused.body).toHaveProperty(["flow_data.nodes.1.data.value"]);
		const variables = [{ id: "tenant", type: "text", required: true, colour: "kept" }];
		const query = await make(ada, { flow_data, variables, is_template: true });
		expect(query.variables).toEqual(variables);
		expect((await ada.api.patch(url(query), { variables: [] })).status).toBe(400);
		const renamed = await ada.api.patch(url(query), { flow_data: canvas(placeholder("t")), variables: [{ id: "t" }] });
		expect(renamed.body).toMatchObject({ version_string: "v1.1", variables: [{ id: "t" }] });
	});
});

describe("a canvas", () => {
	it.each([
		["unicode", { nodes: [], edges: [], note: 'Ünïcödé 😀 \u200d \u2028 日本 " \\ / \t' }],
		["unknown fields", { nodes: [], edges: [], zoom: null, nested: { deep: [[[{ a: [] }]]], "": "empty key" } }],
		["key order", { zebra: 1, edges: [], apple: { z: 1, a: 2 }, nodes: [], "0a": 1 }],
		["numbers", { nodes: [], edges: [], n: [0.1, -0.5, 1e-300, 1.7976931348623157e308, 9007199254740991, 1e21, -1] }],
		["odd names", { nodes: [], edges: [], constructor: 1, toString: "x", hasOwnProperty: false, "a.b": 1, "'; --": 1 }],
		[
			"odd nodes",
			{
				viewport: { x: -1.5, y: 2, zoom: 0.25 },
				edges: [{ type: "smoothstep", id: "e", target: "b", source: "a", animated: true, style: { stroke: "#f00" } }],
				nodes: [
					{
						selected: true,
						data: { label: "x", className: "fvTenant", mine: [1] },
						type: "class",
						id: "a",
						width: 180.5,
					},
					{ id: "b", type: "output", data: null },
				],
			},
		],
	])("with %s comes back byte for byte", async (_what, flow_data) => {
		const query = await make(ada, { flow_data });
		const read = await ada.api.get(url(query));
		expect(JSON.stringify(read.body.flow_data)).toBe(JSON.stringify(flow_data));
		expect(read.text).toContain(JSON.stringify(flow_data));
		const version = await ada.api.get(url(query, "versions/v1.0/"));
		expect(JSON.stringify(version.body.flow_data)).toBe(JSON.stringify(flow_data));
	});

	it("with a number that nobody can hold is refused, not bent", async () => {
		const text = '{"name":"inf","flow_data":{"nodes":[],"edges":[],"deep":[{"n":1e400}]}}';
		const answer = await ada.api.send("POST", PATH, text, { "content-type": "application/json" });
		expect(answer.status).toBe(400);
		expect(answer.body).toHaveProperty(["flow_data.deep.0.n"]);
	});

	it("keeps post-processors and variables as they were sent", async () => {
		const post_processors = [{ note: "mine", type: "flatten", config: {}, enabled: false }];
		const query = await make(ada, { post_processors });
		expect(JSON.stringify(query.post_processors)).toBe(JSON.stringify(post_processors));
	});

	it("of 8 MB is saved, one above the limit answers 413", async () => {
		const of = (bytes: number) => ({ ...EMPTY, blob: "x".repeat(bytes) });
		const query = await make(ada, { flow_data: of(8_000_000) });
		expect((await ada.api.get(url(query))).body.flow_data.blob).toHaveLength(8_000_000);
		expect((await ada.api.post(PATH, { name: "huge", flow_data: of(10 * 1024 * 1024) })).status).toBe(413);
		expect((await ada.api.patch(url(query), { flow_data: of(10 * 1024 * 1024) })).status).toBe(413);
		await ada.api.del(url(query));
	});
});

describe("visibility", () => {
	it("own, shared and public ones are seen; owners and admins edit", async () => {
		const own = await make(ada, { name: "vis own" });
		const shared = await make(ada, { name: "vis shared", shared_with: [bob.id, bob.id, ada.id] });
		const open = await make(ada, { name: "vis public", is_public: true });
		expect(shared.shared_with).toEqual([bob.id]);
		const seen = async (user: TestUser) => namesOf((await user.api.get(`${PATH}?search=vis%20&ordering=name`)).body);
		expect(await seen(ada)).toEqual(["vis own", "vis public", "vis shared"]);
		expect(await seen(bob)).toEqual(["vis public", "vis shared"]);
		expect(await seen(cid)).toEqual(["vis public"]);
		expect(await seen(t.admin)).toEqual(["vis own", "vis public", "vis shared"]);

		const calls = (user: TestUser, query: { id: string }) =>
			Promise.all(
				[
					user.api.get(url(query)),
					user.api.get(url(query, "versions/v1.0/")),
					user.api.post(url(query, "execute/"), { success: true }),
					user.api.post(url(query, "favorite/")),
					user.api.patch(url(query), { description: "x" }),
					user.api.put(url(query), { name: query.id, flow_data: EMPTY }),
					user.api.post(url(query, "versions/v1.0/restore/")),
				].map(async (answer) => (await answer).status),
			);
		expect(await calls(cid, own)).toEqual([404, 404, 404, 404, 404, 404, 404]);
		expect(await calls(cid, shared)).toEqual([404, 404, 404, 404, 404, 404, 404]);
		expect(await calls(bob, shared)).toEqual([200, 200, 200, 200, 403, 403, 403]);
		expect(await calls(cid, open)).toEqual([200, 200, 200, 200, 403, 403, 403]);
		expect(await calls(t.admin, own)).toEqual([200, 200, 200, 200, 200, 200, 200]);
		expect(await calls(ada, shared)).toEqual([200, 200, 200, 200, 200, 200, 200]);
		expect((await cid.api.get(url(open))).body).toMatchObject({ can_edit: false, can_delete: false });
		expect((await t.admin.api.get(url(own))).body).toMatchObject({ can_edit: true, can_delete: true });
		expect((await cid.api.del(url(own))).status).toBe(404);
		expect((await cid.api.del(url(open))).status).toBe(403);
		expect((await t.admin.api.del(url(own))).status).toBe(204);
		expect((await ada.api.del(url(open))).status).toBe(204);
		expect((await ada.api.get(url(open))).status).toBe(404);
	});

	it("ends when sharing ends, and needs users that exist", async () => {
		const query = await make(ada, { shared_with: [bob.id, cid.id] });
		const narrowed = await ada.api.patch(url(query), { shared_with: [cid.id] });
		expect(narrowed.body).toMatchObject({ shared_with: [cid.id], version_string: "v1.0" });
		expect((await bob.api.get(url(query))).status).toBe(404);
		const unknown = await ada.api.patch(url(query), { shared_with: [cid.id, 123456] });
		expect(unknown.body.shared_with[0]).toContain("123456");
		expect((await ada.api.get(url(query))).body.shared_with).toEqual([cid.id]);
	});

	it("an admin's change leaves the owner, whose names it is held against", async () => {
		await make(ada, { name: "admin taken" });
		const query = await make(ada);
		const changed = await t.admin.api.patch(url(query), {
			name: "by admin",
			created_by: 1,
			id: "x",
			execution_count: 9,
		});
		expect(changed.body).toMatchObject({ id: query.id, created_by: { id: ada.id }, execution_count: 0 });
		expect((await t.admin.api.patch(url(query), { name: "admin taken" })).body).toHaveProperty("name");
	});

	it("rights are the route's permissions", async () => {
		const viewer = await t.user("viewer");
		await t.pool.query("delete from user_groups where user_id = $1", [viewer.id]);
		await t.pool.query("insert into user_groups select $1, id from groups where name = 'Viewer'", [viewer.id]);
		const open = await make(ada, { is_public: true });
		expect((await viewer.api.get(url(open))).status).toBe(200);
		expect((await viewer.api.post(url(open, "favorite/"))).status).toBe(200);
		expect((await viewer.api.post(url(open, "execute/"), { success: true })).status).toBe(403);
		expect((await viewer.api.post(url(open, "duplicate/"))).status).toBe(403);
		expect((await viewer.api.post(PATH, { name: "x", flow_data: EMPTY })).status).toBe(403);
		expect((await t.anonymous.get(PATH)).status).toBe(401);
	});
});

describe("a version in advance", () => {
	it("is what saving then gives, and saves nothing", async () => {
		const query = await make(ada, { flow_data: canvas(), post_processors: [{ type: "flatten", config: {} }] });
		const ask = async (body: object) => ada.api.post(url(query, "version-preview/"), body);
		expect((await ask({ flow_data: canvas() })).body).toEqual({ level: "none", version: "v1.0", changes: [] });
		const told = (await ask({ flow_data: canvas("test") })).body;
		expect(told).toMatchObject({ level: "minor", version: "v1.1" });
		const wider = { ...canvas(), nodes: [...canvas().nodes, classNode("c", "fvCtx")] };
		expect((await ask({ flow_data: wider })).body).toMatchObject({ level: "major", version: "v2.0" });
		expect((await ask({ flow_data: canvas(), post_processors: [] })).body.version).toBe("v1.1");
		expect((await ada.api.get(url(query))).body).toMatchObject({ version_string: "v1.0", flow_data: canvas() });
		const saved = (await ada.api.patch(url(query), { flow_data: canvas("test") })).body;
		expect(saved.version_string).toBe(told.version);
		expect(saved.version_history.at(-1).changes).toEqual(told.changes);
	});

	it("refuses what saving would refuse, and strangers", async () => {
		const query = await make(ada, { flow_data: canvas() });
		const broken = { nodes: [filterNode("f", "x")], edges: [] };
		const { status, body } = await ada.api.post(url(query, "version-preview/"), { flow_data: broken });
		expect([status, Object.keys(body)]).toEqual([400, ["flow_data.nodes.0"]]);
		expect((await ada.api.post(url(query, "version-preview/"), {})).body).toHaveProperty("flow_data");
		expect((await bob.api.post(url(query, "version-preview/"), { flow_data: EMPTY })).status).toBe(404);
	});
});

describe("versions", () => {
	const versionAfter = async (query: { id: string }, fields: object) => {
		const { status, body } = await ada.api.patch(url(query), fields);
		expect(status).toBe(200);
		return body.version_string;
	};

	it("move with the meaning of the canvas only", async () => {
		const query = await make(ada, { flow_data: canvas() });
		const next = (fields: object) => versionAfter(query, fields);
		expect(await next({ name: "renamed", description: "d", tags_list: ["x"], is_public: true })).toBe("v1.0");
		const moved = {
			...canvas(),
			nodes: canvas().nodes.map((node) => ({ ...node, position: { x: 99, y: 1 }, width: 10, style: { color: "red" } })),
			viewport: { x: 1, y: 1, zoom: 2 },
		};
		expect(await next({ flow_data: moved })).toBe("v1.0");
		expect((await ada.api.get(url(query))).body.flow_data).toEqual(moved);
		expect(await next({ flow_data: canvas() })).toBe("v1.0");
		expect(await next({ flow_data: canvas("test") })).toBe("v1.1");
		expect(await next({ post_processors: [{ type: "flatten", config: {} }] })).toBe("v1.2");
		expect(await next({ flow_data: canvas("test") })).toBe("v1.2");
		const wider = {
			nodes: [classNode("t", "fvTenant", { scope: "subtree" }), filterNode("f", "test")],
			edges: [edge("t", "f")],
		};
		expect(await next({ flow_data: wider })).toBe("v2.0");
		const two = { nodes: [...wider.nodes, classNode("c", "fvCtx")], edges: wider.edges };
		expect(await next({ flow_data: two })).toBe("v3.0");
		expect(await next({ flow_data: { ...two, edges: [...two.edges, edge("f", "c")] } })).toBe("v4.0");

		const { body } = await ada.api.get(url(query));
		expect(body.version_history.map((entry: { version: string }) => entry.version)).toEqual([
			"v1.0",
			"v1.1",
			"v1.2",
			"v2.0",
			"v3.0",
			"v4.0",
		]);
		for (const entry of body.version_history) {
			expect(entry.changes.length).toBeGreaterThan(0);
			expect(entry.hash).toMatch(/^[0-9a-f]{64}$/);
			expect(entry.created_by).toBe("ada");
		}
		expect(new Set(body.version_history.map((entry: { hash: string }) => entry.hash)).size).toBe(6);
		expect(body).toMatchObject({
			major_version: 4,
			minor_version: 0,
			current_version_hash: body.version_history[5].hash,
		});
	});

	it("are given and restored, with what belonged to them", async () => {
		const variables = [{ id: "v", type: "text" }];
		const post_processors = [{ type: "flatten", config: {} }];
		const query = await make(ada, { flow_data: canvas(placeholder("v")), variables, post_processors });
		await ada.api.patch(url(query), { flow_data: canvas("fixed"), variables: [], post_processors: [] });
		const old = await ada.api.get(url(query, "versions/v1.0/"));
		expect(old.body).toEqual({
			...query.version_history[0],
			flow_data: canvas(placeholder("v")),
			variables,
			post_processors,
		});
		const restored = await ada.api.post(url(query, "versions/v1.0/restore/"));
		expect(restored.status).toBe(200);
		expect(restored.body).toMatchObject({
			version_string: "v1.2",
			flow_data: canvas(placeholder("v")),
			variables,
			post_processors,
			current_version_hash: query.current_version_hash,
		});
		expect(restored.body.version_history[2].changes[0]).toBe("Restored v1.0");
		expect((await ada.api.post(url(query, "versions/v1.2/restore/"))).body.version_string).toBe("v1.3");
		expect((await ada.api.get(url(query, "versions/v1.1/"))).body.flow_data).toEqual(canvas("fixed"));
	});

	it.each(["v9.9", "1.0", "v1", "v1.0.0", "latest", "v-1.0", "v9999999999.0", "v999999999.999999999", "v1.0%00"])(
		"know no version %s",
		async (version) => {
			const query = await make(ada);
			expect((await ada.api.get(url(query, `versions/${version}/`))).status).toBe(404);
			expect((await ada.api.post(url(query, `versions/${version}/restore/`))).status).toBe(404);
		},
	);

	it("PUT replaces all fields and moves the version likewise", async () => {
		const query = await make(ada, { flow_data: canvas(), tags_list: ["x"], is_public: true, shared_with: [bob.id] });
		const put = await ada.api.put(url(query), { name: "put", flow_data: canvas("other") });
		expect(put.body).toMatchObject({
			name: "put",
			tags_list: [],
			is_public: false,
			shared_with: [],
			version_string: "v1.1",
		});
		expect((await ada.api.put(url(query), { name: "put" })).body).toEqual({ flow_data: ["This field is required."] });
	});

	it("an empty PATCH changes nothing", async () => {
		const query = await make(ada);
		await t.clock.advance(1_000);
		expect((await ada.api.patch(url(query), {})).body).toEqual(query);
		expect((await ada.api.patch(url(query), { nonsense: 1 })).body).toEqual(query);
		expect((await ada.api.patch(url(query), { description: "d" })).body.updated_at).not.toBe(query.updated_at);
	});
});

describe("lists", () => {
	it("leave out the canvas and filter", async () => {
		const category = (await ada.api.post("/api/queries/categories/", { name: "listed" })).body;
		const inside = await make(ada, {
			name: "list a",
			category: category.id,
			is_template: true,
			description: "Näher 50% _x",
		});
		const other = await make(bob, { name: "list b", is_public: true });
		await ada.api.post(url(other, "favorite/"));
		const names = async (query: string, user = ada) =>
			namesOf((await user.api.get(`${PATH}?ordering=name&${query}`)).body).filter((name) => name.startsWith("list"));
		expect(await names("search=LIST")).toEqual(["list a", "list b"]);
		expect(await names(`category=${category.id}`)).toEqual(["list a"]);
		expect(await names(`category=${category.id}`, bob)).toEqual([]);
		expect(await names("category=2147483647")).toEqual([]);
		expect(await names("is_favorite=true")).toEqual(["list b"]);
		expect(await names("is_favorite=false")).toEqual(["list a"]);
		expect(await names("is_template=true")).toEqual(["list a"]);
		expect(await names("my_queries=true")).toEqual(["list a"]);
		expect(await names("my_queries=false")).toEqual(["list b"]);
		expect(await names(`search=${encodeURIComponent("NÄHER 50% _X")}`)).toEqual(["list a"]);
		expect(await names("search=%25ist")).toEqual([]);
		expect(await names("search=l_st")).toEqual([]);
		expect(await names(`search=${encodeURIComponent("\\")}`)).toEqual([]);
		const { body } = await ada.api.get(`${PATH}?search=list%20a`);
		expect(body).toMatchObject({ count: 1, next: null, previous: null });
		expect(Object.keys(body.results[0]).sort()).toEqual(
			[
				..."id name description category category_name tags_list created_by is_public is_template execution_count".split(
					" ",
				),
				..."last_executed_at is_favorite enable_time_machine major_version minor_version version_string".split(" "),
				..."created_at updated_at".split(" "),
			].sort(),
		);
		expect(body.results[0]).toMatchObject({ id: inside.id, category_name: "listed" });
	});

	it("page without gaps or repetitions in every ordering, though all share one instant", async () => {
		const dan = await t.user("dan");
		for (let i = 0; i < 7; i++) await make(dan, { name: `page ${i % 2 ? "A" : "a"}${i}` });
		const some = (await dan.api.get(`${PATH}?search=page%20&my_queries=true`)).body.results;
		await dan.api.post(url(some[0], "execute/"), { success: true });
		for (const field of ["name", "created_at", "updated_at", "execution_count", "last_executed_at"]) {
			const all = async (ordering: string) => {
				const ids: string[] = [];
				let next: string | null = `${PATH}?my_queries=true&page_size=3&ordering=${ordering}`;
				while (next !== null) {
					const { body }: { body: { results: { id: string }[]; next: string | null } } = await dan.api.get(next);
					ids.push(...body.results.map(({ id }) => id));
					next = body.next === null ? null : body.next.replace(/^https?:\/\/[^/]+/, "");
				}
				return ids;
			};
			const [up, down] = [await all(field), await all(`-${field}`)];
			expect(new Set(up).size, field).toBe(7);
			expect(down, field).toEqual(up.toReversed());
			if (field.endsWith("execution_count") || field === "last_executed_at") expect(down[0]).toBe(some[0].id);
		}
		const { body } = await dan.api.get(`${PATH}?my_queries=true&page_size=3&page=2`);
		expect(body.count).toBe(7);
		expect(body.previous).toContain("page=1");
		expect((await dan.api.get(`${PATH}?my_queries=true&page_size=7`)).body).toMatchObject({ count: 7, next: null });
		expect((await dan.api.get(`${PATH}?my_queries=true&page_size=3&page=4`)).status).toBe(404);
		expect((await dan.api.get(`${PATH}?is_favorite=true`)).body).toMatchObject({ count: 0, results: [] });
		expect((await dan.api.get(`${PATH}?is_favorite=true&page=2`)).status).toBe(404);
	});

	it.each([
		["page_size=0", "page_size"],
		["page_size=-1", "page_size"],
		["page_size=x", "page_size"],
		["page=0", "page"],
		["page=1e3", "page"],
		["ordering=flow_data", "ordering"],
		["ordering=", "ordering"],
		["ordering=name;drop", "ordering"],
		["category=x", "category"],
		["category=99999999999", "category"],
		["is_favorite=yes", "is_favorite"],
		["is_template=1", "is_template"],
		["my_queries=TRUE", "my_queries"],
		[`search=${"x".repeat(201)}`, "search"],
		["search=%00", "search"],
	])("refuse %s", async (query, field) => {
		const { status, body } = await ada.api.get(`${PATH}?${query}`);
		expect(status).toBe(400);
		expect(body).toHaveProperty(field);
	});

	it("name the orderings, and count sizes above 200 as 200", async () => {
		expect((await ada.api.get(`${PATH}?ordering=nope`)).body.ordering[0]).toContain("-updated_at");
		expect((await ada.api.get(`${PATH}?page_size=999`)).status).toBe(200);
		expect((await ada.api.get(`${PATH}?page=99999`)).status).toBe(404);
	});
});

describe("favorites, copies and connections", () => {
	it("favorite turns over for its user only, and shows in the profile", async () => {
		const fay = await t.user("fay");
		const query = await make(ada, { is_public: true });
		await make(fay);
		expect((await fay.api.post(url(query, "favorite/"))).body).toEqual({ is_favorite: true });
		expect((await fay.api.get(url(query))).body.is_favorite).toBe(true);
		expect((await ada.api.get(url(query))).body.is_favorite).toBe(false);
		expect((await fay.api.get("/api/auth/profile/")).body).toMatchObject({ query_count: 1, favorite_count: 1 });
		expect((await fay.api.post(url(query, "favorite/"))).body).toEqual({ is_favorite: false });
		await fay.api.post(url(query, "favorite/"));
		await ada.api.patch(url(query), { is_public: false });
		expect((await fay.api.get("/api/auth/profile/")).body).toMatchObject({ favorite_count: 0 });
	});

	it("of parallel favorites each counts", async () => {
		const query = await make(ada);
		const answers = await Promise.all(Array.from({ length: 9 }, () => ada.api.post(url(query, "favorite/"))));
		expect(answers.filter(({ body }) => body.is_favorite)).toHaveLength(5);
		expect(answers.filter(({ body }) => !body.is_favorite)).toHaveLength(4);
		expect((await ada.api.get(url(query))).body.is_favorite).toBe(true);
	});

	it("duplicate makes a private v1.0 of the caller's, numbered when taken", async () => {
		const variables = [{ id: "v" }];
		const query = await make(ada, {
			...{
				name: "orig",
				description: "d",
				tags_list: ["x"],
				is_public: true,
				is_template: true,
				shared_with: [cid.id],
			},
			...{ flow_data: canvas(placeholder("v")), variables, enable_time_machine: true },
		});
		await ada.api.patch(url(query), { flow_data: canvas(`${placeholder("v")}!`) });
		const copy = await bob.api.post(url(query, "duplicate/"));
		expect(copy.status).toBe(201);
		expect(copy.body).toMatchObject({
			...{ name: "orig (Copy)", description: "d", tags_list: ["x"], is_public: false, is_template: true },
			...{
				flow_data: canvas(`${placeholder("v")}!`),
				variables,
				enable_time_machine: true,
				shared_with: [],
				execution_count: 0,
			},
			...{ version_string: "v1.0", is_favorite: false, can_edit: true, created_by: { id: bob.id } },
		});
		expect(copy.body.version_history).toMatchObject([{ version: "v1.0", changes: ["Copied from orig v1.1"] }]);
		expect(copy.body.id).not.toBe(query.id);
		expect((await bob.api.post(url(query, "duplicate/"))).body.name).toBe("orig (Copy 2)");
		expect((await cid.api.get(url(copy.body))).status).toBe(404);
		const many = await Promise.all(Array.from({ length: 5 }, () => ada.api.post(url(query, "duplicate/"))));
		expect(many.map(({ body }) => body.name).sort()).toEqual(
			["orig (Copy)", "orig (Copy 2)", "orig (Copy 3)", "orig (Copy 4)", "orig (Copy 5)"].sort(),
		);
		const long = await make(ada, { name: "n".repeat(200) });
		for (const suffix of [" (Copy)", " (Copy 2)"]) {
			const { name } = (await ada.api.post(url(long, "duplicate/"))).body;
			expect(name).toBe("n".repeat(200 - suffix.length) + suffix);
		}
	});

	it("validate-connection lets everything through while no model is loaded, and answers GET with 405", async () => {
		const path = `${PATH}validate-connection/`;
		const { status, body } = await ada.api.post(path, { parentClass: "fvTenant", childClass: "fvCtx" });
		expect(status).toBe(200);
		expect(body).toMatchObject({ isValid: true, checked: false });
		expect(body.message).toContain("model");
		for (const wrong of [
			{},
			{ parentClass: "fvTenant" },
			{ parentClass: "", childClass: "a" },
			{ parentClass: 1, childClass: "a" },
		]) {
			expect((await ada.api.post(path, wrong)).status).toBe(400);
		}
		const get = await ada.api.get(path);
		expect(get.status).toBe(405);
		expect(get.headers.allow).toBe("POST");
		const query = await make(ada);
		for (const action of ["execute/", "favorite/", "duplicate/", "versions/v1.0/restore/"]) {
			expect((await ada.api.get(url(query, action))).status).toBe(405);
		}
	});
});

describe("executions", () => {
	it("are logged and counted, with the answer in the audit log", async () => {
		const query = await make(ada, { is_public: true });
		const { status, body } = await bob.api.post(url(query, "execute/"), {
			...{ success: false, result_count: 3, execution_time_ms: 120, error_message: "no route" },
			response_content: { imdata: ["ü"] },
		});
		expect(status).toBe(200);
		expect(typeof body.message).toBe("string");
		expect((await ada.api.get(url(query))).body).toMatchObject({
			execution_count: 1,
			last_executed_at: new Date(t.clock.now()).toISOString(),
			updated_at: query.updated_at,
		});
		const { rows } = await t.pool.query("select * from audit_log where target_id = $1 and action = 'query_run'", [
			query.id,
		]);
		expect(rows).toHaveLength(1);
		expect(rows[0]).toMatchObject({ category: "query_execution", username: "bob", metadata: { success: false } });
		expect(JSON.parse(rows[0].content)).toEqual({ imdata: ["ü"] });
		expect((await ada.api.get(`${LOGS}?query=${query.id}`)).body.results).toEqual([
			{
				...{ id: expect.any(String), query: query.id, query_name: query.name, executed_by: "bob" },
				...{ executed_at: new Date(t.clock.now()).toISOString(), execution_time_ms: 120, result_count: 3 },
				...{ success: false, error_message: "no route" },
			},
		]);
	});

	it("counters lose none of many at once, while the query is being changed", async () => {
		const query = await make(ada, { flow_data: canvas() });
		await Promise.all([
			...Array.from({ length: 30 }, () => ada.api.post(url(query, "execute/"), { success: true })),
			...Array.from({ length: 5 }, (_, i) =>
				ada.api.patch(url(query), { name: `busy ${i}`, flow_data: canvas(`n${i}`) }),
			),
		]);
		expect((await ada.api.get(url(query))).body.execution_count).toBe(30);
		expect((await ada.api.get(`${LOGS}?query=${query.id}`)).body.count).toBe(30);
	});

	it("logs are seen by those who see the query or ran it, and outlive the query", async () => {
		const query = await make(ada, { name: "logged", is_public: true });
		await cid.api.post(url(query, "execute/"), { success: true, error_message: "" });
		await ada.api.post(url(query, "execute/"), { success: false });
		const seen = async (user: TestUser, rest = "") => {
			const { body } = await user.api.get(`${LOGS}?page_size=200${rest}`);
			return body.results
				.filter((log: { query_name: string }) => log.query_name === "logged")
				.map((log: { executed_by: string }) => log.executed_by)
				.sort();
		};
		const of = `&query=${query.id}`;
		expect(await seen(bob, of)).toEqual(["ada", "cid"]);
		expect(await seen(bob, `${of}&success=true`)).toEqual(["cid"]);
		expect(await seen(bob, `${of}&success=false`)).toEqual(["ada"]);
		await ada.api.patch(url(query), { is_public: false });
		expect(await seen(bob, of)).toEqual([]);
		expect(await seen(cid, of)).toEqual(["cid"]);
		await ada.api.patch(url(query), { shared_with: [bob.id] });
		expect(await seen(bob, of)).toEqual(["ada", "cid"]);
		expect(await seen(t.admin, of)).toEqual(["ada", "cid"]);
		await ada.api.del(url(query));
		expect(await seen(bob)).toEqual([]);
		expect(await seen(cid)).toEqual(["cid"]);
		const { results } = (await cid.api.get(`${LOGS}?page_size=200`)).body;
		expect(results.find((log: { query_name: string }) => log.query_name === "logged")).toMatchObject({
			query: null,
			error_message: null,
		});
	});

	it("logs are ordered, paged and read-only", async () => {
		const query = await make(ada);
		for (const execution_time_ms of [30, 10, 20]) {
			await t.clock.advance(1_000);
			await ada.api.post(url(query, "execute/"), { success: true, execution_time_ms });
		}
		const times = async (rest: string) =>
			(await ada.api.get(`${LOGS}?query=${query.id}${rest}`)).body.results.map(
				(log: { execution_time_ms: number }) => log.execution_time_ms,
			);
		expect(await times("")).toEqual([20, 10, 30]);
		expect(await times("&ordering=executed_at")).toEqual([30, 10, 20]);
		expect(await times("&ordering=-execution_time_ms&page_size=2&page=1")).toEqual([30, 20]);
		expect(await times("&ordering=-execution_time_ms&page_size=2&page=2")).toEqual([10]);
		for (const [wrong, field] of [
			["query=x", "query"],
			["success=1", "success"],
			["ordering=query_name", "ordering"],
		] as const) {
			const { status, body } = await ada.api.get(`${LOGS}?${wrong}`);
			expect(status).toBe(400);
			expect(body).toHaveProperty(field);
		}
		expect((await ada.api.get(`${LOGS}?page=77`)).status).toBe(404);
		expect((await ada.api.post(LOGS, {})).status).toBe(405);
	});

	it.each([
		["success", {}],
		["success", { success: "true" }],
		["success", { success: null }],
		["result_count", { success: true, result_count: -1 }],
		["result_count", { success: true, result_count: 2_147_483_648 }],
		["result_count", { success: true, result_count: "5" }],
		["execution_time_ms", { success: true, execution_time_ms: 1.5 }],
		["execution_time_ms", { success: true, execution_time_ms: 1e300 }],
		["error_message", { success: true, error_message: {} }],
		["error_message", { success: true, error_message: "x".repeat(20_001) }],
		["response_content.a", { success: true, response_content: { a: "\u0000" } }],
		["non_field_errors", [true]],
	])("refuse a wrong %s", async (field, report) => {
		const query = await make(ada);
		const { status, body } = await ada.api.post(url(query, "execute/"), report);
		expect(status).toBe(400);
		expect(body).toHaveProperty([field]);
		expect((await ada.api.get(url(query))).body.execution_count).toBe(0);
	});
});

describe("at the same time", () => {
	it("ten changes of the filter make ten versions", async () => {
		const query = await make(ada, { flow_data: canvas() });
		const answers = await Promise.all(
			Array.from({ length: 10 }, (_, i) => ada.api.patch(url(query), { flow_data: canvas(`value ${i}`) })),
		);
		expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
		expect(new Set(answers.map(({ body }) => body.version_string)).size).toBe(10);
		const { body } = await ada.api.get(url(query));
		expect(body.version_string).toBe("v1.10");
		expect(body.version_history.map((entry: { version: string }) => entry.version)).toEqual(
			Array.from({ length: 11 }, (_, i) => `v1.${i}`),
		);
		for (const { body: saved } of answers) {
			const version = await ada.api.get(url(query, `versions/${saved.version_string}/`));
			expect(version.body.flow_data).toEqual(saved.flow_data);
		}
	});

	it("changes of different fields are all kept", async () => {
		const query = await make(ada, { flow_data: canvas() });
		await Promise.all([
			ada.api.patch(url(query), { description: "new" }),
			ada.api.patch(url(query), { tags_list: ["a"] }),
			ada.api.patch(url(query), { flow_data: canvas("z") }),
			ada.api.patch(url(query), { post_processors: [{ type: "flatten", config: {} }] }),
			ada.api.patch(url(query), { shared_with: [bob.id] }),
			t.admin.api.patch(url(query), { is_public: true }),
		]);
		expect((await ada.api.get(url(query))).body).toMatchObject({
			...{ description: "new", tags_list: ["a"], flow_data: canvas("z"), shared_with: [bob.id], is_public: true },
			...{ post_processors: [{ type: "flatten", config: {} }], version_string: "v1.2" },
		});
	});

	it("deleting and changing end well", async () => {
		const query = await make(ada, { flow_data: canvas() });
		const answers = await Promise.all([
			ada.api.del(url(query)),
			...Array.from({ length: 4 }, (_, i) => ada.api.patch(url(query), { flow_data: canvas(`v${i}`) })),
			ada.api.post(url(query, "execute/"), { success: true }),
			ada.api.post(url(query, "favorite/")),
			ada.api.post(url(query, "duplicate/")),
		]);
		for (const { status } of answers) expect([200, 201, 204, 404]).toContain(status);
		expect((await ada.api.get(url(query))).status).toBe(404);
	});
});

describe("hostile input", () => {
	const cyclic = {
		nodes: [classNode("a", "fvTenant"), classNode("b", "fvCtx")],
		edges: [edge("a", "b"), edge("b", "a")],
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
		["flow_data.nodes.1.id", { flow_data: { nodes: [classNode("a", "fvCtx"), classNode("a", "fvBD")], edges: [] } }],
		["flow_data.nodes.0.data.className", { flow_data: { nodes: [classNode("a", "../x")], edges: [] } }],
		[
			"flow_data.nodes.0.data.label",
			{ flow_data: { nodes: [classNode("a", "fvBD", { label: "\u0000" })], edges: [] } },
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
		const created = await ada.api.post(PATH, { name: `hostile ${++serial}`, flow_data: EMPTY, ...fields });
		expect(created.status).toBe(400);
		expect(created.body).toHaveProperty([field]);
		if (Object.values(fields)[0] === undefined) return;
		const query = await make(ada);
		const changed = await ada.api.patch(url(query), fields);
		expect(changed.status).toBe(400);
		expect(changed.body).toHaveProperty([field]);
		expect((await ada.api.get(url(query))).body).toEqual(query);
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
		const query = await make(ada, { name, tags_list: ['{"a",\\}', "null", "NULL"], description: "$1 %s" });
		expect(query).toMatchObject({ name, tags_list: ['{"a",\\}', "null"], description: "$1 %s" });
		expect(namesOf((await ada.api.get(`${PATH}?search=${encodeURIComponent(name)}`)).body)).toEqual([name]);
		expect((await ada.api.post(url(query, "duplicate/"))).body.name).toBe(`${name} (Copy)`);
	});
});

describe("for other features", () => {
	it("a query is found where it is visible, and an execution recorded unless it is gone", async () => {
		const { deps } = t;
		const [events, quotas] = [{ changed: async () => {} }, { check: async () => {} }];
		const feature = createSavedQueriesFeature({ ...deps, events, quotas });
		const query = await make(ada, { flow_data: canvas(), enable_time_machine: true });
		const as = (user: TestUser, isAdmin = false) => ({ userId: user.id, isAdmin });
		const found = await feature.findVisible(as(ada), query.id);
		expect(found).toEqual({
			...{ id: query.id, name: query.name, ownerId: ada.id, enableTimeMachine: true, version: "v1.0" },
			...{ versionHash: query.current_version_hash, flowData: canvas(), postProcessors: [], variables: [] },
		});
		expect(await feature.findVisible(as(bob), query.id)).toBeNull();
		expect(await feature.findVisible(as(bob, true), query.id)).toEqual(found);
		const record = () =>
			deps.store.transaction((tx) =>
				feature.recordExecution(tx, {
					...{ query, user: { userId: bob.id, username: "bob" }, success: true, error_message: null },
					...{ result_count: 1, execution_time_ms: 2 },
				}),
			);
		expect(await record()).toBe(true);
		expect((await ada.api.get(url(query))).body.execution_count).toBe(1);
		await ada.api.del(url(query));
		expect(await record()).toBe(false);
	});
});

describe("audit", () => {
	it("has one entry for each change", async () => {
		const query = await make(ada, { flow_data: canvas() });
		await ada.api.patch(url(query), { flow_data: canvas("b") });
		await ada.api.post(url(query, "versions/v1.0/restore/"));
		await ada.api.post(url(query, "favorite/"));
		await ada.api.del(url(query));
		const { rows } = await t.pool.query("select action, metadata from audit_log where target_id = $1 order by id", [
			query.id,
		]);
		expect(rows.map(({ action }) => action)).toEqual([
			"query_create",
			"query_update",
			"query_restore",
			"query_favorite",
			"query_delete",
		]);
		expect(rows[1].metadata).toMatchObject({ version: "v1.1", fields: ["flow_data"] });
	});
});
