/**
 * The controller's state before and after a job: captured, linked, compared; and a capture that
 * fails keeps nothing from being launched.
 */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { listWindowHolds } from "../../src/areas/calendar/sql/window-holds.ts";
import { type Body, EXECUTIONS, REQUESTS, type Rig, startRig } from "../support/automation.ts";
import { addConnection, buildClassNode, connectNodes, output, QUERIES, UNKNOWN } from "../support/canvases.ts";
import { refuseWrites } from "../support/failing-store.ts";
import type { TestUser } from "../support/harness.ts";
import { createEagerDriver } from "../support/runs.ts";

const WINDOWS = "/api/change-windows/";

let rig: Rig;
let controller: RunningController;
let eve: TestUser;
let fabric: string;
let query: string;
let template: Body;
beforeAll(async () => {
	controller = await startController({ size: "small" });
	rig = await startRig({ deps: { controllers: createEagerDriver() } });
	eve = await rig.t.user("eve", ["Editor", "Operator"]);
	fabric = await addConnection(eve.api, controller);
	query = (
		await eve.api.post(QUERIES, { name: "Tenants", flow_data: connectNodes(buildClassNode("fvTenant"), output) })
	).body.id;
	template = await rig.template({}, eve);
});
afterEach(() => controller.clearFaults());
afterAll(async () => {
	await rig.close();
	await controller.close();
});

const createRequest = (more: Body = { watch_query_id: query, target_controller: fabric }) =>
	rig.request(template, more, eve);
/** The execution once both captures are over. */
const awaitCaptures = (id: string): Promise<Body> =>
	rig.settle("both states are captured, or not", async () => {
		const { body } = await eve.api.get(`${EXECUTIONS}${id}/`);
		const { before, after } = body.watch;
		return before.status !== "waiting" && after.status !== "waiting" ? body : null;
	});
const readWindowOnce = async ({ id }: Body) => {
	const { change_window } = (await eve.api.get(`${REQUESTS}${id}/`)).body;
	return eve.api.get(`${WINDOWS}${change_window}/`);
};
/** The change window of the newest launch of a request. */
const readWindow = async (made: Body): Promise<Body> => (await readWindowOnce(made)).body;
/** The messages about the verdict of the window of a request. */
const listVerdictMessages = async ({ title }: Body): Promise<Body[]> => {
	const { body } = await eve.api.get("/api/notifications/notifications/?page_size=100");
	return body.results.filter((one: Body) => one.title.startsWith(`The change window "Job: ${title}"`));
};
const addSnapshotQuery = async (name: string, className: string): Promise<string> => {
	const flow_data = connectNodes(buildClassNode(className), output);
	return (await eve.api.post(QUERIES, { name, flow_data, enable_time_machine: true })).body.id;
};
const listJobs = async (made: Body) =>
	(await rig.lab.jobs()).filter((job) => String(job.extra_vars).includes(made.id)).length;

describe("the state around a job", () => {
	it("gives an execution two snapshots that can be compared", async () => {
		const made = await createRequest();
		expect(made.watch_query_id).toBe(query);
		const { id } = await rig.execute(made, eve);
		await rig.settle("the first one is captured", async () => {
			const { body } = await eve.api.get(`${EXECUTIONS}${id}/`);
			return body.watch.before.status === "captured";
		});
		const changed = await eve.api.post("/api/controller/connections/execute_query/", {
			connection_id: fabric,
			query_path: "/api/mo/uni/tn-by-the-job.json",
			method: "POST",
			data: { fvTenant: { attributes: { dn: "uni/tn-by-the-job", name: "by-the-job" } } },
		});
		expect(changed.status).toBe(200);
		await rig.over(made);
		const { watch } = await awaitCaptures(id);
		expect(watch).toMatchObject({
			saved_query_id: query,
			controller_connection_id: fabric,
			before: { status: "captured", problem: null },
			after: { status: "captured", problem: null },
		});
		const { body, text } = await eve.api.post("/api/time-machine/compare/", {
			snapshot_from_id: watch.before.snapshot_id,
			snapshot_to_id: watch.after.snapshot_id,
		});
		expect(body.diff?.added, text).toEqual([expect.objectContaining({ dn: "uni/tn-by-the-job" })]);
		expect(await listJobs(made)).toBe(1);
		const window = await readWindow(made);
		expect(window).toMatchObject({
			title: `Job: ${made.title}`,
			plan: null,
			state: "judged",
			verdict: "passed",
			changed: true,
			connection_ids: [fabric],
			plan_items: [{ query, compare: "record" }],
			gate: { passed: true, reasons: [] },
			executions: [id],
		});
		const { body: findings } = await eve.api.get(`${WINDOWS}${window.id}/findings/`);
		expect(findings.results).toMatchObject([{ class: "allowed", change: "added", dn: "uni/tn-by-the-job" }]);
	});

	it("judges the state after a job, and sends a message, only where the template says what the rows change", async () => {
		const reported = await createRequest();
		const { id } = await rig.execute(reported, eve);
		await rig.over(reported);
		await awaitCaptures(id);
		const expecting = await rig.template(
			{ expects: [{ change: "added", class_name: "fvTenant", dn: "uni/tn-{name}" }] },
			eve,
		);
		const more = { watch_query_id: query, target_controller: fabric };
		const made = await rig.request(expecting, { ...more, input_data: [{ name: "not-made" }] }, eve);
		await rig.execute(made, eve);
		await rig.over(made);
		const window = await rig.settle(
			"it is judged",
			async () => {
				const { body } = await readWindowOnce(made);
				return body.state === "judged" && body;
			},
			5_000,
		);
		expect(window).toMatchObject({ verdict: "failed", verdict_reasons: ["missing:1"] });
		expect(window.plan_items).toMatchObject([{ query, compare: "exact" }]);
		await rig.settle("its message arrives", async () => (await listVerdictMessages(made)).length === 1);
		expect((await readWindow(reported)).verdict).toBe("passed");
		expect(await listVerdictMessages(reported)).toEqual([]);
	});

	it("takes the snapshots from the window of the named plan, if that compares the query", async () => {
		const other = await addSnapshotQuery("Profiles", "fvAp");
		const plan = await eve.api.post("/api/change-plans/", {
			name: "Profiles stay",
			items: [{ query: other, compare: "exact" }],
			settle: { delay_s: 0, interval_s: 1, stable_rounds: 1, timeout_s: 60 },
		});
		const launch = async (watch_query_id: string) => {
			const made = await createRequest({ watch_query_id, target_controller: fabric, change_plan: plan.body.id });
			const { id } = await rig.execute(made, eve);
			await rig.over(made);
			return (await awaitCaptures(id)).watch;
		};
		expect(await launch(other)).toMatchObject({ before: { status: "captured" }, after: { status: "captured" } });
		const problem = "The change window of the job does not compare this query.";
		expect(await launch(query)).toMatchObject({
			before: { status: "failed", problem },
			after: { status: "failed", problem },
		});
	});

	it("shows the window to the requester and administrators, and holds no alerts", async () => {
		const made = await createRequest();
		await rig.execute(made, eve);
		const { body: read } = await eve.api.get(`${REQUESTS}${made.id}/`);
		const other = await rig.t.user("other", ["Editor", "Operator"]);
		await eve.api.patch(`/api/controller/connections/${fabric}/`, { is_public: true });
		const path = `${WINDOWS}${read.change_window}/`;
		expect((await other.api.get(path)).status).toBe(404);
		expect((await rig.t.admin.api.get(path)).status).toBe(200);
		await rig.settle("the window is open", async () => (await eve.api.get(path)).body.state === "open");
		expect(await listWindowHolds(rig.t.app.context.store.db)).toEqual([]);
		await rig.over(made);
	});

	it("refuses a launch without the change plan that the template requires, although the query of snapshots is named", async () => {
		const own = await rig.template({}, eve);
		const more = { watch_query_id: query, target_controller: fabric, input_data: [{ name: "a", rc: 1 }] };
		const failing = await rig.request(own, more, eve);
		const { id } = await rig.execute(failing, eve);
		await rig.over(failing);
		await eve.api.patch(`/api/automation/templates/${own.id}/`, { requires_change_plan: true });
		for (const path of [`${REQUESTS}${failing.id}/retry/`, `${EXECUTIONS}${id}/relaunch/`])
			expect([path, (await eve.api.post(path)).status]).toEqual([path, 409]);
	});

	it("expects no second change of a row when the job is launched again", async () => {
		const expects = [{ change: "added", class_name: "fvTenant", dn: "uni/tn-{name}" }];
		const own = await rig.template({ expects }, eve);
		const more = { watch_query_id: query, target_controller: fabric, input_data: [{ name: "there-already" }] };
		const made = await rig.request(own, more, eve);
		const { id } = await rig.execute(made, eve);
		await rig.over(made);
		await rig.settle("the first is judged", async () => (await readWindow(made)).state === "judged", 5_000);
		expect((await eve.api.post(`${EXECUTIONS}${id}/relaunch/`)).status).toBe(201);
		await rig.over(made);
		await rig.settle("the second is judged", async () => (await readWindow(made)).state === "judged", 5_000);
		expect((await readWindow(made)).verdict).toBe("passed");
	});

	it("captures the query and the target that an edit of the request names", async () => {
		const other = await addSnapshotQuery("Bridge domains", "fvBD");
		const made = await createRequest();
		const edit = (body: Body) => eve.api.patch(`${REQUESTS}${made.id}/`, body);
		expect((await edit({ watch_query_id: other })).status).toBe(200);
		const { id } = await rig.execute(made, eve);
		await rig.over(made);
		expect((await awaitCaptures(id)).watch).toMatchObject({ saved_query_id: other });
		expect((await readWindow(made)).plan_items).toMatchObject([{ query: other }]);
		const second = await createRequest();
		await eve.api.patch(`${REQUESTS}${second.id}/`, { watch_query_id: null });
		const plain = await rig.execute(second, eve);
		expect(plain.watch).toBeNull();
		await rig.over(second);
		expect((await eve.api.get(`${REQUESTS}${second.id}/`)).body.change_window).toBeNull();
	});

	it("keeps the query of a request when an edit sends back the window of the last launch", async () => {
		const setApproval = (approval: string) =>
			rig.t.admin.api.patch(`/api/automation/connections/${rig.connection}/`, { approval });
		const more = { watch_query_id: query, target_controller: fabric, input_data: [{ name: "a", rc: 1 }] };
		const failing = await rig.request(template, more, eve);
		await rig.execute(failing, eve);
		expect((await rig.over(failing)).status).toBe("failed");
		const path = `${REQUESTS}${failing.id}/`;
		await setApproval("always");
		const retried = await eve.api.post(`${path}retry/`);
		await setApproval("by_template");
		expect(retried.body).toMatchObject({ status: "awaiting_approval" });
		const { change_window, watch_query_id, change_plan } = (await eve.api.get(path)).body;
		expect(change_window).toEqual(expect.any(String));
		const edited = await eve.api.patch(path, { change_window, watch_query_id, change_plan });
		expect(edited, edited.text).toMatchObject({ status: 200, body: { watch_query_id: query, change_window: null } });
	});

	it("stores one snapshot where nothing changes, and captures again when the job is launched again", async () => {
		const made = await createRequest();
		const { id } = await rig.execute(made, eve);
		await rig.over(made);
		const { watch } = await awaitCaptures(id);
		expect(watch.before.snapshot_id).toBe(watch.after.snapshot_id);
		const again = await eve.api.post(`${EXECUTIONS}${id}/relaunch/`);
		expect(again.status, again.text).toBe(201);
		expect(again.body.watch).toMatchObject({ saved_query_id: query, before: { status: "waiting" } });
		await rig.over(made);
		expect((await awaitCaptures(again.body.id)).watch.after.status).toBe("captured");
	});

	it("stores the version that ran, although the query was edited meanwhile, and records the end of the run once", async () => {
		const { body: saved } = await eve.api.post(QUERIES, {
			name: "Edited",
			flow_data: connectNodes(buildClassNode("fvAp"), output),
		});
		const { current_version_hash } = (await eve.api.get(`${QUERIES}${saved.id}/`)).body;
		controller.setFaults({ latency: { ms: 500, match: "fvAp" } });
		const refusal = await refuseWrites(rig.t.pool, {
			table: "change_window_captures",
			event: "update",
			as: "refuse_capture",
			when: "new.is_complete",
		});
		const made = await createRequest({ watch_query_id: saved.id, target_controller: fabric });
		const { id } = await rig.execute(made, eve);
		await rig.settle("its query runs", async () => {
			const { body } = await eve.api.get("/api/queries/pipeline-executions/");
			return body.results.some((run: Body) => run.saved_query_id === saved.id && run.status === "running");
		});
		await eve.api.patch(`${QUERIES}${saved.id}/`, { flow_data: connectNodes(buildClassNode("fvBD"), output) });
		// The clock stands almost still: after a minute nothing waits for the query any more.
		const isRefused = async () => (await refusal.count("query_runs.record")) > 0;
		await rig.settle("the end could not be recorded", isRefused, 10);
		const snapshots = () => eve.api.get(`/api/time-machine/snapshots/?saved_query_id=${saved.id}`);
		expect((await snapshots()).body.snapshots).toEqual([]);
		await refusal.stop();
		const isCaptured = async () => (await rig.execution(id)).watch.before.snapshot_id;
		await rig.settle("the first state is captured", isCaptured, 10);
		controller.clearFaults();
		await rig.over(made);
		const { watch } = await awaitCaptures(id);
		const getSnapshot = async (phase: "before" | "after") =>
			(await eve.api.get(`/api/time-machine/snapshots/${watch[phase].snapshot_id}/`)).body;
		expect(await getSnapshot("before")).toMatchObject({
			query_version: "v1.0",
			query_version_hash: current_version_hash,
			class_name: "fvAp",
		});
		expect(await getSnapshot("after")).toMatchObject({ query_version: "v2.0", class_name: "fvBD" });
		expect((await snapshots()).body.snapshots).toHaveLength(2);
		const logs = await eve.api.get(`/api/queries/execution-logs/?query=${saved.id}`);
		expect(logs.body.results).toMatchObject([{ success: true }, { success: true }]);
	});

	it("says so where a state is larger than the limit of the user", async () => {
		await eve.api.put("/api/time-machine/settings/", { max_snapshot_size_mb: 0.1 });
		const large = { name: "Large", flow_data: connectNodes(buildClassNode("fvRsPathAtt"), output) };
		const { body: saved } = await eve.api.post(QUERIES, large);
		const made = await createRequest({ watch_query_id: saved.id, target_controller: fabric });
		const { id } = await rig.execute(made, eve);
		await rig.over(made);
		const { watch } = await awaitCaptures(id);
		await eve.api.put("/api/time-machine/settings/", { max_snapshot_size_mb: 10 });
		const problem = expect.stringMatching(/^The result has [\d.]+ MB; the limit is 0.1 MB\.$/);
		expect(watch.before).toEqual({ status: "failed", snapshot_id: null, problem });
	});

	it("launches the job once, and names the problem, where a state cannot be captured", async () => {
		controller.setFaults({ access_denied: { match: "fvTenant" } });
		const made = await createRequest();
		const { id } = await rig.execute(made, eve);
		expect((await rig.over(made)).status).toBe("successful");
		const { watch } = await awaitCaptures(id);
		for (const state of [watch.before, watch.after]) {
			expect(state).toEqual({ status: "failed", snapshot_id: null, problem: expect.stringMatching(/.{10}/) });
		}
		expect(await listJobs(made)).toBe(1);
	});

	it("waits no longer than a minute for the state before a job", async () => {
		controller.setFaults({ hang: { match: "fvTenant" } });
		const made = await createRequest();
		const { id } = await rig.execute(made, eve);
		const { automation_job_id } = await rig.settle(
			"it is launched",
			async () => {
				const execution = await rig.execution(id);
				return execution.automation_job_id === null ? null : execution;
			},
			2_000,
		);
		expect(automation_job_id).toEqual(expect.any(Number));
		const given = {
			status: "failed",
			snapshot_id: null,
			problem: "The query was not over in time: the job was launched without waiting for it any longer.",
		};
		expect((await rig.execution(id)).watch.before).toEqual(given);
		controller.clearFaults();
		const { body: runs } = await eve.api.get("/api/queries/pipeline-executions/?status=running");
		const [run] = runs.results.filter((one: Body) => one.saved_query_id === query);
		await eve.api.post(`/api/queries/pipeline-executions/${run.id}/cancel/`);
		await rig.over(made);
		const { watch } = await awaitCaptures(id);
		expect(watch).toMatchObject({ before: given, after: { status: "captured" } });
		expect(await listJobs(made)).toBe(1);
		const window = await readWindow(made);
		expect(window).toMatchObject({ state: "judged", verdict: "inconclusive" });
	});

	it("captures no state after a launch that made no job", async () => {
		controller.setFaults({ hang: { match: "fvTenant" } });
		const made = await createRequest();
		const { id } = await rig.execute(made, eve);
		await eve.api.post(`${REQUESTS}${made.id}/cancel/`);
		expect((await rig.over(made)).status).toBe("cancelled");
		const { watch, automation_job_id } = await rig.execution(id);
		expect(automation_job_id).toBeNull();
		expect(watch.after).toEqual({ status: "failed", snapshot_id: null, problem: "There was no job." });
	});

	it("refuses a query without a target controller, and one that the requester does not see", async () => {
		const post = (body: Body, user = eve) =>
			user.api.post(REQUESTS, { template: template.id, title: "T", input_data: [{ name: "a" }], ...body });
		expect((await post({ watch_query_id: query })).body).toEqual({
			watch_query_id: ["Name the target_controller on which the query runs."],
		});
		expect((await post({ watch_query_id: UNKNOWN, target_controller: fabric })).body).toEqual({
			watch_query_id: ["There is no such query that you can see."],
		});
		const plain = await createRequest({});
		expect([plain.watch_query_id, (await rig.execute(plain, eve)).watch]).toEqual([null, null]);
		await rig.over(plain);
	});
});
