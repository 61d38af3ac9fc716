/** Times of the next poll of a job: with a viewer, and while the job is missing. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { EXECUTIONS, type Rig, startRig } from "../support/automation.ts";

let rig: Rig;
/** Runs once within the next poll of events. */
let duringPoll: (() => Promise<unknown>) | null = null;
beforeAll(async () => {
	rig = await startRig({
		changeDriver: (driver) => ({
			async events(...request) {
				const work = duringPoll;
				duringPoll = null;
				await work?.();
				return driver.events(...request);
			},
		}),
	});
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

it("a viewer who arrives during a poll has the job polled again within a second", async () => {
	const { id } = await startExecution();
	for (let polls = 0; polls < 6; polls++) await rig.t.clock.advance(31_000);
	let isViewed = false;
	duringPoll = async () => {
		await rig.alice.api.get(`${EXECUTIONS}${id}/output/`);
		isViewed = true;
	};
	await rig.settle("a viewer arrives during a poll", () => isViewed, 1_000);
	const now = rig.t.clock.now();
	const next = await rig.settle(
		"the poll has ended",
		async () => {
			const { poll_at } = await readTimes(id);
			return poll_at.getTime() > now ? poll_at.getTime() : null;
		},
		0,
	);
	expect(next - now).toBeLessThanOrEqual(1_000);
});

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
