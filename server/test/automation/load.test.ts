/**
 * Many jobs at once: few requests, all of them to their end; and several processes that share
 * the work without doing it twice.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildApp } from "../../src/app.ts";
import { EXECUTIONS, REQUESTS, type Rig, startRig } from "../support/automation.ts";
import { IS_THOROUGH } from "../support/effort.ts";
import { waitUntil } from "../support/harness.ts";

const JOBS = IS_THOROUGH ? 100 : 30;
let rig: Rig;
beforeAll(async () => {
	rig = await startRig({ lab: { behaviour: { pending_ms: 5, waiting_ms: 5 } } });
});
afterAll(() => rig.close());

const countOpenExecutions = async () =>
	(await rig.t.pool.query("select count(*)::int as n from automation_executions where finished_at is null")).rows[0].n;
const countRunningExecutions = async () =>
	(await rig.t.pool.query("select count(*)::int as n from automation_executions where status = 'running'")).rows[0].n;

async function launchAll(secs: number) {
	await rig.lab.control("template", {
		id: 50,
		name: "Long",
		playbook: "sleep.yml",
		simultaneous: true,
		asks: ["variables"],
	});
	const template = await rig.template({ automation_job_template_id: 50, variable_mappings: { secs } });
	const all = [];
	for (let at = 0; at < JOBS; at++) {
		const request = await rig.request(template, { input_data: [{ name: `r${at}` }] });
		expect((await rig.alice.api.post(`${REQUESTS}${request.id}/execute/`)).status).toBe(202);
		all.push(request);
	}
	await rig.settle("all run", async () => (await countRunningExecutions()) === JOBS, 200);
	return all;
}

describe("many jobs that run", () => {
	it("take one request for their states and one each for their events, and all end", async () => {
		await launchAll(600);
		// Let them grow old, so that nobody is in a hurry.
		await rig.t.pool.query(
			"update automation_executions set created_at = created_at - interval '1 hour' where finished_at is null",
		);
		await rig.t.pool.query("update automation_executions set poll_at = $1 where finished_at is null", [
			new Date(rig.t.clock.now() + 60_000),
		]);
		for (let at = 0; at < 5; at++) await rig.t.clock.advance(1_000);
		// A look that had begun before is over, too.
		const held = "select count(*)::int as n from automation_polls where lease_token is not null";
		await waitUntil("nobody asks the server", async () => (await rig.t.pool.query(held)).rows[0].n === 0);
		rig.lab.resetRequests();
		await rig.t.clock.advance(60_000);
		const polled = async () =>
			(
				await rig.t.pool.query(
					"select count(*)::int as n from automation_executions where finished_at is null and poll_at > $1",
					[new Date(rig.t.clock.now())],
				)
			).rows[0].n === JOBS;
		await rig.settle("all were asked for", polled, 1);
		const asked = rig.lab.requests();
		const states = asked.filter(({ target }) => target.includes("unified_jobs"));
		const events = asked.filter(({ target }) => target.includes("job_events"));
		expect(states).toHaveLength(1);
		expect(events).toHaveLength(JOBS);
		expect(asked).toHaveLength(JOBS + 1);
		await rig.lab.control("advance", { seconds: 700 });
		await rig.settle("all are over", async () => (await countOpenExecutions()) === 0, 5_000);
		const { rows } = await rig.t.pool.query("select status, count(*)::int as n from automation_requests group by 1");
		expect(rows).toEqual([{ status: "successful", n: JOBS }]);
		expect(await rig.lab.jobs()).toHaveLength(JOBS);
	}, 120_000);

	it("are shared by processes: no job twice, no event twice", async () => {
		const { deps } = rig.t;
		const others = await Promise.all([buildApp(deps), buildApp(deps)]);
		for (const other of others) await other.work();
		await rig.lab.control("behaviour", { store_ms: 200, batch_ms: 50 });
		const template = await rig.template({
			automation_job_template_id: 21,
			variable_mappings: { events: 1_500, every_ms: 1 },
		});
		const before = (await rig.lab.jobs()).length;
		const all = [];
		for (let at = 0; at < 12; at++) {
			const request = await rig.request(template);
			await rig.execute(request);
			all.push(request);
		}
		for (const request of all) {
			expect(await rig.over(request)).toMatchObject({ status: "successful", executions_total: 1 });
			const [execution] = await rig.listExecutions(request);
			expect(execution).toMatchObject({ output_complete: true, lost_events: 0 });
			const { stdout } = (await rig.alice.api.get(`${EXECUTIONS}${execution.id}/output/`)).body;
			const lines = [...stdout.matchAll(/line (\d+) of 1496/g)].map(([, n]) => Number(n));
			expect(lines).toEqual(Array.from({ length: 1_496 }, (_, n) => n));
		}
		expect((await rig.lab.jobs()).length - before).toBe(12);
		for (const other of others) await other.close();
	}, 120_000);
});
