/**
 * Safety of launches: exactly one job whatever gets lost, no real run where a dry one was asked
 * for, nothing dropped without a word.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { API, type Body, EXECUTIONS, REQUESTS, type Rig, startRig } from "../support/automation.ts";
import { listRequestJobs, resetLaunchLab } from "../support/launches.ts";

let rig: Rig;
beforeAll(async () => {
	rig = await startRig();
});
afterAll(() => rig.close());
afterEach(() => resetLaunchLab(rig));

const getRequest = async (request: Body) => (await rig.alice.api.get(`${REQUESTS}${request.id}/`)).body;

describe("a launch whose answer is lost", () => {
	it.each([
		["launch_500_created", {}],
		["launch_lost", {}],
		["launch_garbled", {}],
		["launch_html", { status: 504 }],
	] as const)("by %s is found, not repeated", async (fault, options) => {
		const request = await rig.request(await rig.template());
		rig.lab.setFaults({ [fault]: { times: 1, ...options } });
		await rig.execute(request);
		const done = await rig.over(request);
		expect(done).toMatchObject({ status: "successful", executions_total: 1 });
		expect(done.warnings).toEqual([{ code: "answer_lost", message: expect.any(String) }]);
		expect(await listRequestJobs(rig, request)).toHaveLength(1);
	});

	it.each([
		["launch_refused", {}],
		["launch_html", { status: 502, created: false }],
	] as const)("and that left no job (%s) is sent again, but only after a while", async (fault, options) => {
		const request = await rig.request(await rig.template());
		rig.lab.setFaults({ [fault]: { times: 1, ...options } });
		await rig.execute(request);
		for (let looks = 0; looks < 30; looks++) await rig.t.clock.advance(3_000);
		expect([(await getRequest(request)).status, (await listRequestJobs(rig, request)).length]).toEqual(["running", 0]);
		expect((await rig.over(request, 2_000, true)).status).toBe("successful");
		expect(await listRequestJobs(rig, request)).toHaveLength(1);
	});

	it("is found also when the job comes late", async () => {
		const request = await rig.request(await rig.template());
		rig.lab.setFaults({ launch_late: { times: 1, ms: 60_000 } });
		rig.lab.resetRequests();
		await rig.execute(request);
		await rig.settle("it was sent", () => rig.lab.requests().some(({ method }) => method === "POST"), 100);
		for (let looks = 0; looks < 20; looks++) await rig.t.clock.advance(1_500);
		expect(await listRequestJobs(rig, request)).toHaveLength(0);
		await rig.lab.control("advance", { seconds: 61 });
		expect((await rig.over(request)).status).toBe("successful");
		expect(await listRequestJobs(rig, request)).toHaveLength(1);
	});

	it("is looked for while the server is down, and never given up for that", async () => {
		const request = await rig.request(await rig.template());
		rig.lab.setFaults({ launch_lost: { times: 1 }, server_error: { match: "/jobs/?" } });
		await rig.execute(request);
		await rig.settle("it was sent", async () => (await listRequestJobs(rig, request)).length === 1, 100);
		rig.lab.setFaults({ database_down: {} });
		for (let looks = 0; looks < 60; looks++) await rig.t.clock.advance(10_000);
		expect((await getRequest(request)).status).toBe("running");
		rig.lab.clearFaults();
		expect((await rig.over(request)).status).toBe("successful");
		expect(await listRequestJobs(rig, request)).toHaveLength(1);
	});

	it("and that cannot be looked for ends with a warning to look first", async () => {
		const request = await rig.request(await rig.template());
		rig.lab.setFaults({ launch_lost: { times: 1 } });
		await rig.execute(request);
		await rig.settle("it was sent", async () => (await listRequestJobs(rig, request)).length === 1, 100);
		await rig.lab.control("revoke_tokens");
		const failed = await rig.over(request, 10_000, true);
		expect(failed).toMatchObject({
			status: "failed",
			launch_error: expect.stringMatching(/not known.*Look at the automation server/),
		});
		expect(await listRequestJobs(rig, request)).toHaveLength(1);
	});

	it("of a template that takes nothing to know its jobs by is not repeated once there is one that may be it", async () => {
		const survey = {
			name: "s",
			description: "",
			spec: [{ type: "text", question_name: "T", question_description: "", variable: "tenant", required: false }],
		};
		await rig.lab.control("template", {
			id: 40,
			name: "Bare",
			playbook: "rows.yml",
			survey,
			surveyEnabled: true,
			asks: [],
		});
		const template = await rig.template({
			automation_job_template_id: 40,
			schema: [],
			variable_mappings: { tenant: "t1" },
		});
		const made = async () => (await rig.lab.jobs()).filter(({ job_template }) => job_template === 40).length;
		const lost = await rig.request(template, { input_data: [] });
		rig.lab.setFaults({ launch_lost: { times: 1 } });
		await rig.execute(lost);
		await rig.settle("it was sent", async () => (await made()) === 1, 100);
		expect((await rig.over(lost, 5_000, true)).launch_error).toMatch(/nothing by which its jobs could be told apart/);
		expect(await made()).toBe(1);
		// Where there is none, there was none.
		await rig.lab.control("advance", { seconds: 600 });
		const refused = await rig.request(template, { input_data: [] });
		rig.lab.setFaults({ launch_refused: { times: 1 } });
		await rig.execute(refused);
		expect((await rig.over(refused, 2_000, true)).status).toBe("successful");
		expect(await made()).toBe(2);
	});

	it("of a relaunch is found as well", async () => {
		const request = await rig.request(await rig.template());
		const first = await rig.execute(request);
		await rig.over(request);
		rig.lab.setFaults({ launch_lost: { times: 1 } });
		await rig.alice.api.post(`${EXECUTIONS}${first.id}/relaunch/`);
		expect((await rig.over(request)).status).toBe("successful");
		expect(await listRequestJobs(rig, request)).toHaveLength(2);
	});
});

describe("cancelling a launch", () => {
	it("that is being looked for cancels the job once it is found", async () => {
		const request = await rig.request(
			await rig.template({ automation_job_template_id: 10, variable_mappings: { secs: 600 } }),
		);
		rig.lab.setFaults({ launch_lost: { times: 1 }, server_error: { match: "/jobs/?" } });
		const { id } = await rig.execute(request);
		await rig.settle("it was sent", async () => (await listRequestJobs(rig, request)).length === 1, 100);
		expect((await rig.alice.api.post(`${EXECUTIONS}${id}/cancel/`)).status).toBe(202);
		rig.lab.clearFaults();
		expect((await rig.over(request)).status).toBe("cancelled");
		expect((await listRequestJobs(rig, request)).map(({ status }) => status)).toEqual(["canceled"]);
	});

	it("that left no job sends nothing again", async () => {
		const request = await rig.request(await rig.template());
		rig.lab.setFaults({ launch_refused: { times: 1 } });
		rig.lab.resetRequests();
		const { id } = await rig.execute(request);
		await rig.settle(
			"it was sent",
			() => rig.lab.requests().some(({ method, target }) => method === "POST" && target.includes("/22/launch/")),
			100,
		);
		await rig.alice.api.post(`${EXECUTIONS}${id}/cancel/`);
		expect((await rig.over(request, 5_000, true)).status).toBe("cancelled");
		for (let looks = 0; looks < 30; looks++) await rig.t.clock.advance(10_000);
		expect(await listRequestJobs(rig, request)).toHaveLength(0);
	});
});

describe("a server that is not what it was", () => {
	it("rebuilt: another job under the same id is noticed", async () => {
		const template = await rig.template({ automation_job_template_id: 10, variable_mappings: { secs: 600 } });
		const request = await rig.request(template);
		const { id } = await rig.execute(request);
		const { automation_job_id: job } = await rig.settle("it runs", async () => {
			const found = await rig.execution(id);
			return found.status === "running" ? found : null;
		});
		await rig.lab.control("rebuild", { first_id: job });
		await rig.lab.control("advance", { seconds: 5 });
		await fetch(`${rig.lab.apiUrl}job_templates/12/launch/`, {
			method: "POST",
			headers: { authorization: `Bearer ${rig.lab.token}` },
		});
		expect(await rig.over(request)).toMatchObject({
			status: "failed",
			launch_error: expect.stringMatching(/another job now/),
		});
	});

	it("a job that was deleted is noticed at the second look", async () => {
		const template = await rig.template({ automation_job_template_id: 10, variable_mappings: { secs: 600 } });
		const request = await rig.request(template);
		const { id } = await rig.execute(request);
		const { automation_job_id: job } = await rig.settle("it runs", async () => {
			const found = await rig.execution(id);
			return found.status === "running" ? found : null;
		});
		await rig.lab.control("delete_job", { id: job });
		expect(await rig.over(request)).toMatchObject({
			status: "failed",
			launch_error: expect.stringMatching(/does not exist/),
		});
	});

	it("poll errors are never a job's failure, whatever they are and however long", async () => {
		const request = await rig.request(
			await rig.template({ automation_job_template_id: 10, variable_mappings: { secs: 5 } }),
		);
		const { id } = await rig.execute(request);
		await rig.settle("it runs", async () => (await rig.execution(id)).status === "running");
		for (const fault of [
			"database_down",
			"html_error",
			"migrations",
			"throttle",
			"not_json",
			"reset",
			"truncated",
		] as const) {
			rig.lab.setFaults({ [fault]: { status: 503 } });
			for (let looks = 0; looks < 5; looks++) await rig.t.clock.advance(31_000);
			rig.lab.clearFaults();
		}
		await rig.lab.control("revoke_tokens");
		for (let looks = 0; looks < 10; looks++) await rig.t.clock.advance(31_000);
		await rig.settle(
			"people are told",
			async () => /does not answer: .* Check the connection\.$/.test((await rig.execution(id)).explanation),
			5_000,
		);
		expect((await rig.execution(id)).status).toBe("running");
		await rig.lab.control("grant_tokens");
		expect((await rig.over(request, 5_000)).status).toBe("successful");
		expect(await rig.execution(id)).toMatchObject({ explanation: "", error: null });
	});

	it("restarted: reaped jobs are told as the server tells them", async () => {
		const request = await rig.request(
			await rig.template({ automation_job_template_id: 10, variable_mappings: { secs: 600 } }),
		);
		const { id } = await rig.execute(request);
		await rig.settle("it runs", async () => (await rig.execution(id)).status === "running");
		await rig.lab.control("restart");
		expect((await rig.over(request, 10_000)).status).toBe("failed");
		expect(await rig.execution(id)).toMatchObject({
			status: "failed",
			output_complete: false,
			explanation: expect.stringMatching(/system start up/),
		});
	});
});

it("the connection's token never shows", async () => {
	const seen = [];
	for (const table of ["automation_connections", "automation_requests", "automation_executions", "audit_log"]) {
		seen.push((await rig.t.pool.query(`select * from ${table}`)).rows);
	}
	seen.push((await rig.alice.api.get(`${API}connections/`)).body);
	expect(JSON.stringify(seen)).not.toContain(rig.lab.token);
});
