/**
 * Automation jobs in change windows: the launch waits for the gate, goes out once, and the window
 * ends with the job.
 */
import { describe, expect, it } from "vitest";
import { REQUESTS } from "../support/automation.ts";
import { UNKNOWN } from "../support/canvases.ts";
import { getExecutionPath, getRequestPath, JOB_TENANT, useWindowJobs } from "../support/window-jobs.ts";
import { WINDOWS } from "../support/windows.ts";

const jobs = useWindowJobs();

describe("a request with a change plan", () => {
	it("keeps the plan as it was, and needs a target", async () => {
		const plan = await jobs.plan();
		const made = await jobs.request({ change_plan: plan.id });
		expect(made).toMatchObject({
			change_plan: plan.id,
			change_plan_name: plan.name,
			change_plan_revision: 1,
			change_window: null,
		});
		const post = (fields: object) =>
			jobs.alice.api.post(REQUESTS, {
				template: jobs.template.id,
				title: "T",
				input_data: [{ name: "a" }],
				target_controller: jobs.fabric,
				...fields,
			});
		const refused = async (fields: object) => {
			const answer = await post(fields);
			expect(answer.status, answer.text).toBe(400);
			return Object.keys(answer.body);
		};
		expect(await refused({ change_plan: plan.id, target_controller: null })).toEqual(["change_plan"]);
		expect(await refused({ change_plan: UNKNOWN })).toEqual(["change_plan"]);
		expect(await refused({ change_window: UNKNOWN })).toEqual(["change_window"]);
		expect(await refused({ change_plan: plan.id, change_window: UNKNOWN })).toEqual(["change_window"]);
	});

	it("can be given another plan, and its history says so", async () => {
		const made = await jobs.request();
		const plan = await jobs.plan();
		const edited = await jobs.alice.api.patch(getRequestPath(made), { change_plan: plan.id });
		expect(edited.body, edited.text).toMatchObject({ change_plan: plan.id, change_plan_name: plan.name });
		const { results } = await jobs.read(`${getRequestPath(made)}history/`);
		expect(results.at(-1).changes).toEqual([
			{
				path: "change_plan",
				before: `${made.change_plan_name}, revision 1`,
				after: `${plan.name}, revision 1`,
			},
		]);
		const untargeted = await jobs.alice.api.patch(getRequestPath(made), { target_controller: null });
		expect([untargeted.status, Object.keys(untargeted.body)]).toEqual([400, ["change_plan"]]);
		const cleared = await jobs.alice.api.patch(getRequestPath(made), { change_plan: null });
		expect(cleared.body.change_plan).toBeNull();
	});

	it("is launched once the gate has passed, and its approved rows are the declaration", async () => {
		const made = await jobs.request({ input_data: [{ name: "web" }] });
		const waiting = await jobs.execute(made);
		expect(waiting).toMatchObject({ status: "pending", launch_state: "waiting_before", automation_job_id: null });
		const running = await jobs.read(getRequestPath(made));
		expect(running).toMatchObject({ status: "running", change_window: waiting.change_window });
		const window = await jobs.readWindow(waiting.change_window);
		expect(window).toMatchObject({
			title: made.title,
			plan: made.change_plan,
			connection_ids: [jobs.fabric],
			auto_finish: true,
			executions: [waiting.id],
			created_by: { username: "alice" },
		});
		const { expectations } = await jobs.read(`${WINDOWS}${window.id}/expectations/`);
		expect(expectations).toMatchObject([
			{ change: "added", class_name: "fvBD", dn: `${JOB_TENANT}/BD-web`, source: "request" },
		]);
		await jobs.rig.settle("the job runs", async () => (await jobs.countJobs(made)) === 1);
		await jobs.writeDomain("web");
		expect((await jobs.rig.over(made)).status).toBe("successful");
		const judged = await jobs.reach(window.id, "judged");
		expect(judged, JSON.stringify(judged.verdict_reasons)).toMatchObject({ verdict: "passed", changed: true });
		expect(await jobs.countJobs(made)).toBe(1);
		expect(await jobs.rig.execution(waiting.id)).toMatchObject({ launch_state: "launched", status: "successful" });
	});

	it("fails its window where a declared change did not happen", async () => {
		const made = await jobs.request();
		const { change_window } = await jobs.execute(made);
		await jobs.rig.over(made);
		const judged = await jobs.reach(change_window, "judged");
		expect(judged).toMatchObject({ verdict: "failed", verdict_reasons: ["missing:1"] });
	});

	it("is blocked by a gate that does not pass, and is launched once it is overridden", async () => {
		jobs.refuseReads(true);
		const made = await jobs.request();
		const { id, change_window } = await jobs.execute(made);
		await jobs.reach(change_window, "blocked");
		expect(await jobs.rig.execution(id)).toMatchObject({ status: "pending", launch_state: "blocked" });
		expect(await jobs.countJobs(made)).toBe(0);
		const override = (user = jobs.kim) =>
			user.api.post(`${getExecutionPath({ id })}override/`, { reason: "Agreed with the night shift" });
		expect((await override(jobs.alice)).status).toBe(403);
		const passed = await override();
		expect([passed.status, passed.body.launch_state], passed.text).toEqual([200, "intent"]);
		expect((await override()).status).toBe(409);
		jobs.refuseReads(false);
		await jobs.rig.over(made);
		expect(await jobs.countJobs(made)).toBe(1);
		expect(await jobs.reach(change_window, "judged")).toMatchObject({ verdict: "inconclusive" });
	});

	it("waits again while a blocked gate is checked again, and is launched when it passes", async () => {
		jobs.refuseReads(true);
		const made = await jobs.request();
		const { id, change_window } = await jobs.execute(made);
		await jobs.reach(change_window, "blocked");
		jobs.refuseReads(false);
		expect((await jobs.alice.api.post(`${WINDOWS}${change_window}/retry/`)).status).toBe(200);
		expect((await jobs.rig.execution(id)).launch_state).toBe("waiting_before");
		await jobs.rig.over(made);
		expect(await jobs.countJobs(made)).toBe(1);
	});

	it("can be cancelled while it waits, which ends the window that was made for it", async () => {
		jobs.refuseReads(true);
		const made = await jobs.request();
		const { id, change_window } = await jobs.execute(made);
		await jobs.reach(change_window, "blocked");
		expect((await jobs.alice.api.post(`${getRequestPath(made)}cancel/`)).status).toBe(202);
		expect(await jobs.rig.execution(id)).toMatchObject({ status: "cancelled", launch_state: "ended" });
		await jobs.reach(change_window, "cancelled");
		expect(await jobs.countJobs(made)).toBe(0);
		jobs.refuseReads(false);
		const again = await jobs.alice.api.post(`${getRequestPath(made)}retry/`);
		expect(again.status, again.text).toBe(202);
		expect(again.body.change_window).not.toBe(change_window);
		expect((await jobs.rig.over(made)).status).toBe("successful");
	});

	it("is cancelled with its window, and its window is not while the job runs", async () => {
		jobs.refuseReads(true);
		const held = await jobs.request();
		const waiting = await jobs.execute(held);
		await jobs.reach(waiting.change_window, "blocked");
		const cancel = (id: string) => jobs.alice.api.post(`${WINDOWS}${id}/cancel/`);
		expect((await cancel(waiting.change_window)).status).toBe(200);
		expect(await jobs.read(getRequestPath(held))).toMatchObject({
			status: "cancelled",
			launch_error: expect.stringContaining("was cancelled. Nothing was sent."),
		});
		jobs.refuseReads(false);
		const made = await jobs.request({ input_data: [{ name: "long" }] }, await getSlowTemplate());
		const { change_window } = await jobs.execute(made);
		await jobs.rig.settle("the job runs", async () => (await jobs.countJobs(made)) === 1);
		const refused = await cancel(change_window);
		expect([refused.status, refused.body.state], refused.text).toEqual([409, "open"]);
		expect((await jobs.readWindow(change_window)).can_cancel).toBe(false);
		expect((await jobs.alice.api.post(`${getRequestPath(made)}cancel/`)).status).toBe(202);
		expect((await jobs.rig.over(made)).status).toBe("cancelled");
		await jobs.reach(change_window, "judged");
	});

	it("is not counted among the running ones while it waits", async () => {
		const group = await jobs.rig.t.admin.api.post("/api/auth/groups/", { name: "One at a time" });
		const quota = await jobs.rig.t.admin.api.put(`/api/auth/groups/${group.body.id}/quota/`, {
			automation_concurrent: 1,
		});
		expect(quota.status, quota.text).toBe(200);
		const user = await jobs.rig.t.admin.api.get(`/api/auth/management/${jobs.alice.id}/`);
		const path = `/api/auth/management/${jobs.alice.id}/`;
		const { group_ids } = user.body;
		await jobs.rig.t.admin.api.patch(path, { group_ids: [...group_ids, group.body.id] });
		jobs.refuseReads(true);
		const held = await jobs.request();
		const { change_window } = await jobs.execute(held);
		await jobs.reach(change_window, "blocked");
		const other = await jobs.rig.request(jobs.template);
		await jobs.execute(other);
		await jobs.rig.over(other);
		await jobs.alice.api.post(`${getRequestPath(held)}cancel/`);
		await jobs.rig.t.admin.api.patch(path, { group_ids });
	});

	it("approves its window with the request", async () => {
		const plan = await jobs.plan({ requires_approval: true });
		const made = await jobs.request({ change_plan: plan.id });
		expect(made).toMatchObject({ status: "awaiting_approval", requires_approval: true });
		expect((await jobs.kim.api.post(`${getRequestPath(made)}approve/`)).status).toBe(200);
		const { change_window } = await jobs.execute(made);
		expect(await jobs.readWindow(change_window)).toMatchObject({
			requires_approval: true,
			approved_by: "kim",
			created_by: { username: "alice" },
		});
		await jobs.rig.over(made);
		await jobs.reach(change_window, "judged");
	});

	it("is relaunched in another window, which waits for its gate as well", async () => {
		const made = await jobs.request({ input_data: [{ name: "again" }] });
		const first = await jobs.execute(made);
		await jobs.rig.over(made);
		await jobs.reach(first.change_window, "judged");
		const again = await jobs.alice.api.post(`${getExecutionPath(first)}relaunch/`);
		expect([again.status, again.body.launch_state], again.text).toEqual([201, "waiting_before"]);
		expect(again.body.change_window).not.toBe(first.change_window);
		await jobs.rig.over(made);
		await jobs.reach(again.body.change_window, "judged");
		expect(await jobs.countJobs(made)).toBe(2);
	});

	it("makes a window when a scheduled launch is due", async () => {
		const at = new Date(jobs.rig.t.clock.now() + 60_000).toISOString();
		const made = await jobs.request({ scheduled_for: at });
		const over = await jobs.rig.over(made);
		expect(over.status).toBe("successful");
		expect(await jobs.readWindow(over.change_window)).toMatchObject({ auto_finish: true });
		expect(await jobs.countJobs(made)).toBe(1);
	});
});

/** A template of jobs that run until they are cancelled. */
const getSlowTemplate = () =>
	jobs.rig.template({ automation_job_template_id: 10, variable_mappings: { secs: 600 }, schema: jobs.template.schema });

describe("a request with a change window", () => {
	const createWindow = async (fields: object = {}) => {
		const plan = await jobs.plan();
		const made = await jobs.alice.api.post(WINDOWS, {
			title: "Night shift",
			plan: plan.id,
			connection_ids: [jobs.fabric],
			...fields,
		});
		expect(made.status, made.text).toBe(201);
		return made.body;
	};

	it("starts a planned window, and does not end one that goes on by hand", async () => {
		const window = await createWindow();
		const made = await jobs.request({ change_window: window.id });
		const early = await jobs.alice.api.post(`${getRequestPath(made)}execute/`);
		expect([early.status, early.body.state], early.text).toEqual([409, "draft"]);
		await jobs.alice.api.post(`${WINDOWS}${window.id}/submit/`);
		const first = await jobs.execute(made);
		expect(first).toMatchObject({ launch_state: "waiting_before", change_window: window.id });
		await jobs.rig.over(made);
		const second = await jobs.request({ change_window: window.id });
		expect((await jobs.execute(second)).launch_state).toBe("intent");
		await jobs.rig.over(second);
		const open = await jobs.readWindow(window.id);
		expect([open.state, open.executions.length]).toEqual(["open", 2]);
		expect((await jobs.alice.api.post(`${WINDOWS}${window.id}/finish/`)).status).toBe(200);
		const late = await jobs.alice.api.post(`${getRequestPath(second)}retry/`);
		expect(late.status).toBe(409);
		await jobs.reach(window.id, "judged");
	});

	it("waits for a window that starts at a time of its own, and is cancelled with one that expires", async () => {
		const now = jobs.rig.t.clock.now();
		const window = await createWindow({
			starts_at: new Date(now + 3_600_000).toISOString(),
			ends_at: new Date(now + 7_200_000).toISOString(),
			auto_start: true,
		});
		await jobs.alice.api.post(`${WINDOWS}${window.id}/submit/`);
		const made = await jobs.request({ change_window: window.id });
		expect((await jobs.execute(made)).launch_state).toBe("waiting_before");
		expect((await jobs.readWindow(window.id)).state).toBe("planned");
		jobs.refuseReads(true);
		await jobs.rig.settle(
			"the window is blocked",
			async () => (await jobs.readWindow(window.id)).state === "blocked",
			60_000,
		);
		await jobs.rig.settle(
			"the window has expired",
			async () => (await jobs.readWindow(window.id)).state === "expired",
			60_000,
		);
		expect(await jobs.read(getRequestPath(made))).toMatchObject({ status: "cancelled" });
		expect(await jobs.countJobs(made)).toBe(0);
	});
});

describe("a template that requires a change plan", () => {
	it("refuses a launch without one, says the remedy, and launches with one", async () => {
		const template = await jobs.rig.template({ requires_change_plan: true });
		const made = await jobs.rig.request(template, { target_controller: jobs.fabric });
		const refused = await jobs.alice.api.post(`${getRequestPath(made)}execute/`);
		expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining("change_plan")]);
		const plan = await jobs.plan();
		await jobs.alice.api.patch(getRequestPath(made), { change_plan: plan.id });
		const { change_window } = await jobs.execute(made);
		await jobs.rig.over(made);
		await jobs.reach(change_window, "judged");
		const dry = await jobs.rig.request(template, { check_mode: true });
		await jobs.execute(dry);
		expect((await jobs.rig.over(dry)).status).toBe("successful");
	});

	it("refuses a relaunch and a retry without one, and names a remedy that the request allows", async () => {
		const template = await jobs.rig.template();
		const made = await jobs.rig.request(template);
		const execution = await jobs.rig.execute(made);
		await jobs.rig.over(made);
		const cancelled = await jobs.rig.request(template);
		await jobs.alice.api.post(`${getRequestPath(cancelled)}cancel/`);
		const path = `/api/automation/templates/${template.id}/`;
		expect((await jobs.alice.api.patch(path, { requires_change_plan: true })).status).toBe(200);
		const remedy = expect.stringContaining("Copy the request, and name a change plan or a change window in the copy.");
		const again = await jobs.alice.api.post(`${getExecutionPath(execution)}relaunch/`);
		expect([again.status, again.body.detail]).toEqual([409, remedy]);
		const retry = await jobs.alice.api.post(`${getRequestPath(cancelled)}retry/`);
		expect([retry.status, retry.body.detail]).toEqual([409, remedy]);
	});
});
