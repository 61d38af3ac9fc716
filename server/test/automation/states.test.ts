/** The states of many jobs are stored from one answer, even if requests for single jobs hang. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STATES } from "../../src/areas/automation/jobs/rules/states.ts";
import { type Body, type Rig, startRig } from "../support/automation.ts";

const JOBS = 8;
let rig: Rig;
beforeAll(async () => {
	rig = await startRig({ lab: { behaviour: { pending_ms: 3_600_000, waiting_ms: 5 } } });
});
afterAll(() => rig.close());

describe("the states of many jobs", () => {
	it("stores the states of all jobs while requests for events hang, and ends no job", async () => {
		await rig.lab.control("template", {
			id: 60,
			name: "Long",
			playbook: "sleep.yml",
			simultaneous: true,
			asks: ["variables"],
		});
		const template = await rig.template({ automation_job_template_id: 60, variable_mappings: { secs: 600 } });
		const ids: string[] = [];
		for (let at = 0; at < JOBS; at++) {
			const request = await rig.request(template, { input_data: [{ name: `r${at}` }] });
			ids.push((await rig.execute(request)).id);
		}
		const readAll = async (): Promise<Body[]> => Promise.all(ids.map((id) => rig.execution(id)));
		const haveStatus = async (wanted: string) => (await readAll()).every(({ status }) => status === wanted);
		await rig.settle("all are pending", async () => {
			const all = await readAll();
			return all.every((one) => one.status === "pending" && one.automation_job_id !== null);
		});
		// After an outage all jobs are due at the next poll, so that one answer has all states.
		const makeAllDue = async (seconds: number) => {
			rig.lab.setFaults({ database_down: {} });
			await rig.lab.control("advance", { seconds });
			for (let step = 0; step < 30; step++) await rig.t.clock.advance(2_000);
			rig.lab.clearFaults();
		};
		await makeAllDue(3_660);
		rig.lab.setFaults({ hang: { match: "job_events" } });
		await rig.settle("all are shown as running", () => haveStatus("running"));
		expect((await readAll()).map(({ finished_at }) => finished_at ?? null)).toEqual(Array(JOBS).fill(null));
		rig.lab.clearFaults();
		await rig.lab.control("advance", { seconds: 700 });
		await rig.settle("all have ended", () => haveStatus("successful"), 5_000);
	}, 180_000);

	it("shows no final status before the events of the job are read", async () => {
		const template = await rig.template({ automation_job_template_id: 60, variable_mappings: { secs: 1 } });
		const { id } = await rig.execute(await rig.request(template));
		const hasStatus = async (wanted: string) => (await rig.execution(id)).status === wanted;
		await rig.settle("it is pending", async () => (await rig.execution(id)).automation_job_id !== null);
		rig.lab.setFaults({ server_error: { match: "job_events" } });
		await rig.lab.control("advance", { seconds: 3_700 });
		for (let step = 0; step < 30; step++) {
			await rig.t.clock.advance(1_000);
			expect(["pending", "waiting", "running"]).toContain((await rig.execution(id)).status);
		}
		rig.lab.clearFaults();
		await rig.settle("it has ended", () => hasStatus("successful"), 5_000);
	});
});

describe("the first states of an execution", () => {
	it.each([
		["automation_executions", "status", STATES.execution.first],
		["automation_executions", "launch_state", STATES.launch.first],
		["automation_watches", "status", STATES.snapshot.first],
	] as const)("are defaults of the database (%s.%s)", async (table, column, first) => {
		const { rows } = await rig.t.pool.query(
			"select column_default from information_schema.columns where table_name = $1 and column_name = $2",
			[table, column],
		);
		expect(rows).toEqual(first.map((state) => ({ column_default: `'${state}'::text` })));
	});
});
