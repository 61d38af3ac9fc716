/** An error of one job is its own: the other jobs of the connection are polled on. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Rig, startRig } from "../support/automation.ts";

let rig: Rig;
beforeAll(async () => {
	rig = await startRig();
	await rig.lab.control("template", { id: 10, simultaneous: true });
});
afterAll(() => rig.close());
afterEach(() => rig.lab.clearFaults());

async function startExecution(secs: number) {
	const template = await rig.template({
		automation_job_template_id: 10,
		variable_mappings: { secs },
		schema: [
			{ name: "name", field_type: "text", required: true },
			{ name: "password", field_type: "password" },
		],
	});
	const request = await rig.request(template, { input_data: [{ name: "r1", password: "s3cret-of-a-row" }] });
	const { id } = await rig.execute(request);
	const { automation_job_id: job } = await rig.settle("it runs", async () => {
		const found = await rig.execution(id);
		return found.status === "running" ? found : null;
	});
	return { request, id, job: job as number };
}

const readFailures = async (): Promise<number> =>
	(await rig.t.pool.query("select failures from automation_polls where connection_id = $1", [rig.connection])).rows[0]
		.failures;

describe("an error of one job", () => {
	it("explains a job that the server does not show on that job alone", async () => {
		const hidden = await startExecution(600);
		const other = await startExecution(600);
		rig.lab.setFaults({ answer: { match: `/jobs/${hidden.job}/job_events/`, status: 403, body: { detail: "No." } } });
		await rig.settle(
			"the error is shown",
			async () => (await rig.execution(hidden.id)).explanation.startsWith(`Job ${hidden.job} could not be polled: `),
			5_000,
		);
		for (let polls = 0; polls < 4; polls++) await rig.t.clock.advance(31_000);
		expect(await readFailures()).toBe(0);
		expect(await rig.execution(other.id)).toMatchObject({ status: "running", explanation: "" });
		await rig.lab.control("end", { id: other.job, status: "successful" });
		expect((await rig.over(other.request, 5_000)).status).toBe("successful");
		expect((await rig.execution(hidden.id)).status).toBe("running");
		rig.lab.clearFaults();
		await rig.lab.control("end", { id: hidden.job, status: "successful" });
		expect((await rig.over(hidden.request, 5_000)).status).toBe("successful");
		expect((await rig.execution(hidden.id)).explanation).toBe("");
	});

	it("explains secrets that cannot be decrypted on their job alone", async () => {
		const broken = await startExecution(600);
		const other = await startExecution(600);
		const { rows } = await rig.t.pool.query("select secrets_sealed from automation_requests where id = $1", [
			broken.request.id,
		]);
		await rig.t.pool.query("update automation_requests set secrets_sealed = 'broken' where id = $1", [
			broken.request.id,
		]);
		rig.t.app.context.areas.automation.contents.clear();
		await rig.lab.control("end", { id: broken.job, status: "failed" });
		await rig.lab.control("end", { id: other.job, status: "successful" });
		expect((await rig.over(other.request, 5_000)).status).toBe("successful");
		expect(await rig.execution(broken.id)).toMatchObject({
			status: "running",
			explanation: expect.stringContaining(`Job ${broken.job} could not be polled because of an internal error.`),
		});
		expect(await readFailures()).toBe(0);
		await rig.t.pool.query("update automation_requests set secrets_sealed = $2 where id = $1", [
			broken.request.id,
			rows[0].secrets_sealed,
		]);
		expect((await rig.over(broken.request, 5_000)).status).toBe("failed");
	});
});
