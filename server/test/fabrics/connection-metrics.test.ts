/** Which connections reach their controllers, as Prometheus reads it. */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createMetrics } from "../../src/core/system/prometheus.ts";
import { addConnection } from "../support/canvases.ts";
import { getChecks } from "../support/checks.ts";
import { CONNECTIONS } from "../support/connection-bodies.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { createEagerDriver } from "../support/runs.ts";

const metrics = { ...createMetrics("0.0.0-test"), token: "a metrics token that only tests use" };
let t: TestApp;
let lab: RunningController;
let ada: TestUser;
beforeAll(async () => {
	lab = await startController({ size: "small" });
	t = await startTestApp({ work: true, deps: { controllers: createEagerDriver(), metrics } });
	ada = await t.user("ada", ["Editor"]);
});
afterAll(async () => {
	await t.close();
	await lab.close();
});

/** Values by label, of a scrape. */
async function readGauge(name: string): Promise<Record<string, number>> {
	const { text } = await t.anonymous.get("/metrics", { authorization: `Bearer ${metrics.token}` });
	const lines = text.split("\n").filter((line) => line.startsWith(`${name}{`));
	return Object.fromEntries(
		lines.map((line) => {
			const [, label = "", value] = /\{connection="(.*)"\} (\S+)$/.exec(line) ?? [];
			return [label, Number(value)];
		}),
	);
}
const readUp = () => readGauge("weft_connection_up");
const readSuccess = () => readGauge("weft_connection_last_success_timestamp_seconds");
const testConnection = (id: string, { api }: TestUser = ada) => api.post(`${CONNECTIONS}${id}/test/`, {});

it("says nothing of connections that were not used, and 1 or 0 after a test", async () => {
	const good = await addConnection(ada.api, lab, { name: "fab-good" });
	const bad = await addConnection(ada.api, { ...lab, password: "wrong" }, { name: "fab-bad" });
	expect([await readUp(), await readSuccess()]).toEqual([{}, {}]);
	await testConnection(good);
	await testConnection(bad);
	expect(await readUp()).toEqual({ "fab-bad": 0, "fab-good": 1 });
	expect(await readSuccess()).toEqual({ "fab-good": t.clock.now() / 1_000 });
});

it("follows runs, keeps the time of the last success, and leaves out what is switched off", async () => {
	const checks = getChecks(ada.api, () => t);
	const id = await addConnection(ada.api, lab, { name: "fab-run" });
	const query = await checks.query();
	await checks.run(query, id);
	const reached = t.clock.now() / 1_000;
	expect(await readUp()).toMatchObject({ "fab-run": 1 });
	lab.setFaults({ login_refused: true, session_revoked: true });
	await testConnection(id);
	lab.clearFaults();
	expect(await readUp()).toMatchObject({ "fab-run": 0 });
	expect(await readSuccess()).toMatchObject({ "fab-run": expect.closeTo(reached, 0) });
	await checks.run(query, id);
	expect(await readUp()).toMatchObject({ "fab-run": 1 });
	expect((await ada.api.patch(`${CONNECTIONS}${id}/`, { is_active: false })).status).toBe(200);
	expect(await readUp()).not.toHaveProperty("fab-run");
});

it("counts connections of one name as the worst of them, and escapes names", async () => {
	const bob = await t.user("bob-of-metrics", ["Editor"]);
	const name = 'fab "x" \\ 1';
	const own = await addConnection(ada.api, lab, { name });
	await testConnection(own);
	expect(await readUp()).toMatchObject({ 'fab \\"x\\" \\\\ 1': 1 });
	const other = await addConnection(bob.api, { ...lab, password: "wrong" }, { name });
	await testConnection(other, bob);
	expect(await readUp()).toMatchObject({ 'fab \\"x\\" \\\\ 1': 0 });
	expect(await readSuccess()).not.toHaveProperty('fab \\"x\\" \\\\ 1');
});
