/** Each kind of object has a quota: one more than it is refused with the quota's name. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { canvas, classNode, QUERIES } from "../support/canvases.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { setRights } from "../support/rights.ts";

const GROUPS = "/api/auth/groups/";

let t: TestApp;
let ada: TestUser;
let query: string;
let names = 0;

const KINDS = [
	{ quota: "checks_max", path: "/api/checks/", body: () => ({ saved_query: query, type: "no_rows" }) },
	{ quota: "connection_groups_max", path: "/api/controller/connection-groups/", body: () => ({ connection_ids: [] }) },
	{ quota: "categories_max", path: "/api/queries/categories/", body: () => ({}) },
	{ quota: "categories_max", path: "/api/automation/categories/", body: () => ({}) },
] as const;

beforeAll(async () => {
	t = await startTestApp();
	ada = await t.user("ada");
	const limits = { checks_max: 1, connection_groups_max: 1, categories_max: 1, can_share: false };
	await t.admin.api.post(GROUPS, { name: "Limited", quota: limits });
	const { results } = (await t.admin.api.get("/api/auth/permissions/?page_size=200")).body;
	const permissions = results.map(({ codename }: { codename: string }) => codename);
	await setRights(t, ada, { groups: ["Limited"], permissions });
	query = (await ada.api.post(QUERIES, { name: "Tenants", flow_data: canvas([classNode("fvTenant")]) })).body.id;
});
afterAll(() => t.close());

describe("a quota of one object", () => {
	it.each(KINDS)("refuses one more at $path", async ({ quota, path, body }) => {
		const add = () => ada.api.post(path, { name: `Object ${++names}`, ...body() });
		if (path !== "/api/automation/categories/") expect((await add()).status).toBe(201);
		expect(await add()).toMatchObject({ status: 403, body: { quota } });
	});

	it("without can_share refuses a check that is public, or becomes it", async () => {
		const { results } = (await ada.api.get("/api/checks/")).body;
		const share = { is_public: true };
		const refused = { status: 403, body: { quota: "can_share" } };
		expect(await ada.api.patch(`/api/checks/${results[0].id}/`, share)).toMatchObject(refused);
		const body = { name: "Public", saved_query: query, type: "no_rows", ...share };
		expect(await ada.api.post("/api/checks/", body)).toMatchObject(refused);
	});
});
