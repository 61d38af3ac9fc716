/** Numbers of verdicts and of windows in each state, as Prometheus reads them. */
import { expect, it } from "vitest";
import { createMetrics } from "../../src/core/system/prometheus.ts";
import { useWindows, WINDOWS } from "../support/windows.ts";

const metrics = { ...createMetrics("0.0.0-test"), token: "a metrics token that only tests use" };
const windows = useWindows(undefined, { metrics });
const { window, open, judge, move, reach, writeDomain } = windows;

/** The values of a metric by its only label. */
async function readValues(name: string, type: string): Promise<Record<string, number>> {
	const { text } = await windows.t.anonymous.get("/metrics", { authorization: `Bearer ${metrics.token}` });
	expect(text).toContain(`# TYPE ${name} ${type}`);
	const found = text.matchAll(new RegExp(`^${name}\\{\\w+="(\\w+)"\\} (\\S+)$`, "gm"));
	return Object.fromEntries([...found].map(([, label = "", value]) => [label, Number(value)]));
}
const readVerdicts = () => readValues("weft_change_verdicts_total", "counter");
const readStates = () => readValues("weft_change_windows", "gauge");

it("counts each verdict of a change window, also of a recheck, and keeps the number when the window is deleted", async () => {
	const none = { failed: 0, inconclusive: 0, passed: 0, passed_with_warnings: 0 };
	expect(await readVerdicts()).toEqual(none);
	const { id } = await window();
	await open(id);
	await judge(id);
	expect(await readVerdicts()).toEqual({ ...none, passed: 1 });
	await writeDomain("stray");
	expect((await move(id, "recheck")).status).toBe(200);
	await reach(id, "judged");
	expect(await readVerdicts()).toEqual({ ...none, passed: 1, failed: 1 });
	await windows.t.pool.query("delete from change_windows where id = $1", [id]);
	expect((await windows.ada.api.get(`${WINDOWS}${id}/`)).status).toBe(404);
	expect(await readVerdicts()).toEqual({ ...none, passed: 1, failed: 1 });
});

it("counts the change windows in each state, and follows each move", async () => {
	expect(await readStates()).toEqual({});
	const made = [await window(), await window(), await window({ requires_approval: true })];
	expect(await readStates()).toEqual({ planned: 2, waiting: 1 });
	const [first, second] = made.map(({ id }) => id);
	await open(first);
	await move(second, "cancel");
	expect(await readStates()).toEqual({ open: 1, cancelled: 1, waiting: 1 });
	await judge(first);
	expect(await readStates()).toEqual({ judged: 1, cancelled: 1, waiting: 1 });
	expect((await windows.ada.api.del(`${WINDOWS}${second}/`)).status).toBe(204);
	expect(await readStates()).toEqual({ judged: 1, waiting: 1 });
});
