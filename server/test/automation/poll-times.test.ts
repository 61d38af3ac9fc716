/** Times of the next poll of a job. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { EXECUTIONS, type Rig, startRig } from "../support/automation.ts";

let rig: Rig;
beforeAll(async () => {
	rig = await startRig();
	await rig.lab.control("template", { id: 10, simultaneous: true });
});
afterAll(() => rig.close());

async function startExecution() {
	const template = await rig.template({ automation_job_template_id: 10, variable_mappings: { secs: 3_600 } });
	const { id } = await rig.execute(await rig.request(template));
	const { automation_job_id: job } = await rig.settle("it runs", async () => {
		const found = await rig.execution(id);
		return found.status === "running" ? found : null;
	});
	return { id, job: job as number };
}

const readTimes = async (id: string) =>
	(await rig.t.pool.query("select poll_at, missing_since from automation_executions where id = $1", [id])).rows[0];

it("a missing job with a viewer is searched for again only when the delay has passed", async () => {
	const { id, job } = await startExecution();
	await rig.lab.control("delete_job", { id: job });
	await rig.settle("it is missing", async () => (await readTimes(id)).missing_since !== null);
	rig.lab.resetRequests();
	await rig.alice.api.get(`${EXECUTIONS}${id}/output/`);
	for (let ticks = 0; ticks < 16; ticks++) {
		await rig.t.clock.advance(500);
		await readTimes(id);
	}
	const searches = rig.lab.requests().filter((request) => JSON.stringify(request).includes(`/jobs/${job}/`));
	expect(searches.length).toBeLessThanOrEqual(2);
	await rig.settle("it has ended", async () => (await rig.execution(id)).status === "error");
});
