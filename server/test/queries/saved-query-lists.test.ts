/** Saved queries that a user sees: sharing and rights, filters, orderings and pages of lists. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { setRights } from "../support/rights.ts";
import { createQuery, EMPTY, getNames, getQueryUrl, PATH } from "../support/saved-queries.ts";

let t: TestApp;
let ada: TestUser;
let bob: TestUser;
let cid: TestUser;
beforeAll(async () => {
	t = await startTestApp({ poolSize: 12 });
	[ada, bob, cid] = await Promise.all([t.user("ada"), t.user("bob"), t.user("cid")]);
});
afterAll(() => t.close());

describe("visibility", () => {
	it("own, shared and public ones are seen; owners and admins edit", async () => {
		const own = await createQuery(ada, { name: "vis own" });
		const shared = await createQuery(ada, { name: "vis shared", shared_with: [bob.id, bob.id, ada.id] });
		const open = await createQuery(ada, { name: "vis public", is_public: true });
		expect(shared.shared_with).toEqual([bob.id]);
		const seen = async (user: TestUser) => getNames((await user.api.get(`${PATH}?search=vis%20&ordering=name`)).body);
		expect(await seen(ada)).toEqual(["vis own", "vis public", "vis shared"]);
		expect(await seen(bob)).toEqual(["vis public", "vis shared"]);
		expect(await seen(cid)).toEqual(["vis public"]);
		expect(await seen(t.admin)).toEqual(["vis own", "vis public", "vis shared"]);

		const calls = (user: TestUser, query: { id: string }) =>
			Promise.all(
				[
					user.api.get(getQueryUrl(query)),
					user.api.get(getQueryUrl(query, "versions/v1.0/")),
					user.api.post(getQueryUrl(query, "execute/"), { success: true }),
					user.api.post(getQueryUrl(query, "favorite/")),
					user.api.patch(getQueryUrl(query), { description: "x" }),
					user.api.put(getQueryUrl(query), { name: query.id, flow_data: EMPTY }),
					user.api.post(getQueryUrl(query, "versions/v1.0/restore/")),
				].map(async (answer) => (await answer).status),
			);
		expect(await calls(cid, own)).toEqual([404, 404, 404, 404, 404, 404, 404]);
		expect(await calls(cid, shared)).toEqual([404, 404, 404, 404, 404, 404, 404]);
		expect(await calls(bob, shared)).toEqual([200, 200, 200, 200, 403, 403, 403]);
		expect(await calls(cid, open)).toEqual([200, 200, 200, 200, 403, 403, 403]);
		expect(await calls(t.admin, own)).toEqual([200, 200, 200, 200, 200, 200, 200]);
		expect(await calls(ada, shared)).toEqual([200, 200, 200, 200, 200, 200, 200]);
		expect((await cid.api.get(getQueryUrl(open))).body).toMatchObject({ can_edit: false, can_delete: false });
		expect((await t.admin.api.get(getQueryUrl(own))).body).toMatchObject({ can_edit: true, can_delete: true });
		expect((await cid.api.del(getQueryUrl(own))).status).toBe(404);
		expect((await cid.api.del(getQueryUrl(open))).status).toBe(403);
		expect((await t.admin.api.del(getQueryUrl(own))).status).toBe(204);
		expect((await ada.api.del(getQueryUrl(open))).status).toBe(204);
		expect((await ada.api.get(getQueryUrl(open))).status).toBe(404);
	});

	it("ends when sharing ends, and needs users that exist", async () => {
		const query = await createQuery(ada, { shared_with: [bob.id, cid.id] });
		const narrowed = await ada.api.patch(getQueryUrl(query), { shared_with: [cid.id] });
		expect(narrowed.body).toMatchObject({ shared_with: [cid.id], version_string: "v1.0" });
		expect((await bob.api.get(getQueryUrl(query))).status).toBe(404);
		const unknown = await ada.api.patch(getQueryUrl(query), { shared_with: [cid.id, 123456] });
		expect(unknown.body.shared_with[0]).toContain("123456");
		expect((await ada.api.get(getQueryUrl(query))).body.shared_with).toEqual([cid.id]);
	});

	it("keeps the owner at an admin's change, whose name must be new among the owner's", async () => {
		await createQuery(ada, { name: "admin taken" });
		const query = await createQuery(ada);
		const changed = await t.admin.api.patch(getQueryUrl(query), {
			name: "by admin",
			created_by: 1,
			id: "x",
			execution_count: 9,
		});
		expect(changed.body).toMatchObject({ id: query.id, created_by: { id: ada.id }, execution_count: 0 });
		expect((await t.admin.api.patch(getQueryUrl(query), { name: "admin taken" })).body).toHaveProperty("name");
	});

	it("rights are the route's permissions", async () => {
		const viewer = await t.user("viewer");
		await setRights(t, viewer, { groups: ["Viewer"] });
		const open = await createQuery(ada, { is_public: true });
		expect((await viewer.api.get(getQueryUrl(open))).status).toBe(200);
		expect((await viewer.api.post(getQueryUrl(open, "favorite/"))).status).toBe(200);
		expect((await viewer.api.post(getQueryUrl(open, "execute/"), { success: true })).status).toBe(403);
		expect((await viewer.api.post(getQueryUrl(open, "duplicate/"))).status).toBe(403);
		expect((await viewer.api.post(PATH, { name: "x", flow_data: EMPTY })).status).toBe(403);
		expect((await t.anonymous.get(PATH)).status).toBe(401);
	});
});

describe("lists", () => {
	it("leave out the canvas and filter", async () => {
		const category = (await ada.api.post("/api/queries/categories/", { name: "listed" })).body;
		const inside = await createQuery(ada, {
			name: "list a",
			category: category.id,
			is_template: true,
			description: "Näher 50% _x",
		});
		const other = await createQuery(bob, { name: "list b", is_public: true });
		await ada.api.post(getQueryUrl(other, "favorite/"));
		const names = async (query: string, user = ada) =>
			getNames((await user.api.get(`${PATH}?ordering=name&${query}`)).body).filter((name) => name.startsWith("list"));
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
		for (let i = 0; i < 7; i++) await createQuery(dan, { name: `page ${i % 2 ? "A" : "a"}${i}` });
		const some = (await dan.api.get(`${PATH}?search=page%20&my_queries=true`)).body.results;
		await dan.api.post(getQueryUrl(some[0], "execute/"), { success: true });
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
