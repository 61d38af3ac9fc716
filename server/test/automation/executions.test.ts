/**
 * Requests carried out: one job each, watched to its end; output, counts, results by row,
 * channels, cancel and relaunch.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { API, EXECUTIONS, REQUESTS, type Rig, startRig } from "../support/automation.ts";
import { waitUntil } from "../support/harness.ts";

let rig: Rig;
beforeAll(async () => {
	rig = await startRig();
});
afterAll(() => rig.close());
afterEach(async () => {
	rig.lab.clearFaults();
	await rig.lab.control("behaviour", { store_ms: 10, lose: [], flag: "right", dispatcher: true, batch_ms: 0 });
});

describe("a request that is executed", () => {
	it("becomes one job with its rows, and ends as the job does", async () => {
		const { alice, lab } = rig;
		const template = await rig.template({ variable_mappings: { tenant: "common" } });
		const request = await rig.request(template);
		expect(request).toMatchObject({ status: "pending", can_execute: true, automation_job_id: null, row_count: 2 });
		const execution = await rig.execute(request);
		expect(execution).toMatchObject({ status: "pending", progress_percentage: 0 });
		const done = await rig.over(request);
		expect(done).toMatchObject({ status: "successful", launch_error: null, executions_total: 1, warnings: [] });
		const jobs = (await lab.jobs()).filter(({ id }) => id === done.automation_job_id);
		expect(jobs).toHaveLength(1);
		expect(JSON.parse(String(jobs[0]?.extra_vars))).toEqual({
			rows: [{ name: "r1" }, { name: "r2" }],
			tenant: "common",
			request_id: request.id,
			requested_by: "alice",
			dry_run: false,
			execution_ref: expect.any(String),
		});
		const ended = await rig.execution(execution.id);
		expect(ended).toMatchObject({
			status: "successful",
			automation_job_id: done.automation_job_id,
			progress_percentage: 100,
			automation_request: request.id,
			template_name: template.name,
			output_complete: true,
			lost_events: 0,
			relaunch_of: null,
			relaunch_count: 0,
			launched_by: "alice",
			current_task: null,
			error: null,
			automation_job_url: `${lab.url}/#/jobs/playbook/${done.automation_job_id}/output`,
			playbook_counts: { ok: 3, changed: 1, failed: 0 },
			started_at: expect.any(String),
			finished_at: expect.any(String),
		});
		const { body: output } = await alice.api.get(`${EXECUTIONS}${execution.id}/output/`);
		expect(output).toMatchObject({
			offset: 0,
			complete: true,
			status: "successful",
			next_offset: output.stdout.length,
		});
		const plain = await fetch(`${lab.apiUrl}jobs/${done.automation_job_id}/stdout/?format=txt_download`, {
			headers: { authorization: `Bearer ${lab.token}` },
		});
		expect(output.stdout).toBe(await plain.text());
		const file = await alice.api.get(`${EXECUTIONS}${execution.id}/download-output/`);
		expect(file.text).toBe(output.stdout);
		expect(file.headers).toMatchObject({
			"content-type": "text/plain; charset=utf-8",
			"content-disposition": `attachment; filename="job_${done.automation_job_id}.txt"`,
		});
		const middle = await alice.api.get(`${EXECUTIONS}${execution.id}/output/?offset=5&limit=7`);
		expect(middle.body).toMatchObject({ stdout: output.stdout.slice(5, 12), next_offset: 12, complete: false });
		const template2 = (await alice.api.get(`${API}templates/${template.id}/`)).body;
		expect(template2).toMatchObject({ request_count: 1, success_count: 1, failure_count: 0 });
	});

	it("fails with what failed, row by row", async () => {
		const { alice } = rig;
		const rows = [
			{ name: "good" },
			{ name: "bad", rc: 3 },
			{ name: "left out", skip: true },
			{ name: "gone", unreachable: true },
		];
		const request = await rig.request(await rig.template(), { input_data: rows });
		const { id } = await rig.execute(request);
		expect(await rig.over(request)).toMatchObject({ status: "failed", launch_error: null });
		expect(await rig.execution(id)).toMatchObject({ status: "failed", playbook_counts: { failed: 1 } });
		const { body } = await alice.api.get(`${EXECUTIONS}${id}/row-results/`);
		expect(body.rows.map((row: { status: string }) => row.status)).toEqual([
			"changed",
			"failed",
			"skipped",
			"unreachable",
		]);
		expect(body.rows[1]).toEqual({
			row_index: 1,
			sheet: null,
			status: "failed",
			host: "leaf101",
			message: "non-zero return code",
		});
		expect((await alice.api.post(`${REQUESTS}${request.id}/execute/`)).status).toBe(409);
		const retried = await alice.api.post(`${REQUESTS}${request.id}/retry/`);
		expect([retried.status, retried.body.status, retried.body.executions_total]).toEqual([202, "running", 2]);
		await rig.over(request);
		const jobs = (await rig.listExecutions(request)).map((one) => one.automation_job_id);
		expect(new Set(jobs).size).toBe(2);
	});

	it("takes what the job publishes as results, and says censored where all else is hidden", async () => {
		const published = [
			{ row: 0, status: "ok", message: "as it was" },
			{ row: 9, status: "ok" },
			{ row: 1, status: "odd" },
		];
		const template = await rig.template({ variable_mappings: { row_results: published, no_log: true } });
		const request = await rig.request(template);
		const { id } = await rig.execute(request);
		await rig.over(request);
		const { body } = await rig.alice.api.get(`${EXECUTIONS}${id}/row-results/`);
		expect(body.rows).toEqual([
			{ row_index: 0, sheet: null, status: "ok", host: null, message: "as it was" },
			{ row_index: 1, sheet: null, status: "censored", host: null, message: expect.stringMatching(/no_log/) },
		]);
	});

	it("runs in check mode where the server asks for the job type", async () => {
		const request = await rig.request(await rig.template(), { check_mode: true });
		const { id } = await rig.execute(request);
		const done = await rig.over(request);
		expect(await rig.execution(id)).toMatchObject({ check_mode: true, status: "successful" });
		const job = (await rig.lab.jobs()).find((one) => one.id === done.automation_job_id);
		expect(job?.job_type).toBe("check");
		const { body } = await rig.alice.api.get(`${EXECUTIONS}${id}/row-results/`);
		expect(body.rows[0]).toMatchObject({ status: "skipped", message: "Command would have run if not in check mode" });
	});
});

describe("while it runs", () => {
	it("progress, current task and output come as they are; a final state waits for its events", async () => {
		await rig.lab.control("behaviour", { store_ms: 1_500, batch_ms: 100 });
		const request = await rig.request(await rig.template(), {
			input_data: Array.from({ length: 50 }, (_, at) => ({ name: `row ${at}` })),
		});
		const { id } = await rig.execute(request);
		const seen: { status: string; progress: number; task: string | null; complete: boolean }[] = [];
		await rig.settle("it is over", async () => {
			const { body: output } = await rig.alice.api.get(`${EXECUTIONS}${id}/output/`);
			const { body: execution } = await rig.alice.api.get(`${EXECUTIONS}${id}/`);
			seen.push({
				status: execution.status,
				progress: execution.progress_percentage,
				task: execution.current_task,
				complete: output.complete,
			});
			if (execution.status !== "successful") expect(output.complete).toBe(false);
			return execution.status === "successful";
		});
		const { body: whole } = await rig.alice.api.get(`${EXECUTIONS}${id}/output/`);
		expect(whole.complete).toBe(true);
		expect(whole.stdout.match(/row \d+/g)).toHaveLength(50);
		expect(seen.some(({ task }) => task === "Apply row")).toBe(true);
		const progress = seen.map((one) => one.progress);
		expect([...progress].sort((a, b) => a - b)).toEqual(progress);
		expect(progress.some((value) => value > 1 && value < 100)).toBe(true);
		expect(progress.slice(0, -1).every((value) => value < 100)).toBe(true);
	});

	it("lost events are stepped over once nothing more will come; the output marks the place, and a warning says so", async () => {
		await rig.lab.control("behaviour", { lose: [4, 9] });
		const request = await rig.request(await rig.template());
		const { id } = await rig.execute(request);
		expect((await rig.over(request, 10_000)).status).toBe("successful");
		expect(await rig.execution(id)).toMatchObject({ lost_events: 2, output_complete: false });
		const { stdout } = (await rig.alice.api.get(`${EXECUTIONS}${id}/output/`)).body;
		expect(stdout).toContain("PLAY RECAP");
		expect(stdout.match(/^\[Weft: 1 event of the job is missing here\]$/gm)).toHaveLength(2);
		expect((await rig.execution(id)).warnings).toContainEqual({
			code: "events_lost",
			message: expect.stringMatching(/did not deliver 2 events of the job: output and results .* incomplete/),
		});
	});

	it("a flag that is never set is waited for with a bound", async () => {
		await rig.lab.control("behaviour", { flag: "never" });
		const request = await rig.request(await rig.template());
		const { id } = await rig.execute(request);
		await rig.settle("the job ended, and the execution did not", async () => {
			const { automation_job_id: job, status } = await rig.execution(id);
			const ended = (await rig.lab.jobs()).some((one) => one.id === job && one.status === "successful");
			// A quick job may never have been seen running.
			return ended && status !== "successful";
		});
		expect((await rig.over(request, 10_000)).status).toBe("successful");
		expect(await rig.execution(id)).toMatchObject({ output_complete: false, lost_events: 0 });
	});

	it("unknown statuses keep it going", async () => {
		const request = await rig.request(
			await rig.template({ automation_job_template_id: 10, variable_mappings: { secs: 2 } }),
		);
		const { id } = await rig.execute(request);
		const { automation_job_id: job } = await rig.settle("it runs", async () => {
			const execution = await rig.execution(id);
			return execution.status === "running" ? execution : null;
		});
		await rig.lab.control("status", { id: job, status: "hibernating" });
		for (let look = 0; look < 20; look++) await rig.t.clock.advance(2_000);
		expect((await rig.execution(id)).status).toBe("running");
		await rig.lab.control("status", { id: job, status: null });
		expect((await rig.over(request)).status).toBe("successful");
	});
});

describe("channels", () => {
	it("tell an execution from its beginning to its end, without a gap in the output", async () => {
		const request = await rig.request(await rig.template());
		const { id } = await rig.execute(request);
		const socket = await rig.alice.api.open(`/ws/automation/execution/${id}/`);
		await rig.over(request);
		expect((await rig.settle("the socket is closed", () => Promise.race([socket.closed, null]))).code).toBe(1000);
		const { frames } = socket;
		const states = frames.filter(({ type }) => type === "status_changed").map(({ data }) => data);
		expect(states[0]?.from).toBeNull();
		for (const [at, state] of states.slice(1).entries()) expect(state.from).toBe(states[at]?.to);
		expect(states.at(-1)?.to).toBe("successful");
		const chunks = frames.filter(({ type }) => type === "stdout_chunk");
		let text = "";
		for (const { data } of chunks) {
			expect(data.offset).toBe(text.length);
			text += data.text;
		}
		expect(text).toBe((await rig.alice.api.get(`${EXECUTIONS}${id}/output/`)).body.stdout);
		expect(frames.at(-1)).toMatchObject({
			type: "execution_complete",
			data: { status: "successful", artifacts: { total: "2" } },
		});
		const late = await rig.alice.api.open(`/ws/automation/execution/${id}/`);
		expect((await late.closed).code).toBe(1000);
		expect(late.frames.map(({ type }) => type)).toEqual(["status_changed", "stdout_chunk", "execution_complete"]);
	});

	it("tell a request over its executions", async () => {
		const request = await rig.request(await rig.template());
		const socket = await rig.alice.api.open(`/ws/automation/request/${request.id}/`);
		await waitUntil("the first frame is there", () => socket.frames.length > 0);
		expect(socket.frames[0]).toMatchObject({
			type: "request_status",
			data: { status: "pending", executions_total: 0, executions_complete: 0 },
		});
		const { id } = await rig.execute(request);
		const { automation_job_id } = await rig.over(request);
		expect((await rig.settle("the socket is closed", () => Promise.race([socket.closed, null]))).code).toBe(1000);
		const of = (type: string) => socket.frames.filter((frame) => frame.type === type).map(({ data }) => data);
		expect(of("execution_spawned").at(-1)).toEqual({ execution_id: id, automation_job_id });
		expect(of("execution_complete")).toEqual([{ execution_id: id, status: "successful" }]);
		expect(of("request_complete")).toEqual([{ status: "succeeded", duration_ms: expect.any(Number) }]);
		expect(of("request_status").at(-1)).toEqual({ status: "succeeded", executions_total: 1, executions_complete: 1 });
	});

	it("are for those who see it", async () => {
		const bob = await rig.t.user("bob", ["Operator"]);
		const request = await rig.request(await rig.template());
		const { id } = await rig.execute(request);
		const closed = async (path: string) => (await (await bob.api.open(path)).closed).code;
		expect(await closed(`/ws/automation/execution/${id}/`)).toBe(4003);
		expect(await closed(`/ws/automation/request/${request.id}/`)).toBe(4003);
		const unknown = "01890000-0000-7000-8000-000000000000";
		expect(await closed(`/ws/automation/execution/${unknown}/`)).toBe(4004);
		expect(await closed(`/ws/automation/request/${unknown}/`)).toBe(4004);
		for (const path of ["", "output/", "row-results/", "workflow-nodes/", "download-output/"]) {
			expect((await bob.api.get(`${EXECUTIONS}${id}/${path}`)).status).toBe(404);
		}
		expect((await bob.api.post(`${EXECUTIONS}${id}/cancel/`)).status).toBe(404);
		await rig.over(request);
	});
});

describe("cancel", () => {
	it("of a job that runs is asked for, and told as cancelled when the server says so", async () => {
		const request = await rig.request(
			await rig.template({ automation_job_template_id: 10, variable_mappings: { secs: 600 } }),
		);
		const { id } = await rig.execute(request);
		await rig.settle("it runs", async () => (await rig.execution(id)).status === "running");
		const asked = await rig.alice.api.post(`${EXECUTIONS}${id}/cancel/`);
		expect([asked.status, asked.body.status, asked.body.cancel_requested_at]).toEqual([
			202,
			"running",
			expect.any(String),
		]);
		expect((await rig.over(request)).status).toBe("cancelled");
		expect(await rig.execution(id)).toMatchObject({ status: "cancelled", error: null });
		expect((await rig.alice.api.post(`${EXECUTIONS}${id}/cancel/`)).status).toBe(409);
		expect((await rig.alice.api.post(`${REQUESTS}${request.id}/cancel/`)).status).toBe(409);
	});

	it("of a job that waits ends at once, and by the request too", async () => {
		await rig.lab.control("behaviour", { dispatcher: false });
		const request = await rig.request(await rig.template());
		const { id } = await rig.execute(request);
		await rig.settle("the job is there", async () => (await rig.execution(id)).automation_job_id);
		expect((await rig.alice.api.post(`${REQUESTS}${request.id}/cancel/`)).status).toBe(202);
		expect((await rig.over(request)).status).toBe("cancelled");
		expect(await rig.execution(id)).toMatchObject({ started_at: null, output_complete: true });
	});

	it("that the server refuses is told", async () => {
		const request = await rig.request(
			await rig.template({ automation_job_template_id: 10, variable_mappings: { secs: 3 } }),
		);
		const { id } = await rig.execute(request);
		await rig.settle("it runs", async () => (await rig.execution(id)).status === "running");
		rig.lab.setFaults({ too_large: { match: "/cancel/" } });
		await rig.alice.api.post(`${EXECUTIONS}${id}/cancel/`);
		await waitUntil("the refusal is stored", async () => (await rig.execution(id)).cancel_error);
		expect((await rig.over(request)).status).toBe("successful");
	});
});

describe("relaunch", () => {
	it("makes another job of the same request, on all hosts or those that failed", async () => {
		const template = await rig.template({ automation_job_template_id: 9 });
		const request = await rig.request(template, { input_data: [{ name: "bad", rc: 1 }] });
		const first = await rig.execute(request);
		expect((await rig.alice.api.post(`${EXECUTIONS}${first.id}/relaunch/`)).status).toBe(409);
		await rig.over(request);
		const again = await rig.alice.api.post(`${EXECUTIONS}${first.id}/relaunch/`, { hosts: "failed" });
		expect([again.status, again.body.relaunch_of, again.body.relaunch_count]).toEqual([201, first.id, 1]);
		expect((await rig.alice.api.get(`${REQUESTS}${request.id}/`)).body.status).toBe("running");
		const done = await rig.over(request);
		expect([done.status, done.executions_total]).toEqual(["failed", 2]);
		const second = await rig.execution(again.body.id);
		expect(second.automation_job_id).not.toBe((await rig.execution(first.id)).automation_job_id);
		const job = (await rig.lab.jobs()).find((one) => one.id === second.automation_job_id);
		expect(job).toMatchObject({ launch_type: "relaunch", limit: "leaf101,leaf102" });
	});
});
