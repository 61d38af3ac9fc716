/** Jobs that end after the work of their change window was said to have ended. */
import { describe, expect, it } from "vitest";
import { getRequestPath, useWindowJobs } from "../support/window-jobs.ts";
import { WINDOWS } from "../support/windows.ts";

const YEAR_MS = 365 * 24 * 3_600_000;
const SETTLE = { delay_s: 1, interval_s: 20, stable_rounds: 1, timeout_s: 40 };

// The clock of the service begins in January 2026.
describe.each([
	["behind", Date.parse("2025-06-01T00:00:00Z")],
	["ahead of", Date.parse("2025-06-01T00:00:00Z") + 2 * YEAR_MS],
])("with an automation server whose clock is %s that of the service, a late job", (_title, time) => {
	const offsetMs = time - Date.now();
	const jobs = useWindowJobs({ now: () => Date.now() + offsetMs });

	it("makes the verdict inconclusive while it runs, then the rounds begin anew once", async () => {
		const plan = await jobs.plan({ settle: SETTLE });
		const body = { title: "Night shift", plan: plan.id, connection_ids: [jobs.fabric] };
		const window = (await jobs.alice.api.post(WINDOWS, body)).body;
		await jobs.alice.api.post(`${WINDOWS}${window.id}/submit/`);
		const template = await jobs.rig.template({
			automation_job_template_id: 10,
			variable_mappings: { secs: 600 },
			schema: jobs.template.schema,
		});
		const made = await jobs.request({ change_window: window.id }, template);
		await jobs.execute(made);
		await jobs.rig.settle("the job runs", async () => (await jobs.countJobs(made)) === 1);
		expect((await jobs.alice.api.post(`${WINDOWS}${window.id}/finish/`)).status).toBe(200);
		const early = await jobs.reach(window.id, "judged");
		expect(early).toMatchObject({ verdict: "inconclusive", can_sign: false });
		expect((await jobs.read(`${WINDOWS}${window.id}/findings/`)).results).toMatchObject([
			{ class: "inconclusive", detail: expect.stringContaining("A job of the change window was still running") },
		]);
		const signed = await jobs.alice.api.post(`${WINDOWS}${window.id}/sign/`, { comment: "" });
		expect(signed).toMatchObject({ status: 409, body: { state: "judged" } });
		expect((await jobs.alice.api.post(`${getRequestPath(made)}cancel/`)).status).toBe(202);
		await jobs.rig.over(made);
		await jobs.reach(window.id, "settling");
		const judged = await jobs.reach(window.id, "judged");
		expect(judged.verdicts).toMatchObject([{ verdict: "inconclusive" }, { verdict: "passed" }]);
		expect(judged.phases.after.round).toBeGreaterThan(early.phases.after.round);
		// Longer than the sweep of lost tasks takes.
		await jobs.rig.t.clock.advance(120_000);
		const { results } = await jobs.read(`${WINDOWS}${window.id}/events/`);
		expect(results.filter(({ event }: { event: string }) => event === "recheck")).toMatchObject([
			{ detail: expect.stringContaining("after the end of the work") },
		]);
		expect(await jobs.countJobs(made)).toBe(1);
	});

	it("in time ends its window once", async () => {
		const made = await jobs.request();
		const { change_window } = await jobs.execute(made);
		await jobs.rig.over(made);
		await jobs.reach(change_window, "judged");
		const { results } = await jobs.read(`${WINDOWS}${change_window}/events/`);
		expect(results.filter(({ event }: { event: string }) => event === "finish")).toHaveLength(1);
	});
});
