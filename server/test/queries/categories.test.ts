/** Query categories, through the API. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { findAudit, setRights } from "../support/rights.ts";

const PATH = "/api/queries/categories/";
let t: TestApp;
let ada: TestUser;
let editor: TestUser;
beforeAll(async () => {
	t = await startTestApp();
	ada = await t.user("ada");
	editor = await t.user("eddy", ["Editor"]);
});
afterAll(() => t.close());

const createCategory = async (name: string) => (await ada.api.post(PATH, { name })).body;

describe("categories", () => {
	it("are made with defaults, shown, changed and replaced", async () => {
		const { status, body } = await ada.api.post(PATH, { name: "  Tenants ", id: 999, query_count: 5 });
		expect(status).toBe(201);
		expect(body).toMatchObject({ name: "Tenants", description: "", color: "#64748b", icon: "", query_count: 0 });
		expect(Number.isInteger(body.id)).toBe(true);
		const one = `${PATH}${body.id}/`;
		expect((await ada.api.get(one)).body).toEqual(body);
		expect((await ada.api.patch(one, { color: "#FFF", icon: "tag" })).body).toEqual({
			...body,
			color: "#FFF",
			icon: "tag",
		});
		const replaced = await ada.api.put(one, { name: "Tenancy", description: "x" });
		expect(replaced.body).toEqual({ ...body, name: "Tenancy", description: "x" });
		expect((await ada.api.put(one, { description: "x" })).body).toEqual({ name: ["This field is required."] });
	});

	it("have names that are unique whatever their case, also when two are made at once", async () => {
		const { id } = await createCategory("Faults");
		expect((await ada.api.post(PATH, { name: "faults" })).body).toHaveProperty("name");
		const other = await createCategory("Health");
		expect((await ada.api.patch(`${PATH}${other.id}/`, { name: "FAULTS" })).body).toHaveProperty("name");
		expect((await ada.api.patch(`${PATH}${id}/`, { name: "FAULTS" })).status).toBe(200);
		const raced = await Promise.all(Array.from({ length: 5 }, () => ada.api.post(PATH, { name: "Raced" })));
		expect(raced.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400]);
	});

	it("leave their queries without a category when they go", async () => {
		const { id } = await createCategory("Doomed");
		const flow_data = { nodes: [], edges: [] };
		const query = (await ada.api.post("/api/queries/saved-queries/", { name: "q", flow_data, category: id })).body;
		expect(query).toMatchObject({ category: id, category_name: "Doomed" });
		expect((await ada.api.get(`${PATH}${id}/`)).body.query_count).toBe(1);
		expect((await editor.api.get(`${PATH}${id}/`)).body.query_count).toBe(0);
		expect((await t.admin.api.get(`${PATH}${id}/`)).body.query_count).toBe(1);
		expect((await editor.api.del(`${PATH}${id}/`)).status).toBe(204);
		const after = (await ada.api.get(`/api/queries/saved-queries/${query.id}/`)).body;
		expect(after).toMatchObject({ category: null, category_name: null, updated_at: query.updated_at });
		expect((await editor.api.del(`${PATH}${id}/`)).status).toBe(404);
		expect((await ada.api.get(`${PATH}${id}/`)).status).toBe(404);
	});

	it("are listed by name, searched and paged", async () => {
		for (const name of ["beta list", "Alpha list", "gamma 100% list"]) await createCategory(name);
		const list = async (query: string) =>
			(await ada.api.get(`${PATH}?${query}`)).body.results?.map((c: { name: string }) => c.name);
		expect(await list("search=LIST")).toEqual(["Alpha list", "beta list", "gamma 100% list"]);
		expect(await list("search=100%25")).toEqual(["gamma 100% list"]);
		expect(await list("search=_")).toEqual([]);
		expect(await list("search=list&ordering=-name&page_size=2&page=2")).toEqual(["Alpha list"]);
		expect((await ada.api.get(`${PATH}?ordering=color`)).body.ordering[0]).toContain("created_at");
		expect((await ada.api.get(`${PATH}?page=999`)).status).toBe(404);
		expect((await ada.api.get(`${PATH}?page_size=0`)).body).toHaveProperty("page_size");
	});

	it("need rights: all may view, make and change, editors may delete, strangers nothing", async () => {
		const { id } = await createCategory("Guarded");
		expect((await ada.api.del(`${PATH}${id}/`)).status).toBe(403);
		expect((await t.anonymous.get(PATH)).status).toBe(401);
		const nobody = await t.user("nobody");
		await setRights(t, nobody, {});
		expect((await nobody.api.get(PATH)).status).toBe(403);
	});

	it.each([
		["name", {}],
		["name", { name: "" }],
		["name", { name: "   " }],
		["name", { name: 7 }],
		["name", { name: "x".repeat(101) }],
		["name", { name: "a\u0000b" }],
		["color", { name: "c", color: "red" }],
		["color", { name: "c", color: "#12345" }],
		["color", { name: "c", color: "#ggg" }],
		["description", { name: "c", description: null }],
		["icon", { name: "c", icon: "x".repeat(101) }],
		["non_field_errors", []],
		["non_field_errors", "text"],
		["non_field_errors", null],
	])("refuse a wrong %s", async (field, body) => {
		const answer = await ada.api.post(PATH, body);
		expect(answer.status).toBe(400);
		expect(answer.body).toHaveProperty(field);
	});

	it.each(["0", "-1", "1.5", "abc", "2147483648", "99999999999999999999", "1%00", "%27%20or%201=1"])(
		"know no category %s",
		async (id) => {
			for (const method of ["GET", "DELETE"]) {
				expect((await t.admin.api.send(method, `${PATH}${id}/`)).status).toBe(404);
			}
			expect((await t.admin.api.patch(`${PATH}${id}/`, { icon: "x" })).status).toBe(404);
		},
	);

	it("leave an audit entry for each change", async () => {
		const { id } = await createCategory("Audited");
		await ada.api.patch(`${PATH}${id}/`, { icon: "x" });
		await ada.api.patch(`${PATH}${id}/`, {});
		await t.admin.api.del(`${PATH}${id}/`);
		const entries = (await findAudit(t, id)).filter(
			({ target_type }: { target_type: string }) => target_type === "query_category",
		);
		expect(entries).toMatchObject(
			["category_create", "category_update", "category_delete"].map((action) => ({
				category: "category_management",
				action,
			})),
		);
		expect(entries).toHaveLength(3);
	});
});
