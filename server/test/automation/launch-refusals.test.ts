/** Refused launches: no real run instead of a dry one, and nothing dropped without a word. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Body, EXECUTIONS, REQUESTS, type Rig, startRig } from "../support/automation.ts";
import { listRequestJobs, resetLaunchLab } from "../support/launches.ts";

let rig: Rig;
beforeAll(async () => {
	rig = await startRig();
});
afterAll(() => rig.close());
afterEach(() => resetLaunchLab(rig));

const getCredentials = (job: Body): number[] => job.summary_fields.credentials.map(({ id }: Body) => id);
const executeRequest = (request: Body) => rig.alice.api.post(`${REQUESTS}${request.id}/execute/`);
const getRequest = async (request: Body) => (await rig.alice.api.get(`${REQUESTS}${request.id}/`)).body;

describe("a dry run", () => {
	it("refuses a dry run if the server's template does not ask for the job type", async () => {
		await rig.lab.control("template", { id: 9, asks: ["variables"] });
		const request = await rig.request(await rig.template({ automation_job_template_id: 9 }), { check_mode: true });
		const { status, body } = await executeRequest(request);
		expect([status, Object.keys(body)]).toEqual([400, ["check_mode"]]);
		expect((await getRequest(request)).status).toBe("pending");
		expect(await listRequestJobs(rig, request)).toHaveLength(0);
	});

	it("stops a dry run that a change of the template would turn into a real run", async () => {
		const at = new Date(rig.t.clock.now() + 60_000).toISOString();
		const request = await rig.request(await rig.template({ automation_job_template_id: 9 }), {
			check_mode: true,
			scheduled_for: at,
		});
		await rig.lab.control("template", { id: 9, asks: ["variables"] });
		await rig.t.clock.advance(61_000);
		expect(await rig.over(request)).toMatchObject({
			status: "failed",
			launch_error: expect.stringMatching(/would really run/),
		});
		expect(await listRequestJobs(rig, request)).toHaveLength(0);
	});

	it("cancels a dry run at once if the server made a real job of it", async () => {
		// The answer to the question and the launch do not agree: the template changed between the two.
		const request = await rig.request(await rig.template({ automation_job_template_id: 10 }), {
			check_mode: true,
			input_data: [{ name: "a" }],
		});
		await rig.lab.control("template", { id: 10, asks: ["variables", "job_type"] });
		const asked = rig.t.deps.automation.launch;
		const launch: typeof asked = async (...given) => {
			await rig.lab.control("template", { id: 10, asks: ["variables"] });
			return asked(...given);
		};
		Object.assign(rig.t.deps.automation, { launch });
		await rig.lab.control("behaviour", { pending_ms: 5_000 });
		const { id } = await rig.execute(request);
		const done = await rig.over(request);
		Object.assign(rig.t.deps.automation, { launch: asked });
		await rig.lab.control("behaviour", { pending_ms: 30 });
		expect(done).toMatchObject({ status: "failed", launch_error: expect.stringMatching(/dropped the check mode/) });
		expect(await rig.execution(id)).toMatchObject({ status: "error" });
		expect((await listRequestJobs(rig, request)).map(({ status, started }) => [status, started])).toEqual([
			["canceled", null],
		]);
	});

	it("refuses to relaunch a dry run that would become a real run", async () => {
		const request = await rig.request(await rig.template({ automation_job_template_id: 9 }), { check_mode: true });
		const { id } = await rig.execute(request);
		await rig.over(request);
		await rig.lab.control("template", { id: 9, asks: ["variables"] });
		const refused = await rig.alice.api.post(`${EXECUTIONS}${id}/relaunch/`);
		expect([refused.status, refused.body.detail]).toEqual([409, expect.stringMatching(/would really run/)]);
		expect((await getRequest(request)).status).toBe("successful");
		expect(await listRequestJobs(rig, request)).toHaveLength(1);
	});

	it("runs a template of job type check without the prompt, and warns after a real run of it", async () => {
		await rig.lab.control("template", { id: 22, asks: ["variables"], jobType: "check" });
		const dry = await rig.request(await rig.template(), { check_mode: true });
		await rig.execute(dry);
		expect((await rig.over(dry)).status).toBe("successful");
		const real = await rig.request(await rig.template());
		await rig.execute(real);
		expect((await rig.over(real)).warnings).toMatchObject([{ code: "template_checks" }]);
	});
});

describe("what the server would drop", () => {
	it("launches nothing if the server would drop the rows", async () => {
		const request = await rig.request(await rig.template());
		await rig.lab.control("template", { id: 22, asks: [] });
		const { status, body } = await executeRequest(request);
		expect([status, Object.keys(body)]).toEqual([400, ["input_data"]]);
		expect(await listRequestJobs(rig, request)).toHaveLength(0);
	});

	it("launches nothing if the server would drop a credential that is not the template's own", async () => {
		await rig.lab.control("template", { id: 22, asks: ["variables"] });
		const refused = await rig.request(await rig.template(), { automation_credential_id: 3 });
		expect((await executeRequest(refused)).body).toHaveProperty("automation_credential_id");
		await rig.lab.control("template", { id: 22, credentials: [3] });
		await rig.execute(refused);
		expect((await rig.over(refused)).status).toBe("successful");
		await rig.lab.control("template", { id: 22, credentials: [] });
	});

	it("warns on the request of other fields that the server ignored", async () => {
		const survey = {
			name: "s",
			description: "",
			spec: [{ type: "text", question_name: "T", question_description: "", variable: "tenant", required: false }],
		};
		await rig.lab.control("template", {
			id: 41,
			name: "Strict survey",
			playbook: "rows.yml",
			survey,
			surveyEnabled: true,
			asks: [],
		});
		const template = await rig.template({
			automation_job_template_id: 41,
			schema: [],
			variable_mappings: { tenant: "t1" },
		});
		const request = await rig.request(template, { input_data: [] });
		await rig.execute(request);
		const done = await rig.over(request);
		expect(done.warnings).toMatchObject([
			{ code: "ignored_fields", message: expect.stringMatching(/extra_vars\.request_id/) },
		]);
	});

	it("sends a workflow no variables that it would refuse, and warns of it", async () => {
		const template = await rig.template({ kind: "workflow", automation_job_template_id: 18, schema: [] });
		const request = await rig.request(template, { input_data: [] });
		await rig.execute(request);
		const done = await rig.over(request);
		expect([done.status, done.warnings[0].code]).toEqual(["failed", "variables_not_sent"]);
		expect(done.automation_job_id).toEqual(expect.any(Number));
	});

	it("sends a credential to a template that has one of its own", async () => {
		await rig.lab.control("template", { id: 22, credentials: [1] });
		const request = await rig.request(await rig.template(), { automation_credential_id: 3 });
		await rig.execute(request);
		const done = await rig.over(request);
		await rig.lab.control("template", { id: 22, credentials: [] });
		const [job] = await listRequestJobs(rig, request);
		expect([done.status, getCredentials(job)]).toEqual(["successful", [3]]);
	});
});

describe("what the server refuses", () => {
	it("answers the caller with the server's refusal, and leaves the request as it was", async () => {
		const request = await rig.request(await rig.template({ automation_job_template_id: 999 }));
		const missing = await executeRequest(request);
		expect([missing.status, missing.body.detail]).toEqual([400, expect.stringMatching(/no job template 999/)]);
		const plain = await rig.request(await rig.template());
		rig.lab.setFaults({ html_error: { status: 502 } });
		expect((await executeRequest(plain)).status).toBe(502);
		rig.lab.clearFaults();
		await rig.lab.control("revoke_tokens");
		expect((await executeRequest(plain)).status).toBe(502);
		expect((await getRequest(plain)).status).toBe("pending");
	});

	it("ends the request with the server's refusal, and makes no job at a retry either", async () => {
		const request = await rig.request(await rig.template(), { automation_credential_id: 9999 });
		await rig.execute(request);
		const failed = await rig.over(request);
		expect(failed).toMatchObject({
			status: "failed",
			launch_error: 'credentials: Invalid pk "9999" - object does not exist.',
			automation_job_id: null,
		});
		expect((await rig.alice.api.post(`${REQUESTS}${request.id}/retry/`)).status).toBe(202);
		await rig.over(request);
		expect(await listRequestJobs(rig, request)).toHaveLength(0);
	});

	it("tries again after a temporary refusal, because nothing was launched", async () => {
		const request = await rig.request(await rig.template());
		rig.lab.setFaults({ throttle: { times: 2, method: "POST", seconds: 2 } });
		await rig.execute(request);
		expect((await rig.over(request)).status).toBe("successful");
		expect(await listRequestJobs(rig, request)).toHaveLength(1);
	});
});
