/** The role Author (group Editor), and the notice of rights that differ after an upgrade. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { API, type Body, type Rig, startRig } from "../support/automation.ts";
import type { TestUser } from "../support/harness.ts";
import { findPermissionIds, groupIds } from "../support/rights.ts";

const TITLE = "Rights of users after the upgrade";

let rig: Rig;
let author: TestUser;
beforeAll(async () => {
	rig = await startRig();
	author = await rig.t.user("author", ["Editor"]);
});
afterAll(() => rig.close());

const listNotices = async (): Promise<Body[]> => {
	const { body } = await rig.t.admin.api.get("/api/notifications/notifications/?page_size=200");
	return body.results.filter(({ title }: Body) => title === TITLE);
};

it("an author makes, changes and deletes automation templates, and makes no requests", async () => {
	const template = await rig.template({}, author);
	const path = `${API}templates/${template.id}/`;
	expect((await author.api.patch(path, { description: "For ports" })).status).toBe(200);
	const list = { name: "Sites", values: ["east"] };
	expect((await author.api.post(`${API}validation-lists/`, list)).status).toBe(201);
	const request = { template: template.id, title: "T", input_data: [{ name: "a" }] };
	expect((await author.api.post(`${API}requests/`, request)).status).toBe(403);
	expect((await author.api.del(path)).status).toBe(204);
});

it("the role template of an author has the rights of its group", async () => {
	const { body } = await rig.t.admin.api.get("/api/auth/groups/role_templates/");
	const list: Body[] = body.results ?? body;
	const role = list.find(({ key }) => key === "editor");
	expect(role.name).toBe("Editor");
	const wanted = await findPermissionIds(rig.t, "add_automationtemplate", "change_automationtemplate");
	expect(role.permission_ids).toEqual(expect.arrayContaining(wanted));
});

it("a new installation sends no notice of differences", async () => {
	await rig.t.clock.advance(120_000);
	expect(await listNotices()).toEqual([]);
});

it("administrators are notified once after an upgrade of what differs, and nothing is changed", async () => {
	const [editor, viewer, users] = await groupIds(rig.t, "Editor", "Viewer", "Users");
	const [right] = await findPermissionIds(rig.t, "add_automationtemplate");
	const both = await rig.t.user("both");
	await rig.t.admin.api.patch(`/api/auth/management/${both.id}/`, { group_ids: [viewer, users] });
	await rig.t.pool.query("delete from group_permissions where group_id = $1 and permission_id = $2", [editor, right]);
	await rig.t.pool.query("insert into upgrade_reports (name) values ('roles')");
	const [notice] = await rig.settle("administrators have the notice", async () => {
		const found = await listNotices();
		return found.length > 0 ? found : null;
	});
	expect(notice).toMatchObject({ category: "system", severity: "warning" });
	expect(notice.body).toMatch(/Editor \(Author\).*add_automationtemplate/);
	expect(notice.body).toMatch(/1 user.*Viewer.*Users/);
	await rig.t.clock.advance(120_000);
	expect(await listNotices()).toHaveLength(1);
	const { body } = await rig.t.admin.api.get(`/api/auth/management/${both.id}/`);
	expect([...body.group_ids].sort()).toEqual([viewer, users].sort());
});
