/** Metrics of a service in use, as Prometheus's own linter judges them. */
import { spawnSync } from "node:child_process";
import { startController } from "@weft/lab";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listenForMetrics } from "../../src/core/http/metrics.ts";
import { createMetrics } from "../../src/core/system/prometheus.ts";
import { addConnection } from "../support/canvases.ts";
import { startTestApp, type TestApp } from "../support/harness.ts";

const isInstalled = spawnSync("promtool", ["--version"]).error === undefined;
if (!isInstalled) process.stderr.write("promtool: skipped, the Debian package prometheus is not installed\n");

let t: TestApp;
let lab: Awaited<ReturnType<typeof startController>>;
let port: Awaited<ReturnType<typeof listenForMetrics>>;
beforeAll(async () => {
	const metrics = { ...createMetrics("1.2.3"), token: null };
	const eventLoop = { takeDelays: () => ({ p50: 0.001, p99: 0.02, max: 0.3 }) };
	t = await startTestApp({ work: true, deps: { metrics, eventLoop } });
	lab = await startController({ size: "small" });
	port = await listenForMetrics(metrics, { host: "127.0.0.1", port: 0 });
	const connection = await addConnection(t.admin.api, lab);
	await t.admin.api.post(`/api/controller/connections/${connection}/test/`);
	metrics.controllerFailover({ connection: "fab-1" });
});
afterAll(async () => {
	await port.close();
	await t.close();
	await lab.close();
});

it.skipIf(!isInstalled)("promtool finds no fault in the metrics", async () => {
	const text = await (await fetch(`http://127.0.0.1:${port.port}/metrics`)).text();
	expect(text).toContain("weft_controller_failovers_total");
	const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" });
	expect([status, stdout, stderr]).toEqual([0, "", ""]);
});
