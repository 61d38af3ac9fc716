/** Saved queries, through the API: creating, favorites, copies, audit. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordExecution } from "../../src/areas/queries/saved/record-execution.ts";
import { loadVisibleQuery } from "../../src/areas/queries/saved/visible-query.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { findAudit } from "../support/rights.ts";
import {
	buildQueryCanvas,
	createQuery,
	createQueryEdge,
	EMPTY,
	formatPlaceholder,
	getQueryUrl,
	PATH,
} from "../support/saved-queries.ts";

let t: TestApp;
let ada: TestUser;
let bob: TestUser;
let cid: TestUser;
beforeAll(async () => {
	t = await startTestApp({ poolSize: 12 });
	[ada, bob, cid] = await Promise.all([t.user("ada"), t.user("bob"), t.user("cid")]);
});
afterAll(() => t.close());

describe("creating", () => {
	it("answers the detail with defaults, as v1.0", async () => {
		const { status, body } = await ada.api.post(PATH, {
			name: " First ",
			flow_data: buildQueryCanvas(),
			extra: 1,
			owner_id: 1,
		});
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
			flow_data: buildQueryCanvas(),
			post_processors: [],
			variables: [],
			shared_with: [],
			can_edit: true,
			can_delete: true,
		});
		expect(body.version_history).toMatchObject([{ version: "v1.0", created_by: "ada", changes: ["Created"] }]);
		expect(body.current_version_hash).toBe(body.version_history[0].hash);
		expect((await ada.api.get(getQueryUrl(body))).body).toEqual(body);
	});

	it("keeps names unique per owner", async () => {
		await createQuery(ada, { name: "Twice" });
		expect((await ada.api.post(PATH, { name: "Twice", flow_data: EMPTY })).body).toHaveProperty("name");
		await createQuery(bob, { name: "Twice" });
		const raced = await Promise.all(
			Array.from({ length: 5 }, () => ada.api.post(PATH, { name: "Raced", flow_data: EMPTY })),
		);
		expect(raced.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400]);
	});

	it("trims tags, and drops blanks and repetitions", async () => {
		const { tags_list } = await createQuery(ada, { tags_list: [" Core ", "core", "", "  ", "edge", "Édge", "édge"] });
		expect(tags_list).toEqual(["Core", "edge", "Édge"]);
	});

	it("stores nothing of a query that is refused", async () => {
		const flow_data = { nodes: [{ id: "a", type: "classNode", data: {} }], edges: [createQueryEdge("a", "ghost")] };
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
		expect((await t.admin.api.get(`${PATH}?search=Broken`)).body.count).toBe(0);
	});

	it("checks placeholders against the variables, on both ways of changing them", async () => {
		const flow_data = buildQueryCanvas(formatPlaceholder("tenant"));
		const refused = await ada.api.post(PATH, { name: "Template", flow_data });
		expect(refused.body).toHaveProperty(["flow_data.nodes.1.data.value"]);
		const variables = [{ id: "tenant", type: "text", required: true, colour: "kept" }];
		const query = await createQuery(ada, { flow_data, variables, is_template: true });
		expect(query.variables).toEqual(variables);
		expect((await ada.api.patch(getQueryUrl(query), { variables: [] })).status).toBe(400);
		const renamed = await ada.api.patch(getQueryUrl(query), {
			flow_data: buildQueryCanvas(formatPlaceholder("t")),
			variables: [{ id: "t" }],
		});
		expect(renamed.body).toMatchObject({ version_string: "v1.1", variables: [{ id: "t" }] });
	});
});

describe("favorites, copies and connections", () => {
	it("favorite turns over for its user only, and shows in the profile", async () => {
		const fay = await t.user("fay");
		const query = await createQuery(ada, { is_public: true });
		await createQuery(fay);
		expect((await fay.api.post(getQueryUrl(query, "favorite/"))).body).toEqual({ is_favorite: true });
		expect((await fay.api.get(getQueryUrl(query))).body.is_favorite).toBe(true);
		expect((await ada.api.get(getQueryUrl(query))).body.is_favorite).toBe(false);
		expect((await fay.api.get("/api/auth/profile/")).body).toMatchObject({ query_count: 1, favorite_count: 1 });
		expect((await fay.api.post(getQueryUrl(query, "favorite/"))).body).toEqual({ is_favorite: false });
		await fay.api.post(getQueryUrl(query, "favorite/"));
		await ada.api.patch(getQueryUrl(query), { is_public: false });
		expect((await fay.api.get("/api/auth/profile/")).body).toMatchObject({ favorite_count: 0 });
	});

	it("of parallel favorites each counts", async () => {
		const query = await createQuery(ada);
		const answers = await Promise.all(Array.from({ length: 9 }, () => ada.api.post(getQueryUrl(query, "favorite/"))));
		expect(answers.filter(({ body }) => body.is_favorite)).toHaveLength(5);
		expect(answers.filter(({ body }) => !body.is_favorite)).toHaveLength(4);
		expect((await ada.api.get(getQueryUrl(query))).body.is_favorite).toBe(true);
	});

	it("duplicate makes a private v1.0 of the caller's, numbered when taken", async () => {
		const variables = [{ id: "v" }];
		const query = await createQuery(ada, {
			name: "orig",
			description: "d",
			tags_list: ["x"],
			is_public: true,
			is_template: true,
			shared_with: [cid.id],
			flow_data: buildQueryCanvas(formatPlaceholder("v")),
			variables,
			enable_time_machine: true,
		});
		await ada.api.patch(getQueryUrl(query), { flow_data: buildQueryCanvas(`${formatPlaceholder("v")}!`) });
		const copy = await bob.api.post(getQueryUrl(query, "duplicate/"));
		expect(copy.status).toBe(201);
		expect(copy.body).toMatchObject({
			name: "orig (Copy)",
			description: "d",
			tags_list: ["x"],
			is_public: false,
			is_template: true,
			flow_data: buildQueryCanvas(`${formatPlaceholder("v")}!`),
			variables,
			enable_time_machine: true,
			shared_with: [],
			execution_count: 0,
			version_string: "v1.0",
			is_favorite: false,
			can_edit: true,
			created_by: { id: bob.id },
		});
		expect(copy.body.version_history).toMatchObject([{ version: "v1.0", changes: ["Copied from orig v1.1"] }]);
		expect(copy.body.id).not.toBe(query.id);
		expect((await bob.api.post(getQueryUrl(query, "duplicate/"))).body.name).toBe("orig (Copy 2)");
		expect((await cid.api.get(getQueryUrl(copy.body))).status).toBe(404);
		const many = await Promise.all(Array.from({ length: 5 }, () => ada.api.post(getQueryUrl(query, "duplicate/"))));
		expect(many.map(({ body }) => body.name).sort()).toEqual(
			["orig (Copy)", "orig (Copy 2)", "orig (Copy 3)", "orig (Copy 4)", "orig (Copy 5)"].sort(),
		);
		const long = await createQuery(ada, { name: "n".repeat(200) });
		for (const suffix of [" (Copy)", " (Copy 2)"]) {
			const { name } = (await ada.api.post(getQueryUrl(long, "duplicate/"))).body;
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
		const query = await createQuery(ada);
		for (const action of ["execute/", "favorite/", "duplicate/", "versions/v1.0/restore/"]) {
			expect((await ada.api.get(getQueryUrl(query, action))).status).toBe(405);
		}
	});
});

describe("for other areas", () => {
	it("a query is found where it is visible, and an execution recorded unless it is gone", async () => {
		const { deps } = t;
		const { db } = deps.store;
		const query = await createQuery(ada, { flow_data: buildQueryCanvas(), enable_time_machine: true });
		const as = (user: TestUser, isAdmin = false) => ({ userId: user.id, isAdmin });
		const found = await loadVisibleQuery(db, as(ada), query.id);
		expect(found).toEqual({
			id: query.id,
			name: query.name,
			isPublic: false,
			ownerId: ada.id,
			enableTimeMachine: true,
			version: "v1.0",
			versionHash: query.current_version_hash,
			flowData: buildQueryCanvas(),
			postProcessors: [],
			variables: [],
		});
		expect(await loadVisibleQuery(db, as(bob), query.id)).toBeNull();
		expect(await loadVisibleQuery(db, as(bob, true), query.id)).toEqual(found);
		const record = () =>
			deps.store.transaction((tx) =>
				recordExecution(t.app.context, tx, {
					query,
					user: { userId: bob.id, username: "bob" },
					success: true,
					error_message: null,
					result_count: 1,
					execution_time_ms: 2,
				}),
			);
		expect(await record()).toBe(true);
		expect((await ada.api.get(getQueryUrl(query))).body.execution_count).toBe(1);
		await ada.api.del(getQueryUrl(query));
		expect(await record()).toBe(false);
	});
});

describe("audit", () => {
	it("has one entry for each change", async () => {
		const query = await createQuery(ada, { flow_data: buildQueryCanvas() });
		await ada.api.patch(getQueryUrl(query), { flow_data: buildQueryCanvas("b") });
		await ada.api.post(getQueryUrl(query, "versions/v1.0/restore/"));
		await ada.api.post(getQueryUrl(query, "favorite/"));
		await ada.api.del(getQueryUrl(query));
		const entries = await findAudit(t, query.id);
		expect(entries.map(({ action }: { action: string }) => action)).toEqual([
			"query_create",
			"query_update",
			"query_restore",
			"query_favorite",
			"query_delete",
		]);
		expect(entries[1].metadata).toMatchObject({ version: "v1.1", fields: ["flow_data"] });
	});
});
