/** Rollbacks after a failed verdict: asked for once, and launched where the approval named them. */
import { beforeAll, describe, expect, it } from "vitest";
import { type Body, REQUESTS } from "../support/automation.ts";
import { getRequestPath, JOB_TENANT, useWindowJobs } from "../support/window-jobs.ts";
import { WINDOWS } from "../support/windows.ts";

const jobs = useWindowJobs();
let template: Body;
beforeAll(async () => {
	const rollback = await jobs.rig.template();
	template = await jobs.rig.template({
		rollback_template: rollback.id,
		expects: [{ change: "added", class_name: "fvBD", dn: `${JOB_TENANT}/BD-{name}` }],
	});
});

const listRollbacks = async (of: Body): Promise<Body[]> =>
	(await jobs.read(`${REQUESTS}?page_size=200`)).results.filter(({ rollback_of }: Body) => rollback_of === of.id);

/** Runs the job of a request, whose declared change does not happen, to the failed verdict. */
async function failRequest(request: Body): Promise<Body> {
	const { change_window } = await jobs.execute(request);
	await jobs.rig.over(request);
	const window = await jobs.reach(change_window, "judged");
	expect(window.verdict).toBe("failed");
	return window;
}

/** Runs the job of a request to its end. Returns the id of its window. */
async function runJob(request: Body): Promise<string> {
	const { change_window } = await jobs.execute(request);
	await jobs.rig.over(request);
	return change_window;
}

/** Freezes the fabric for a day. Returns the id of the calendar entry. */
async function startFreeze(): Promise<string> {
	const now = jobs.rig.t.clock.now();
	const made = await jobs.kim.api.post("/api/calendar/entries/", {
		kind: "freeze",
		title: "End of the quarter",
		controller_connection_ids: [jobs.fabric],
		starts_at: new Date(now - 60_000).toISOString(),
		ends_at: new Date(now + 24 * 3_600_000).toISOString(),
		time_zone: "UTC",
	});
	expect(made.status, made.text).toBe(201);
	return made.body.id;
}

const findRollback = (of: Body, status: string): Promise<Body> =>
	jobs.rig.settle(`the rollback is ${status}`, async () =>
		(await listRollbacks(of)).find((rollback) => rollback.status === status),
	);

describe("a failed verdict", () => {
	it("asks for the rollback once, and its approvers decide, whatever its template requires", async () => {
		const plan = await jobs.plan({ after_failure: "request_rollback" });
		const made = await jobs.request({ change_plan: plan.id }, template);
		const window = await failRequest(made);
		expect(await findRollback(made, "awaiting_approval")).toMatchObject({
			title: `Rollback of ${made.title}`,
			requested_by: "alice",
			requires_approval: true,
		});
		expect((await jobs.alice.api.post(`${WINDOWS}${window.id}/recheck/`)).status).toBe(200);
		await jobs.reach(window.id, "judged");
		const { results } = await jobs.read(`${WINDOWS}${window.id}/events/`);
		expect(results.filter(({ event }: Body) => event === "rollback")).toMatchObject([
			{ detail: `The rollback of "${made.title}" awaits approval.` },
		]);
		expect(await listRollbacks(made)).toHaveLength(1);
	});

	it("launches the rollback that the approval of the request named", async () => {
		const plan = await jobs.plan({ after_failure: "launch_rollback", requires_approval: true });
		const made = await jobs.request({ change_plan: plan.id }, template);
		expect((await jobs.kim.api.post(`${getRequestPath(made)}approve/`)).status).toBe(200);
		await failRequest(made);
		const rollback = await findRollback(made, "successful");
		expect(rollback).toMatchObject({ approved_by: "kim", requested_by: "alice" });
		expect(await jobs.countJobs(rollback)).toBe(1);
	});

	it("asks at most for the rollback where nobody approved the window", async () => {
		const plan = await jobs.plan({ after_failure: "launch_rollback" });
		const made = await jobs.request({ change_plan: plan.id }, template);
		await failRequest(made);
		const rollback = await findRollback(made, "awaiting_approval");
		expect(await jobs.countJobs(rollback)).toBe(0);
	});

	it("says why there is no rollback, and asks for none where the plan only notifies", async () => {
		const plan = await jobs.plan({ after_failure: "request_rollback" });
		const made = await jobs.request({ change_plan: plan.id });
		const window = await failRequest(made);
		await jobs.rig.settle("the reason is there", async () =>
			(await jobs.read(`${WINDOWS}${window.id}/events/`)).results.find(
				({ event, detail }: Body) => event === "rollback" && detail.startsWith(`No rollback of "${made.title}"`),
			),
		);
		const quiet = await jobs.request({}, template);
		await failRequest(quiet);
		expect(await listRollbacks(quiet)).toEqual([]);
	});

	it("launches during a freeze the rollback that the approval named, and no other", async () => {
		const plan = { after_failure: "launch_rollback", requires_approval: true };
		const named = await jobs.request({ change_plan: (await jobs.plan(plan)).id }, template);
		expect((await jobs.kim.api.post(`${getRequestPath(named)}approve/`)).status).toBe(200);
		const unnamed = await jobs.request(
			{ change_plan: (await jobs.plan({ after_failure: "request_rollback" })).id },
			template,
		);
		const windows = [await runJob(named), await runJob(unnamed)];
		const freeze = await startFreeze();
		for (const id of windows) expect((await jobs.reach(id, "judged")).verdict).toBe("failed");
		expect(await jobs.countJobs(await findRollback(named, "successful"))).toBe(1);

		const rollback = await findRollback(unnamed, "awaiting_approval");
		expect((await jobs.kim.api.post(`${getRequestPath(rollback)}approve/`)).status).toBe(200);
		const launch = () => jobs.alice.api.post(`${getRequestPath(rollback)}execute/`);
		expect(await launch()).toMatchObject({ status: 409, body: { freeze: { title: "End of the quarter" } } });
		expect(await jobs.read(getRequestPath(rollback))).toMatchObject({ status: "approved", automation_job_id: null });
		expect(await jobs.countJobs(rollback)).toBe(0);
		await jobs.kim.api.del(`/api/calendar/entries/${freeze}/`);
		expect((await launch()).status).toBe(202);
		await jobs.rig.over(rollback);
		expect(await jobs.countJobs(rollback)).toBe(1);
	});
});
