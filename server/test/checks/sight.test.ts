/** What others than the owner see and do with a public check. */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { addConnection } from "../support/canvases.ts";
import { CHECKS, getChecks } from "../support/checks.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { setRights } from "../support/rights.ts";
import { createEagerDriver } from "../support/runs.ts";

let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let vera: TestUser;
let open: string;
let secret: string;
let checks: ReturnType<typeof getChecks>;

beforeAll(async () => {
	lab = await startController({ size: "small" });
	t = await startTestApp({ work: true, deps: { controllers: createEagerDriver() } });
	const boss = await t.user("boss", ["Admin"]);
	ada = await t.user("ada", ["Editor"]);
	vera = await t.user("vera");
	checks = getChecks(ada.api, () => t);
	open = await addConnection(boss.api, lab, { name: "fab-open", is_public: true });
	secret = await addConnection(ada.api, lab, { name: "fab-secret" });
});
afterEach(() => lab.clearFaults());
afterAll(async () => {
	await t.close();
	await lab.close();
});

describe("a viewer of a public check", () => {
	it("reads nothing of a private connection in the state of all connections together", async () => {
		await setRights(t, vera, { permissions: ["view_check", "view_savedquery"] });
		const query = await checks.query("fvTenant", { is_public: true });
		const check = await checks.add({ saved_query: query, type: "same_everywhere", is_public: true });
		await checks.run(query, open);
		await checks.becomes(check.id, null, "ok");
		lab.setFaults({ busy: { match: "fvTenant" } });
		await checks.run(query, secret);
		expect((await checks.becomes(check.id, null, "error")).error).toContain("fab-secret");
		const [list, detail, evidence] = [
			await vera.api.get(CHECKS),
			await vera.api.get(`${CHECKS}${check.id}/`),
			await vera.api.get(`${CHECKS}${check.id}/states/all/`),
		];
		expect(detail.body.states).toMatchObject([{ state: "error", error: expect.stringContaining("you do not see") }]);
		for (const { text, status } of [list, detail, evidence]) {
			expect(status).toBe(200);
			expect(text).not.toMatch(/fab-secret|127\.0\.0\.1/);
		}
		expect((await ada.api.get(`${CHECKS}${check.id}/states/all/`)).text).toContain("fab-secret");
	});

	it("cannot acknowledge an entry that she does not see, nor any without change_check", async () => {
		const query = await checks.query("fvTenant", { is_public: true });
		const check = await checks.add({ saved_query: query, type: "no_rows", is_public: true });
		for (const connection of [open, secret]) await checks.run(query, connection);
		const acknowledge = (body?: object) => vera.api.post(`${CHECKS}${check.id}/acknowledge/`, body ?? {});
		await setRights(t, vera, { permissions: ["view_check"] });
		expect((await acknowledge()).status).toBe(403);
		await setRights(t, vera, { permissions: ["view_check", "change_check"] });
		expect((await acknowledge({ controller_connection_id: secret })).body).toHaveProperty("controller_connection_id");
		expect((await acknowledge()).status).toBe(200);
		const by = async (connection: string) => (await checks.getState(check.id, connection)).acknowledged_by;
		expect([await by(open), await by(secret)]).toEqual([expect.objectContaining({ username: "vera" }), null]);
		const across = await checks.add({
			saved_query: query,
			type: "unique",
			config: { fields: ["class"] },
			is_public: true,
		});
		await checks.becomes(across.id, null, "failing");
		expect((await vera.api.post(`${CHECKS}${across.id}/acknowledge/`, {})).status).toBe(200);
		expect((await checks.getState(across.id, null)).acknowledged_by).toBeNull();
	});

	it("cannot read rows of others' runs through a preview of her own rule", async () => {
		const query = await checks.query("fvTenant", { is_public: true });
		await checks.run(query, open);
		const preview = async () =>
			(await vera.api.post(`${CHECKS}preview/`, { saved_query: query, type: "no_rows" })).body.results;
		await setRights(t, vera, { permissions: ["view_check"] });
		expect(await preview()).toEqual([]);
		await setRights(t, vera, { permissions: ["view_check", "execute_savedquery"] });
		expect(await preview()).toMatchObject([{ state: "failing", controller_connection_name: "fab-open" }]);
	});
});
