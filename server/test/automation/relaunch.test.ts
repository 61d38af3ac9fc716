/** A relaunch that cannot be is a 409. It leaves the request and the counts of its template. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { API, type Body, EXECUTIONS, REQUESTS, type Rig, startRig } from "../support/automation.ts";

const OWN = 80;
let rig: Rig;
beforeAll(async () => {
	rig = await startRig();
});
afterAll(() => rig.close());
afterEach(() => rig.lab.clearFaults());

/** A request that is over, its template and its execution. */
async function createEndedRequest(input: Body[] = [{ name: "r1" }]) {
	await rig.lab.control("template", { id: OWN, name: "Own", playbook: "rows.yml", asks: ["variables"] });
	const template = await rig.template({ automation_job_template_id: OWN });
	const request = await rig.request(template, { input_data: input });
	const { id } = await rig.execute(request);
	const { automation_job_id: job } = await rig.over(request);
	return { template, request, id, job: job as number };
}
const relaunchExecution = (id: string, hosts = "all") => rig.alice.api.post(`${EXECUTIONS}${id}/relaunch/`, { hosts });
const getRequest = async ({ id }: Body) => (await rig.alice.api.get(`${REQUESTS}${id}/`)).body;
const countByIds = async ({ id }: Body) => {
	const { body } = await rig.alice.api.get(`${API}templates/${id}/`);
	return [body.request_count, body.success_count, body.failure_count];
};

describe("a relaunch is refused with the reason", () => {
	it("where no host failed", async () => {
		const { id, job, request, template } = await createEndedRequest();
		const { status, body } = await relaunchExecution(id, "failed");
		expect([status, body.detail]).toEqual([409, expect.stringContaining(`No host failed in job ${job}`)]);
		expect(await getRequest(request)).toMatchObject({ status: "successful", executions_total: 1, launch_error: null });
		expect(await countByIds(template)).toEqual([1, 1, 0]);
	});

	it("where the job, or the template, does not exist any more", async () => {
		const first = await createEndedRequest();
		await rig.lab.control("delete_job", { id: first.job });
		const gone = await relaunchExecution(first.id);
		expect([gone.status, gone.body.detail]).toEqual([409, expect.stringMatching(/^Job \d+ does not exist/)]);
		const second = await createEndedRequest();
		const headers = { authorization: `Bearer ${rig.lab.token}` };
		await fetch(`${rig.lab.apiUrl}job_templates/${OWN}/`, { method: "DELETE", headers });
		const without = await relaunchExecution(second.id);
		expect([without.status, without.body.detail]).toEqual([
			409,
			expect.stringContaining(`The job template ${OWN} does not exist`),
		]);
		expect((await getRequest(second.request)).status).toBe("successful");
	});

	it("by 502 where the server does not answer", async () => {
		const { id, request } = await createEndedRequest();
		rig.lab.setFaults({ html_error: { status: 502 } });
		expect((await relaunchExecution(id)).status).toBe(502);
		expect((await getRequest(request)).status).toBe("successful");
	});
});

describe("the outcome of a request", () => {
	it("is that of its launches: a relaunch that made no job changes nothing", async () => {
		const { id, request, template } = await createEndedRequest();
		rig.lab.setFaults({ answer: { match: "/relaunch/", method: "POST", status: 400, body: { errors: ["No."] } } });
		const made = await relaunchExecution(id);
		expect([made.status, (await getRequest(request)).status]).toEqual([201, "running"]);
		expect(await rig.over(request)).toMatchObject({ status: "successful", launch_error: null });
		expect(await rig.execution(made.body.id)).toMatchObject({ status: "error", error: "No." });
		expect(await countByIds(template)).toEqual([1, 1, 0]);
		await rig.settle("the requester has a notification", async () => {
			const key = `automation_execution:${made.body.id}`;
			const { rows } = await rig.t.pool.query("select title, body from notifications where key = $1", [key]);
			return rows[0]?.title.endsWith("was not launched again") && rows[0]?.body === "No.";
		});
	});

	it("counts once, whatever its number of jobs, as it is in the end", async () => {
		const { id, request, template } = await createEndedRequest([{ name: "bad", rc: 1 }]);
		expect(await countByIds(template)).toEqual([1, 0, 1]);
		expect((await relaunchExecution(id, "failed")).status).toBe(201);
		expect((await rig.over(request)).status).toBe("failed");
		expect(await countByIds(template)).toEqual([1, 0, 1]);
		// The same job goes well with another playbook.
		await rig.lab.control("template", { id: OWN, name: "Own", playbook: "sleep.yml" });
		expect((await relaunchExecution(id)).status).toBe(201);
		expect((await rig.over(request)).status).toBe("successful");
		expect(await countByIds(template)).toEqual([1, 1, 0]);
		expect((await getRequest(request)).executions_total).toBe(3);
	});
});
