/** Change windows of automation requests: their implementers, and launches that a freeze holds. */
import { beforeAll, describe, expect, it } from "vitest";
import { addConnection } from "../support/canvases.ts";
import { getExecutionPath, getRequestPath, useWindowJobs } from "../support/window-jobs.ts";
import { WINDOWS } from "../support/windows.ts";

const jobs = useWindowJobs();
const ENTRIES = "/api/calendar/entries/";
const MINUTE_MS = 60_000;

describe("the implementers of a window that a request makes", () => {
	it("takes the user of the automation connection as implementer, whose changes are not foreign", async () => {
		const made = await jobs.request({ input_data: [{ name: "declared" }] });
		const { id, change_window } = await jobs.execute(made);
		expect((await jobs.readWindow(change_window)).implementers).toEqual(["admin"]);
		await jobs.rig.settle("the job runs", async () => (await jobs.countJobs(made)) === 1);
		await jobs.writeDomain("declared");
		await jobs.writeDomain("undeclared");
		await jobs.rig.over(made);
		expect(await jobs.reach(change_window, "judged")).toMatchObject({ verdict: "failed", executions: [id] });
		const { results } = await jobs.read(`${WINDOWS}${change_window}/findings/`);
		expect(results).toMatchObject([
			{ class: "undeclared", foreign: false, changed_by: [{ user: "admin" }] },
			{ class: "expected", foreign: false },
		]);
	});

	it("adds the user of the automation connection to those of a window that exists", async () => {
		const plan = await jobs.plan();
		const fields = { title: "Night shift", plan: plan.id, connection_ids: [jobs.fabric], implementers: ["kim"] };
		const window = (await jobs.alice.api.post(WINDOWS, fields)).body;
		expect((await jobs.alice.api.post(`${WINDOWS}${window.id}/submit/`)).body.state).toBe("planned");
		await jobs.execute(await jobs.request({ change_window: window.id }));
		expect((await jobs.readWindow(window.id)).implementers).toEqual(["kim", "admin"]);
	});
});

describe("a scheduled launch into a window of several fabrics", () => {
	let other: string;
	beforeAll(async () => {
		other = await addConnection(jobs.alice.api, jobs.lab, { is_public: true });
	});

	const formatTime = (inMs: number) => new Date(jobs.rig.t.clock.now() + inMs).toISOString();

	it("blocks a scheduled launch with its window while one of the fabrics is frozen, and starts other launches", async () => {
		const plan = await jobs.plan();
		const fields = { title: "Both halls", plan: plan.id, connection_ids: [jobs.fabric, other] };
		const window = (await jobs.alice.api.post(WINDOWS, fields)).body;
		expect((await jobs.alice.api.post(`${WINDOWS}${window.id}/submit/`)).body.state).toBe("planned");
		const scheduled_for = formatTime(MINUTE_MS);
		const made = await jobs.request({ change_window: window.id, scheduled_for });
		const unbound = await jobs.rig.request(jobs.template, { target_controller: jobs.fabric, scheduled_for });
		const freeze = await jobs.rig.t.admin.api.post(ENTRIES, {
			kind: "freeze",
			title: "Quarter end",
			controller_connection_ids: [other],
			starts_at: formatTime(0),
			ends_at: formatTime(60 * MINUTE_MS),
		});
		expect(freeze.status, freeze.text).toBe(201);
		await jobs.rig.over(unbound);
		const blocked = await jobs.reach(window.id, "blocked");
		expect(blocked.gate.reasons).toMatchObject([{ kind: "freeze", detail: 'The freeze "Quarter end" is active.' }]);
		const [id] = blocked.executions;
		expect(await jobs.rig.execution(id)).toMatchObject({ status: "pending", launch_state: "blocked" });
		expect(await jobs.read(getRequestPath(made))).toMatchObject({ status: "running", change_window: window.id });
		expect(await jobs.countJobs(made)).toBe(0);

		const override = await jobs.kim.api.post(`${getExecutionPath({ id })}override/`, { reason: "Agreed" });
		expect(override.status, override.text).toBe(200);
		expect((await jobs.rig.over(made)).status).toBe("successful");
		expect(await jobs.countJobs(made)).toBe(1);
	});
});
