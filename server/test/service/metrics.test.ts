/**
 * What operators can read: counts by route pattern, jobs by outcome, sockets; behind a token, and
 * on a port of its own.
 */
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../src/config.ts";
import { createMetrics } from "../../src/core/system/prometheus.ts";
import { startService } from "../../src/service.ts";
import { freePort } from "../support/free-port.ts";
import { startTestApp, type TestApp, waitUntil } from "../support/harness.ts";
import { buildEnvironment } from "../support/process.ts";

const token = "a token for the metrics of tests";

describe("/metrics of the service", () => {
	let t: TestApp;
	const read = async (): Promise<string> =>
		(await t.anonymous.get("/metrics", { authorization: `Bearer ${token}` })).text;

	beforeAll(async () => {
		const eventLoop = { takeDelays: () => ({ p50: 0.001, p99: 0.02, max: 0.3 }) };
		t = await startTestApp({ work: true, deps: { metrics: { ...createMetrics("1.2.3"), token }, eventLoop } });
	});
	afterAll(() => t.close());

	it("is closed without the token", async () => {
		for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: token }] as Record<
			string,
			string
		>[]) {
			const { status, text } = await t.anonymous.get("/metrics", headers);
			expect(status).toBe(401);
			expect(text).not.toContain("weft_");
		}
	});

	it("counts requests by the pattern of their route, never by address", async () => {
		await t.admin.api.get("/api/queries/saved-queries/4711/");
		await t.admin.api.get("/api/queries/saved-queries/4712/");
		await t.anonymous.get("/no/such/place-1");
		await t.anonymous.get("/no/such/place-2");
		const text = await read();
		expect(text).toMatch(
			/weft_http_request_duration_seconds_count\{method="GET",route="\/api\/queries\/saved-queries\/:\w+\/",status="404"\} 2\n/,
		);
		expect(text).toMatch(/weft_http_request_duration_seconds_count\{method="GET",route="",status="404"\} 2\n/);
		// In labels only: a value may have the same digits.
		expect(text).not.toMatch(/="[^"\n]*(4711|place-1)/);
		expect(text).toContain('weft_build_info{version="1.2.3"} 1\n');
		expect(text).toMatch(/\nprocess_resident_memory_bytes \d+\n/);
	});

	it("shows how long the event loop kept work waiting", async () => {
		const text = await read();
		expect(text).toContain('weft_event_loop_delay_seconds{quantile="0.5"} 0.001\n');
		expect(text).toContain('weft_event_loop_delay_seconds{quantile="0.99"} 0.02\n');
		expect(text).toContain('weft_event_loop_delay_seconds{quantile="1"} 0.3\n');
	});

	it("counts background jobs by outcome, and shows what waits", async () => {
		await t.deps.store.transaction((tx) => t.deps.jobs.enqueue(tx, "pipeline", { jobId: randomUUID() }));
		const text = await waitUntil("the job is counted", async () => {
			const now = await read();
			return now.includes('weft_job_duration_seconds_count{queue="pipeline",outcome="done"} 1\n') ? now : null;
		});
		expect(text).toMatch(/weft_jobs\{queue="pipeline",state="waiting"\} \d+\n/);
	});

	it("shows open sockets", async () => {
		expect(await read()).toContain("weft_websockets_open 0\n");
	});
});

it("serves them on a port of its own, also as a worker that serves no requests", async () => {
	const dataDir = await mkdtemp(join(tmpdir(), "weft metrics "));
	const port = await freePort();
	const settings = { WEFT_ROLES: "worker", WEFT_METRICS_PORT: String(port) };
	const worker = await startService(readConfig(buildEnvironment(dataDir, settings)));
	try {
		expect(worker.url).toBeNull();
		const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
		expect(answer.status).toBe(200);
		expect(answer.headers.get("content-type")).toContain("text/plain");
		expect(await answer.text()).toMatch(/weft_store_connections\{state="open"\} \d/);
		expect((await fetch(`http://127.0.0.1:${port}/api/health/`)).status).toBe(404);
	} finally {
		await worker.stop("the test has ended");
		await rm(dataDir, { recursive: true, force: true });
	}
});
