/**
 * Importing the class model from the simulated publishing site: from the first class to the switch,
 * and everything that gets in its way.
 */
import { type RunningModelSource, type SourceFaultSettings, startModelSource } from "@weft/lab";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/core/system/clock.ts";
import { createModelSource } from "../../src/integrations/class-documents/index.ts";
import { startTestApp, type TestApp, waitUntil } from "../support/harness.ts";
import { auditEntries } from "../support/rights.ts";

let site: RunningModelSource;
let t: TestApp;
beforeAll(async () => {
	site = await startModelSource({ classes: 400, dnFormats: 2_000 });
	t = await startTestApp({ work: true, deps: buildContext(site) });
});
afterEach(() => site.clearFaults());
afterAll(async () => {
	await t.close();
	await site.close();
});

/** Retries come at once. */
export function buildContext({ url }: { url: string }) {
	const version = { url, classCount: 400, notes: "" };
	return {
		modelSource: createModelSource({ pacing: { ...systemClock, random: () => 0 }, waitMs: 1, retries: 2 }),
		modelSettings: {
			versions: [
				{ ...version, key: "611", label: "6.1(1)", fallbackChain: ["601", "521"] },
				{ ...version, key: "601", label: "6.0(1)", fallbackChain: ["521"] },
				{ ...version, key: "521", label: "5.2(1)", fallbackChain: [] },
			],
			folder: null,
			concurrency: 4,
		},
	};
}

const REGISTRY = "/api/mim-registry/";
async function installModel(app: TestApp, body: object = { version_key: "611", concurrency: 10 }): Promise<string> {
	const started = await app.admin.api.post(`${REGISTRY}remote/install/`, body);
	expect(started.status, started.text).toBe(202);
	return started.body.run_id;
}
const readRun = async (app: TestApp, id: string) => (await app.admin.api.get(`${REGISTRY}remote/runs/${id}/`)).body;
async function waitForImport(app: TestApp, id: string) {
	return waitUntil("the import has ended", async () => {
		const answer = await readRun(app, id);
		return ["completed", "failed", "cancelled"].includes(answer.run.state) && answer;
	});
}

describe("an import", () => {
	let runId: string;

	it("begins with nothing loaded", async () => {
		const { body } = await t.admin.api.get(`${REGISTRY}status/`);
		expect(body).toEqual({ loaded_version: null, active: null, active_import: null, history: [] });
		expect((await t.admin.api.get("/api/mim/stats/")).body).toEqual({
			total_classes: 0,
			total_properties: 0,
			packages: 0,
			relationship_count: 0,
			last_sync: null,
			version: null,
			label: null,
		});
		expect((await t.admin.api.get("/api/mim/explorer/tree/")).body).toEqual([]);
		expect((await t.admin.api.get("/api/mim/search/?q=tenant")).body).toEqual({ query: "tenant", results: [] });
		expect((await t.admin.api.get("/api/mim/explorer/class/fvTenant/")).status).toBe(404);
	});

	it("fetches every class, falls back to older versions, and becomes the loaded model", async () => {
		runId = await installModel(t);
		const { run, failed_recent } = await waitForImport(t, runId);
		const newest = new Set(site.published("611"));
		const older = new Set([...site.published("601"), ...site.published("521")].filter((name) => !newest.has(name)));
		expect(run).toMatchObject({
			id: runId,
			version_key: "611",
			controller_version: "6.1(1)",
			source: "remote",
			state: "completed",
			phase: "done",
			failed_count: 0,
			concurrency: 10,
			error_summary: "",
			cancel_requested: false,
			is_active: true,
			speed: 0,
			started_by_username: "root",
		});
		expect(run.completed_count).toBe(newest.size + older.size);
		expect(run.fallback_count).toBe(older.size);
		expect(run.not_found_count).toBeGreaterThan(0);
		expect(run.total_classes).toBe(run.completed_count + run.not_found_count);
		expect(failed_recent).toEqual([]);
		const { rows } = await t.pool.query("select distinct state from model_import_jobs where run_id = $1 order by 1", [
			runId,
		]);
		expect(rows.map(({ state }) => state)).toEqual(["done", "not_found"]);

		const { body: status } = await t.admin.api.get(`${REGISTRY}status/`);
		expect(status.loaded_version).toBe("6.1(1)");
		expect(status.active_import).toBeNull();
		expect(status.active).toMatchObject({
			class_count: run.completed_count,
			property_count: run.property_count,
			is_active: true,
		});
		expect(status.history).toEqual([status.active]);
		const stats = await waitUntil("the model is loaded", async () => {
			const { body } = await t.admin.api.get("/api/mim/stats/");
			return body.total_classes > 0 && body;
		});
		expect(stats).toMatchObject({
			total_classes: run.completed_count,
			total_properties: run.property_count,
			version: "611",
		});
	});

	it("tells its progress from the start: phases in order, counts that only grow, and its end", async () => {
		site.setFaults({ latency: { ms: 3 } });
		const id = await installModel(t);
		const socket = await t.admin.api.open(`/ws/mim-import/${id}/`);
		expect((await socket.closed).code).toBe(1000);
		const frames = socket.frames.filter(({ type }) => type !== "ping");
		expect(frames.filter(({ type }) => type === "phase").map(({ data }) => data.phase)).toEqual([
			"download",
			"parse",
			"switch",
		]);
		const counts = frames.filter(({ type, data }) => type === "progress" && data.step === "classes");
		const currents = counts.map(({ data }) => data.current as number);
		expect(currents).toEqual([...currents].sort((a, b) => a - b));
		const { run } = await readRun(t, id);
		expect(frames.at(-1)).toMatchObject({
			type: "import_complete",
			data: { version: "6.1(1)", classes: run.completed_count, properties: run.property_count },
		});
		const late = await t.admin.api.open(`/ws/mim-import/${id}/`);
		expect((await late.closed).code).toBe(1000);
		expect(late.frames.map(({ type }) => type)).toEqual(["import_complete"]);
	});

	it("is answered from, also with what is kept, to those alone who are signed in", async () => {
		const reader = await t.user("reader");
		const path = "/api/mim/explorer/class/fvTenant/";
		const [first, again] = [await reader.api.get(path), await reader.api.get(path)];
		expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
		expect(again.headers.etag).toBe(first.headers.etag);
		expect(again.headers["x-request-id"]).not.toBe(first.headers["x-request-id"]);
		await reader.api.post("/api/auth/logout/");
		expect((await reader.api.get(path)).status).toBe(401);
	});

	it("is told of to people and in the audit log", async () => {
		const entries = await auditEntries(t, { category: "mim_registry" });
		expect(entries.slice(0, 2)).toMatchObject([
			{ action: "model_import_start", username: "root" },
			{ action: "model_import_complete", username: "root" },
		]);
	});
});

describe("two imports at once", () => {
	it("are one: the other start is told which, and so is a resume", async () => {
		site.setFaults({ latency: { ms: 20 } });
		const body = { version_key: "521", concurrency: 2 };
		const answers = await Promise.all([1, 2, 3].map(() => t.admin.api.post(`${REGISTRY}remote/install/`, body)));
		expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
		const id = answers.find(({ status }) => status === 202)?.body.run_id;
		for (const { status, body: refused } of answers) {
			if (status === 409) expect(refused).toEqual({ detail: expect.any(String), run_id: id });
		}
		const { body: status } = await t.admin.api.get(`${REGISTRY}status/`);
		expect(status.active_import).toMatchObject({ run_id: id, task_id: id, source: "remote" });
		const again = await t.admin.api.post(`${REGISTRY}remote/runs/${id}/resume/`);
		expect([again.status, again.body.run_id]).toEqual([409, id]);
		await t.admin.api.post(`${REGISTRY}remote/runs/${id}/cancel/`);
		await waitForImport(t, id);
	});
});

describe("cancelling", () => {
	it("stops it, keeps what it has and the loaded model, and a resume goes on from there", async () => {
		const before = (await t.admin.api.get("/api/mim/stats/")).body;
		site.setFaults({ latency: { ms: 15 } });
		const id = await installModel(t, { version_key: "521", concurrency: 3 });
		const socket = await t.admin.api.open(`/ws/mim-import/${id}/`);
		await waitUntil("some classes are there", async () => (await readRun(t, id)).run.completed_count > 20);
		const cancelled = await t.admin.api.post(`${REGISTRY}remote/runs/${id}/cancel/`);
		expect([cancelled.status, cancelled.body]).toEqual([200, { cancelled: true }]);
		const { run } = await waitForImport(t, id);
		expect(run).toMatchObject({ state: "cancelled", cancel_requested: true });
		expect(run.total_classes).toBeGreaterThan(run.completed_count + run.not_found_count);
		expect((await socket.closed).code).toBe(1000);
		expect(socket.frames.at(-1)).toMatchObject({ type: "import_failed", data: { error: "cancelled" } });
		const { rows } = await t.pool.query(
			"select count(*)::int as n from model_import_jobs where run_id = $1 and state = 'in-progress'",
			[id],
		);
		expect(rows[0].n).toBe(0);
		expect((await t.admin.api.get("/api/mim/stats/")).body).toEqual(before);
		expect((await t.admin.api.post(`${REGISTRY}remote/runs/${id}/cancel/`)).status).toBe(200);

		site.clearFaults();
		site.resetStats();
		const resumed = await t.admin.api.post(`${REGISTRY}remote/runs/${id}/resume/`);
		expect([resumed.status, resumed.body]).toEqual([202, { run_id: id, task_id: id }]);
		const complete = (await waitForImport(t, id)).run;
		expect(complete).toMatchObject({ state: "completed", failed_count: 0, is_active: true });
		expect(complete.completed_count).toBe(site.published("521").length);
		// Stored documents were not fetched again.
		expect(site.stats().requests).toBe(complete.total_classes - run.completed_count - run.not_found_count);
		expect((await t.admin.api.post(`${REGISTRY}remote/runs/${id}/cancel/`)).status).toBe(400);
		expect((await t.admin.api.post(`${REGISTRY}remote/runs/${id}/resume/`)).status).toBe(400);
	});

	it("ends at once an import that nobody has taken", async () => {
		const idle = await startTestApp({ deps: buildContext(site) });
		const id = await installModel(idle);
		expect((await idle.admin.api.post(`${REGISTRY}remote/runs/${id}/cancel/`)).status).toBe(200);
		expect((await readRun(idle, id)).run.state).toBe("cancelled");
		await idle.close();
	});
});

describe("what gets in the way", () => {
	// Hardly any document fails at each attempt: one that does hides the classes that it names.
	it.each<[string, SourceFaultSettings]>([
		["now and then an error", { server_error: { rate: 0.02 } }],
		["reset connections", { reset: { rate: 0.02 } }],
		["bodies cut off", { truncated_body: { rate: 0.02 } }],
		["half documents", { cut_document: { count: 5 } }],
		["being told to wait", { throttle: { per_second: 0, retry_after: 0, count: 30 } }],
		["502 to what is compressed", { bad_gateway_compressed: true }],
	])("does not: %s", async (_name, faults) => {
		site.setFaults(faults);
		const { run } = await waitForImport(t, await installModel(t, { version_key: "521", concurrency: 10 }));
		expect(run.state, run.error_summary).toBe("completed");
		expect(run.completed_count + run.failed_count).toBe(site.published("521").length);
	});

	it("is told class by class, when it is little", async () => {
		site.setFaults({
			not_json: { match: "/fv/(BD|Ctx)\\.json" },
			server_error: { match: "/fv/Ap\\.json", status: 500 },
		});
		const { run, failed_recent } = await waitForImport(
			t,
			await installModel(t, { version_key: "521", concurrency: 10 }),
		);
		expect(run).toMatchObject({ state: "completed", failed_count: 3 });
		expect(failed_recent.map(({ class_name }: { class_name: string }) => class_name).sort()).toEqual([
			"Ap",
			"BD",
			"Ctx",
		]);
		for (const job of failed_recent) {
			expect(job).toMatchObject({
				class_pkg: "fv",
				state: "failed",
				qualified_name: `fv:${job.class_name}`,
				retry_count: 2,
			});
			expect(job.last_error).toMatch(job.class_name === "Ap" ? /answered 500/ : /not JSON/);
			expect(job.attempted_versions).toEqual(["521"]);
		}
	});

	it("ends it, when it is too much: the loaded model stays", async () => {
		const before = (await t.admin.api.get(`${REGISTRY}status/`)).body.active;
		site.setFaults({ server_error: { match: "/[a-f]\\w*/[A-M]", status: 500 } });
		const id = await installModel(t, { version_key: "521", concurrency: 10 });
		const { run } = await waitForImport(t, id);
		expect(run).toMatchObject({ state: "failed", is_active: false, version_id: null });
		expect(run.error_summary).toMatch(/more than 5 %/);
		expect((await t.admin.api.get(`${REGISTRY}status/`)).body.active).toEqual(before);
		site.clearFaults();
		await t.admin.api.post(`${REGISTRY}remote/runs/${id}/resume/`);
		const after = (await waitForImport(t, id)).run;
		expect(after).toMatchObject({ state: "completed", failed_count: 0, completed_count: site.published("521").length });
	});

	it("is a source without any class, or one that is gone", async () => {
		site.setFaults({ missing: true });
		const none = (await waitForImport(t, await installModel(t))).run;
		expect(none).toMatchObject({ state: "failed", completed_count: 0 });
		expect(none.error_summary).toMatch(/publishes no class/);
		site.setFaults({ missing: false, server_error: true });
		const gone = (await waitForImport(t, await installModel(t))).run;
		expect(gone.state).toBe("failed");
	});
});

describe("going back", () => {
	it("puts an earlier version into use again, and says no where there is none", async () => {
		const { history } = (await t.admin.api.get(`${REGISTRY}status/`)).body;
		const available = history.filter(({ is_available }: { is_available: boolean }) => is_available);
		expect(available.length).toBe(3);
		const earlier = available[1];
		expect(earlier.is_active).toBe(false);
		const back = await t.admin.api.post(`${REGISTRY}remote/runs/${earlier.run_id}/activate/`);
		expect([back.status, back.body.is_active]).toEqual([200, true]);
		await waitUntil("the earlier version is loaded", async () => {
			const { body } = await t.admin.api.get("/api/mim/stats/");
			return body.last_sync === earlier.imported_at;
		});
		expect((await t.admin.api.post(`${REGISTRY}remote/runs/${earlier.run_id}/activate/`)).status).toBe(200);
		const removed = history.find(({ is_available }: { is_available: boolean }) => !is_available);
		expect((await t.admin.api.post(`${REGISTRY}remote/runs/${removed.run_id}/activate/`)).status).toBe(409);
		const { rows } = await t.pool.query("select count(*)::int as n from model_versions where is_active");
		expect(rows[0].n).toBe(1);
	});
});

describe("who asks", () => {
	it("must be an administrator to change anything, and names a version that there is", async () => {
		const viewer = await t.user("viewer", ["Viewer"]);
		expect((await viewer.api.get(`${REGISTRY}status/`)).status).toBe(200);
		expect((await viewer.api.get(`${REGISTRY}remote/versions/`)).body).toEqual([
			{
				version_key: "611",
				label: "6.1(1)",
				fallback_chain: ["601", "521"],
				is_supported: true,
				display_order: 1,
				class_count_seed: 400,
				notes: "",
			},
			{
				version_key: "601",
				label: "6.0(1)",
				fallback_chain: ["521"],
				is_supported: true,
				display_order: 2,
				class_count_seed: 400,
				notes: "",
			},
			{
				version_key: "521",
				label: "5.2(1)",
				fallback_chain: [],
				is_supported: true,
				display_order: 3,
				class_count_seed: 400,
				notes: "",
			},
		]);
		const nobody = "01890000-0000-7000-8000-000000000000";
		for (const path of ["install/", `runs/${nobody}/cancel/`, `runs/${nobody}/resume/`, `runs/${nobody}/activate/`]) {
			expect((await viewer.api.post(`${REGISTRY}remote/${path}`, {})).status, path).toBe(403);
		}
		const bad = async (body: object) => (await t.admin.api.post(`${REGISTRY}remote/install/`, body)).body;
		expect(await bad({ version_key: "999" })).toHaveProperty("version_key");
		expect(await bad({})).toHaveProperty("version_key");
		expect(await bad({ version_key: "611", concurrency: 11 })).toHaveProperty("concurrency");
		expect(await bad({ source: "controller" })).toHaveProperty("controller_connection_id");
		for (const path of ["cancel/", "resume/", "activate/"]) {
			expect((await t.admin.api.post(`${REGISTRY}remote/runs/${nobody}/${path}`)).status).toBe(404);
		}
		expect((await t.admin.api.get(`${REGISTRY}remote/runs/${nobody}/`)).status).toBe(404);
		const socket = await t.admin.api.open(`/ws/mim-import/${nobody}/`);
		expect((await socket.closed).code).toBe(4004);
	});
});

describe("an import that is complete", () => {
	it("is reported as completed only by a node that serves the new model, also one that missed the announcement", async () => {
		const announcements = { announce: async () => {}, listen() {}, heard: () => true, async close() {} };
		const own = await startTestApp({ work: true, deps: { ...buildContext(site), announcements } });
		try {
			expect((await own.admin.api.get("/api/mim/stats/")).body.total_classes).toBe(0);
			const { run } = await waitForImport(own, await installModel(own));
			const before = await own.admin.api.get("/api/mim/stats/");
			expect(before.body).toMatchObject({ total_classes: run.completed_count, label: "6.1(1)" });
			const id = await installModel(own, { version_key: "521", concurrency: 10 });
			const socket = await own.admin.api.open(`/ws/mim-import/${id}/`);
			await socket.closed;
			expect(socket.frames.at(-1)?.type).toBe("import_complete");
			const after = await own.admin.api.get("/api/mim/stats/", { "if-none-match": String(before.headers.etag) });
			expect([after.status, after.body?.label]).toEqual([200, "5.2(1)"]);
			const first = await own.admin.api.post(`${REGISTRY}remote/runs/${run.id}/activate/`);
			expect(first.status, first.text).toBe(200);
			expect((await own.admin.api.get("/api/mim/stats/")).body.label).toBe("6.1(1)");
		} finally {
			await own.close();
		}
	});
});
