/** Groups, permissions, role templates and quotas through the API. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp } from "../support/harness.ts";
import { findPermissionIds } from "../support/rights.ts";

let t: TestApp;
beforeAll(async () => {
	t = await startTestApp();
});
afterAll(() => t.close());

const GROUPS = "/api/auth/groups/";
const getGroup = async (name: string) =>
	(await t.admin.api.get(GROUPS)).body.results.find((group: { name: string }) => group.name === name);

describe("groups", () => {
	it("are made, shown, changed and deleted", async () => {
		const [id] = await findPermissionIds(t, "view_savedquery");
		const made = await t.admin.api.post(GROUPS, { name: "  Night shift ", permission_ids: [id], is_system: true });
		expect(made.status).toBe(201);
		expect(made.body).toEqual({
			id: expect.any(Number),
			name: "Night shift",
			member_count: 0,
			permissions: [expect.objectContaining({ id, codename: "view_savedquery", app: "queries", model: "savedquery" })],
			quota: null,
			is_system: false,
		});
		const path = `${GROUPS}${made.body.id}/`;
		expect((await t.admin.api.get(path)).body).toEqual(made.body);
		const changed = await t.admin.api.patch(path, { name: "Day shift", permission_ids: [], is_system: true });
		expect(changed.body).toMatchObject({ name: "Day shift", permissions: [], is_system: false });
		expect((await t.admin.api.patch(path, {})).status).toBe(200);
		expect((await t.admin.api.del(path)).status).toBe(204);
		expect((await t.admin.api.get(path)).status).toBe(404);
	});

	it("have names of their own, whatever their case or form", async () => {
		for (const name of ["Admin", "admin", "ａdmin", " ADMIN "]) {
			expect((await t.admin.api.post(GROUPS, { name })).body, name).toHaveProperty("name");
		}
		for (const name of ["", "  ", "a\nb", "a\u200bb", "x".repeat(151), 7]) {
			expect((await t.admin.api.post(GROUPS, { name })).status).toBe(400);
		}
		expect((await t.admin.api.post(GROUPS, { name: "x", permission_ids: [2_000_000] })).body).toHaveProperty(
			"permission_ids",
		);
		expect(await getGroup("x")).toBeUndefined();
	});

	it("Admin keeps its name, itself and its rights; Users its name and itself", async () => {
		const { id, permissions } = await getGroup("Admin");
		const path = `${GROUPS}${id}/`;
		expect((await t.admin.api.patch(path, { name: "Bosses" })).body).toHaveProperty("detail");
		expect((await t.admin.api.del(path)).status).toBe(400);
		const first = { permission_ids: [permissions[0].id] };
		expect((await t.admin.api.post(`${path}remove_permissions/`, first)).status).toBe(400);
		expect((await t.admin.api.patch(path, first)).status).toBe(400);
		expect((await t.admin.api.post(`${path}add_permissions/`, first)).status).toBe(200);
		expect((await t.admin.api.del(`${GROUPS}${(await getGroup("Users")).id}/`)).status).toBe(400);
	});

	it("give and take rights at once", async () => {
		const { body: group } = await t.admin.api.post(GROUPS, { name: "Cleaners" });
		const user = await t.user("cleo", ["Cleaners"]);
		const category = (await t.admin.api.post("/api/queries/categories/", { name: "Old" })).body;
		const remove = () => user.api.del(`/api/queries/categories/${category.id}/`);
		expect((await remove()).status).toBe(403);
		const ids = { permission_ids: await findPermissionIds(t, "delete_querycategory") };
		expect((await t.admin.api.get(`${GROUPS}${group.id}/`)).body.member_count).toBe(1);
		await t.admin.api.post(`${GROUPS}${group.id}/add_permissions/`, ids);
		expect((await remove()).status).toBe(204);
		await t.admin.api.post(`${GROUPS}${group.id}/remove_permissions/`, ids);
		expect((await remove()).status).toBe(403);
		await t.admin.api.post(`${GROUPS}${group.id}/add_permissions/`, ids);
		expect((await remove()).status).toBe(404);
		await t.admin.api.del(`${GROUPS}${group.id}/`);
		expect((await remove()).status).toBe(403);
	});

	it("are cloned with permissions and quota, without members", async () => {
		const ids = await findPermissionIds(t, "view_savedquery", "add_savedquery");
		const quota = { queries_max: 5, can_share: false };
		const { body: from } = await t.admin.api.post(GROUPS, { name: "Original", permission_ids: ids, quota });
		await t.user("oda", ["Original"]);
		const { status, body } = await t.admin.api.post(`${GROUPS}${from.id}/clone/`, { name: "Copy" });
		expect(status).toBe(201);
		expect(body).toMatchObject({ name: "Copy", member_count: 0, is_system: false, quota });
		expect(body.permissions).toEqual(from.permissions);
		expect((await t.admin.api.post(`${GROUPS}${from.id}/clone/`, { name: "COPY" })).body).toHaveProperty("name");
		expect((await t.admin.api.post(`${GROUPS}2000000/clone/`, { name: "Other" })).status).toBe(404);
		expect(await getGroup("Other")).toBeUndefined();
	});

	it("have a quota or none", async () => {
		const { body: group } = await t.admin.api.post(GROUPS, { name: "Limited" });
		const path = `${GROUPS}${group.id}/quota/`;
		expect((await t.admin.api.get(path)).body).toEqual({ detail: expect.any(String) });
		expect((await t.admin.api.put(path, { queries_max: 3 })).body).toMatchObject({ queries_max: 3, can_share: true });
		const put = await t.admin.api.put(path, { can_share: false });
		expect(put.body).toMatchObject({ queries_max: 0, can_share: false, executions_daily: 0 });
		expect((await t.admin.api.get(path)).body).toEqual(put.body);
		expect((await getGroup("Limited")).quota).toEqual(put.body);
		for (const wrong of [{ queries_max: -1 }, { queries_max: 1.5 }, { queries_max: 2 ** 31 }, { can_share: "yes" }]) {
			expect((await t.admin.api.put(path, wrong)).body).toHaveProperty(Object.keys(wrong)[0] ?? "");
		}
		expect((await t.admin.api.del(path)).status).toBe(204);
		expect((await t.admin.api.del(path)).status).toBe(404);
		expect((await t.admin.api.put(`${GROUPS}2000000/quota/`, {})).status).toBe(404);
	});
});

describe("permissions and role templates", () => {
	it("are listed in full", async () => {
		const { body } = await t.admin.api.get("/api/auth/permissions/?page_size=200");
		expect(body.results).toHaveLength(body.count);
		expect(body.results).toContainEqual({
			id: expect.any(Number),
			codename: "write_controllerconnection",
			name: expect.any(String),
			app: "controller",
			model: "controllerconnection",
			is_dangerous: true,
		});
	});

	it("templates are what the seeded groups begin with", async () => {
		const { body } = await t.admin.api.get(`${GROUPS}role_templates/`);
		const keys = ["admin", "operator", "editor", "viewer", "requester", "approver"];
		expect(body.map(({ key }: { key: string }) => key)).toEqual(keys);
		for (const template of body.slice(0, 4)) {
			const seeded = (await getGroup(template.name)).permissions.map(({ id }: { id: number }) => id);
			expect([...template.permission_ids].sort(), template.key).toEqual(seeded.sort());
		}
	});
});
