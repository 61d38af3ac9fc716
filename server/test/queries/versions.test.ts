/**
 * Versions of saved queries, through the API: round trips of canvases, numbers, history, restoring,
 * changes at the same time.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import {
	buildClassNode,
	buildQueryCanvas,
	createQuery,
	createQueryEdge,
	EMPTY,
	filterNode,
	formatPlaceholder,
	getQueryUrl,
	PATH,
} from "../support/saved-queries.ts";

let t: TestApp;
let ada: TestUser;
let bob: TestUser;
beforeAll(async () => {
	t = await startTestApp({ poolSize: 12 });
	[ada, bob] = await Promise.all([t.user("ada"), t.user("bob")]);
});
afterAll(() => t.close());

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
		const query = await createQuery(ada, { flow_data });
		const read = await ada.api.get(getQueryUrl(query));
		expect(JSON.stringify(read.body.flow_data)).toBe(JSON.stringify(flow_data));
		expect(read.text).toContain(JSON.stringify(flow_data));
		const version = await ada.api.get(getQueryUrl(query, "versions/v1.0/"));
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
		const query = await createQuery(ada, { post_processors });
		expect(JSON.stringify(query.post_processors)).toBe(JSON.stringify(post_processors));
	});

	it("of 8 MB is saved, one above the limit answers 413", async () => {
		const of = (bytes: number) => ({ ...EMPTY, blob: "x".repeat(bytes) });
		const query = await createQuery(ada, { flow_data: of(8_000_000) });
		expect((await ada.api.get(getQueryUrl(query))).body.flow_data.blob).toHaveLength(8_000_000);
		expect((await ada.api.post(PATH, { name: "huge", flow_data: of(10 * 1024 * 1024) })).status).toBe(413);
		expect((await ada.api.patch(getQueryUrl(query), { flow_data: of(10 * 1024 * 1024) })).status).toBe(413);
		await ada.api.del(getQueryUrl(query));
	});
});

describe("a version in advance", () => {
	it("is what saving then gives, and saves nothing", async () => {
		const query = await createQuery(ada, {
			flow_data: buildQueryCanvas(),
			post_processors: [{ type: "flatten", config: {} }],
		});
		const ask = async (body: object) => ada.api.post(getQueryUrl(query, "version-preview/"), body);
		expect((await ask({ flow_data: buildQueryCanvas() })).body).toEqual({
			level: "none",
			version: "v1.0",
			changes: [],
		});
		const told = (await ask({ flow_data: buildQueryCanvas("test") })).body;
		expect(told).toMatchObject({ level: "minor", version: "v1.1" });
		const wider = { ...buildQueryCanvas(), nodes: [...buildQueryCanvas().nodes, buildClassNode("c", "fvCtx")] };
		expect((await ask({ flow_data: wider })).body).toMatchObject({ level: "major", version: "v2.0" });
		expect((await ask({ flow_data: buildQueryCanvas(), post_processors: [] })).body.version).toBe("v1.1");
		expect((await ada.api.get(getQueryUrl(query))).body).toMatchObject({
			version_string: "v1.0",
			flow_data: buildQueryCanvas(),
		});
		const saved = (await ada.api.patch(getQueryUrl(query), { flow_data: buildQueryCanvas("test") })).body;
		expect(saved.version_string).toBe(told.version);
		expect(saved.version_history.at(-1).changes).toEqual(told.changes);
	});

	it("refuses what saving would refuse, and strangers", async () => {
		const query = await createQuery(ada, { flow_data: buildQueryCanvas() });
		const broken = { nodes: [filterNode("f", "x")], edges: [] };
		const { status, body } = await ada.api.post(getQueryUrl(query, "version-preview/"), { flow_data: broken });
		expect([status, Object.keys(body)]).toEqual([400, ["flow_data.nodes.0"]]);
		expect((await ada.api.post(getQueryUrl(query, "version-preview/"), {})).body).toHaveProperty("flow_data");
		expect((await bob.api.post(getQueryUrl(query, "version-preview/"), { flow_data: EMPTY })).status).toBe(404);
	});
});

describe("versions", () => {
	const versionAfter = async (query: { id: string }, fields: object) => {
		const { status, body } = await ada.api.patch(getQueryUrl(query), fields);
		expect(status).toBe(200);
		return body.version_string;
	};

	it("move with the meaning of the canvas only", async () => {
		const query = await createQuery(ada, { flow_data: buildQueryCanvas() });
		const next = (fields: object) => versionAfter(query, fields);
		expect(await next({ name: "renamed", description: "d", tags_list: ["x"], is_public: true })).toBe("v1.0");
		const moved = {
			...buildQueryCanvas(),
			nodes: buildQueryCanvas().nodes.map((node) => ({
				...node,
				position: { x: 99, y: 1 },
				width: 10,
				style: { color: "red" },
			})),
			viewport: { x: 1, y: 1, zoom: 2 },
		};
		expect(await next({ flow_data: moved })).toBe("v1.0");
		expect((await ada.api.get(getQueryUrl(query))).body.flow_data).toEqual(moved);
		expect(await next({ flow_data: buildQueryCanvas() })).toBe("v1.0");
		expect(await next({ flow_data: buildQueryCanvas("test") })).toBe("v1.1");
		expect(await next({ post_processors: [{ type: "flatten", config: {} }] })).toBe("v1.2");
		expect(await next({ flow_data: buildQueryCanvas("test") })).toBe("v1.2");
		const wider = {
			nodes: [buildClassNode("t", "fvTenant", { scope: "subtree" }), filterNode("f", "test")],
			edges: [createQueryEdge("t", "f")],
		};
		expect(await next({ flow_data: wider })).toBe("v2.0");
		const two = { nodes: [...wider.nodes, buildClassNode("c", "fvCtx")], edges: wider.edges };
		expect(await next({ flow_data: two })).toBe("v3.0");
		expect(await next({ flow_data: { ...two, edges: [...two.edges, createQueryEdge("f", "c")] } })).toBe("v4.0");

		const { body } = await ada.api.get(getQueryUrl(query));
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
		const query = await createQuery(ada, {
			flow_data: buildQueryCanvas(formatPlaceholder("v")),
			variables,
			post_processors,
		});
		await ada.api.patch(getQueryUrl(query), {
			flow_data: buildQueryCanvas("fixed"),
			variables: [],
			post_processors: [],
		});
		const old = await ada.api.get(getQueryUrl(query, "versions/v1.0/"));
		expect(old.body).toEqual({
			...query.version_history[0],
			flow_data: buildQueryCanvas(formatPlaceholder("v")),
			variables,
			post_processors,
		});
		const restored = await ada.api.post(getQueryUrl(query, "versions/v1.0/restore/"));
		expect(restored.status).toBe(200);
		expect(restored.body).toMatchObject({
			version_string: "v1.2",
			flow_data: buildQueryCanvas(formatPlaceholder("v")),
			variables,
			post_processors,
			current_version_hash: query.current_version_hash,
		});
		expect(restored.body.version_history[2].changes[0]).toBe("Restored v1.0");
		expect((await ada.api.post(getQueryUrl(query, "versions/v1.2/restore/"))).body.version_string).toBe("v1.3");
		expect((await ada.api.get(getQueryUrl(query, "versions/v1.1/"))).body.flow_data).toEqual(buildQueryCanvas("fixed"));
	});

	it.each(["v9.9", "1.0", "v1", "v1.0.0", "latest", "v-1.0", "v9999999999.0", "v999999999.999999999", "v1.0%00"])(
		"know no version %s",
		async (version) => {
			const query = await createQuery(ada);
			expect((await ada.api.get(getQueryUrl(query, `versions/${version}/`))).status).toBe(404);
			expect((await ada.api.post(getQueryUrl(query, `versions/${version}/restore/`))).status).toBe(404);
		},
	);

	it("PUT replaces all fields and moves the version likewise", async () => {
		const query = await createQuery(ada, {
			flow_data: buildQueryCanvas(),
			tags_list: ["x"],
			is_public: true,
			shared_with: [bob.id],
		});
		const put = await ada.api.put(getQueryUrl(query), { name: "put", flow_data: buildQueryCanvas("other") });
		expect(put.body).toMatchObject({
			name: "put",
			tags_list: [],
			is_public: false,
			shared_with: [],
			version_string: "v1.1",
		});
		expect((await ada.api.put(getQueryUrl(query), { name: "put" })).body).toEqual({
			flow_data: ["This field is required."],
		});
	});

	it("an empty PATCH changes nothing", async () => {
		const query = await createQuery(ada);
		await t.clock.advance(1_000);
		expect((await ada.api.patch(getQueryUrl(query), {})).body).toEqual(query);
		expect((await ada.api.patch(getQueryUrl(query), { nonsense: 1 })).body).toEqual(query);
		expect((await ada.api.patch(getQueryUrl(query), { description: "d" })).body.updated_at).not.toBe(query.updated_at);
	});
});

describe("at the same time", () => {
	it("ten changes of the filter make ten versions", async () => {
		const query = await createQuery(ada, { flow_data: buildQueryCanvas() });
		const answers = await Promise.all(
			Array.from({ length: 10 }, (_, i) =>
				ada.api.patch(getQueryUrl(query), { flow_data: buildQueryCanvas(`value ${i}`) }),
			),
		);
		expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
		expect(new Set(answers.map(({ body }) => body.version_string)).size).toBe(10);
		const { body } = await ada.api.get(getQueryUrl(query));
		expect(body.version_string).toBe("v1.10");
		expect(body.version_history.map((entry: { version: string }) => entry.version)).toEqual(
			Array.from({ length: 11 }, (_, i) => `v1.${i}`),
		);
		for (const { body: saved } of answers) {
			const version = await ada.api.get(getQueryUrl(query, `versions/${saved.version_string}/`));
			expect(version.body.flow_data).toEqual(saved.flow_data);
		}
	});

	it("changes of different fields are all kept", async () => {
		const query = await createQuery(ada, { flow_data: buildQueryCanvas() });
		await Promise.all([
			ada.api.patch(getQueryUrl(query), { description: "new" }),
			ada.api.patch(getQueryUrl(query), { tags_list: ["a"] }),
			ada.api.patch(getQueryUrl(query), { flow_data: buildQueryCanvas("z") }),
			ada.api.patch(getQueryUrl(query), { post_processors: [{ type: "flatten", config: {} }] }),
			ada.api.patch(getQueryUrl(query), { shared_with: [bob.id] }),
			t.admin.api.patch(getQueryUrl(query), { is_public: true }),
		]);
		expect((await ada.api.get(getQueryUrl(query))).body).toMatchObject({
			description: "new",
			tags_list: ["a"],
			flow_data: buildQueryCanvas("z"),
			shared_with: [bob.id],
			is_public: true,
			post_processors: [{ type: "flatten", config: {} }],
			version_string: "v1.2",
		});
	});

	it("deleting and changing end well", async () => {
		const query = await createQuery(ada, { flow_data: buildQueryCanvas() });
		const answers = await Promise.all([
			ada.api.del(getQueryUrl(query)),
			...Array.from({ length: 4 }, (_, i) =>
				ada.api.patch(getQueryUrl(query), { flow_data: buildQueryCanvas(`v${i}`) }),
			),
			ada.api.post(getQueryUrl(query, "execute/"), { success: true }),
			ada.api.post(getQueryUrl(query, "favorite/")),
			ada.api.post(getQueryUrl(query, "duplicate/")),
		]);
		for (const { status } of answers) expect([200, 201, 204, 404]).toContain(status);
		expect((await ada.api.get(getQueryUrl(query))).status).toBe(404);
	});
});
