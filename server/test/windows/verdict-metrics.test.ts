/** Numbers of verdicts, as Prometheus reads them. */
import { expect, it } from "vitest";
import { createMetrics } from "../../src/core/system/prometheus.ts";
import { useWindows, WINDOWS } from "../support/windows.ts";

const metrics = { ...createMetrics("0.0.0-test"), token: "a metrics token that only tests use" };
const windows = useWindows(undefined, { metrics });
const { window, open, judge, move, reach, writeDomain } = windows;

async function readVerdicts(): Promise<Record<string, number>> {
	const { text } = await windows.t.anonymous.get("/metrics", { authorization: `Bearer ${metrics.token}` });
	expect(text).toContain("# TYPE weft_change_verdicts_total counter");
	const found = text.matchAll(/^weft_change_verdicts_total\{verdict="(\w+)"\} (\S+)$/gm);
	return Object.fromEntries([...found].map(([, verdict = "", value]) => [verdict, Number(value)]));
}

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
