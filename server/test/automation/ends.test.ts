/** A job is over at once where nothing more comes, and not while its end can be taken back. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { API, type Body, EXECUTIONS, type Rig, startRig } from "../support/automation.ts";

let rig: Rig;
beforeAll(async () => {
	rig = await startRig();
});
afterAll(() => rig.close());
afterEach(() => rig.lab.control("behaviour", { reverses: false, flag: "right" }));

async function startExecution(more: Record<string, unknown>, secs: number) {
	const request = await rig.request(await rig.template({ variable_mappings: { secs }, ...more }));
	const { id } = await rig.execute(request);
	const { automation_job_id: job } = await rig.settle("it runs", async () => {
		const found = await rig.execution(id);
		return found.status === "running" ? found : null;
	});
	return { request, id, job: job as number };
}
const listNodes = async (id: string): Promise<Body[]> =>
	(await rig.alice.api.get(`${EXECUTIONS}${id}/workflow-nodes/`)).body.nodes;

/** A workflow of one job that runs for as long as `secs` says. */
async function startWorkflow(secs: number) {
	const plain = { success: [], failure: [], always: [], extra: {} };
	const node = { id: 90, identifier: "slow", template: 10, ...plain };
	await rig.lab.control("template", {
		id: 70,
		kind: "workflow",
		name: "Slow",
		asks: ["variables"],
		nodes: [node],
	});
	const made = await startExecution({ kind: "workflow", automation_job_template_id: 70 }, secs);
	await rig.settle("its job runs", async () => (await listNodes(made.id))[0]?.status === "running");
	return made;
}

describe("an end that brings its explanation", () => {
	it.each([
		"Task was marked as running at system start up. The system must have not shut down properly, so it has been marked as failed.",
		"Task was marked as running but was not present in the job queue, so it has been marked as failed.",
	])("is the end at once where the server lost the job: %s", async (explanation) => {
		const { request, id, job } = await startExecution({ automation_job_template_id: 10 }, 600);
		await rig.lab.control("behaviour", { flag: "never" });
		await rig.lab.control("end", { id: job, status: "failed", explanation });
		const endedAt = rig.t.clock.now();
		expect((await rig.over(request)).status).toBe("failed");
		expect(rig.t.clock.now() - endedAt).toBeLessThan(10_000);
		expect(await rig.execution(id)).toMatchObject({ status: "failed", explanation, output_complete: false });
	});

	it("is the end at once also for a job of a workflow", async () => {
		const { request, id } = await startWorkflow(600);
		await rig.lab.control("restart");
		const endedAt = rig.t.clock.now();
		expect((await rig.over(request)).status).toBe("failed");
		expect(rig.t.clock.now() - endedAt).toBeLessThan(10_000);
		expect((await listNodes(id))[0]?.status).toBe("failed");
	});
});

describe("an end that can be taken back", () => {
	it("of a cancelled workflow's job is none: it runs until its events are complete", async () => {
		await rig.lab.control("behaviour", { reverses: true });
		const { request, id } = await startWorkflow(30);
		expect((await rig.alice.api.post(`${EXECUTIONS}${id}/cancel/`)).status).toBe(202);
		await rig.settle("the server says that all is cancelled", async () => {
			const states = (await rig.lab.jobs()).slice(-2).map(({ status }) => status);
			return states.every((status) => status === "canceled");
		});
		for (let look = 0; look < 10; look++) await rig.t.clock.advance(2_000);
		expect((await listNodes(id)).map(({ status }) => status)).toEqual(["running"]);
		expect((await rig.execution(id)).status).toBe("running");
		await rig.lab.control("advance", { seconds: 31 });
		expect((await rig.over(request)).status).toBe("cancelled");
		const [node] = await listNodes(id);
		expect(node.status).toBe("successful");
		const output = await rig.alice.api.get(`${EXECUTIONS}${id}/node-output/${node.job_id}/`);
		expect(output.body.stdout).toContain("PLAY RECAP");
		expect(await rig.execution(id)).toMatchObject({ status: "cancelled", output_complete: true });
	});
});

describe("an end without a reason", () => {
	it("tells the last line of the server's traceback, or that there is none", async () => {
		for (const [traceback, explanation] of [
			[
				'Traceback (most recent call last):\n  File "/var/lib/awx/x.py", line 1\nOSError: No space left\n',
				/: OSError: No space left$/,
			],
			["", /gives no reason\. Look at the job there\.$/],
		] as const) {
			const { request, id, job } = await startExecution({ automation_job_template_id: 10 }, 600);
			await rig.lab.control("end", { id: job, status: "error", traceback });
			await rig.over(request);
			expect(await rig.execution(id)).toMatchObject({
				status: "error",
				explanation: expect.stringMatching(explanation),
			});
			expect((await rig.execution(id)).explanation).not.toContain("/var/lib");
		}
	});

	it("that is a failed dependency is a sentence", async () => {
		const { request, id, job } = await startExecution({ automation_job_template_id: 10 }, 600);
		const raw = `Previous Task Failed: {"job_type": "project_update", "job_name": "the "rig"", "job_id": "12"}`;
		await rig.lab.control("end", { id: job, status: "failed", explanation: raw });
		await rig.over(request);
		expect((await rig.execution(id)).explanation).toBe(
			'The project update "the "rig"" (job 12), on which the job depends, failed.',
		);
	});
});

describe("a job whose project could not be updated", () => {
	it.each(["failed", "canceled"])("says so and shows the output of the update that ended as %s", async (status) => {
		const { id: update } = (await rig.lab.control("project_update", {
			status,
			output: "fatal: [localhost]: FAILED! => the repository was not found\n",
		})) as Body;
		await rig.lab.control("behaviour", { pending_ms: 3_600_000 });
		const request = await rig.request(await rig.template());
		const { id } = await rig.execute(request);
		const { automation_job_id: job } = await rig.settle("it has a job", async () => {
			const found = await rig.execution(id);
			return found.automation_job_id === null ? null : found;
		});
		await rig.lab.control("end", {
			id: job,
			status: "failed",
			explanation: `waiting for project_update-${update} to finish`,
		});
		await rig.lab.control("behaviour", { pending_ms: 30 });
		expect((await rig.over(request)).status).toBe("failed");
		expect((await rig.execution(id)).explanation).toBe(
			`The project update (job ${update}), on which the job depends, ${status === "failed" ? "failed" : "was cancelled"}. The output is that of the project update.`,
		);
		const { body } = await rig.alice.api.get(`${EXECUTIONS}${id}/output/`);
		expect(body).toMatchObject({ stdout: expect.stringContaining("the repository was not found"), complete: true });
	});
});

it("a job that runs without events says that the server delivers none", async () => {
	await rig.lab.control("behaviour", { store_ms: 3_600_000 });
	const { request, id } = await startExecution({ automation_job_template_id: 10 }, 600);
	expect((await rig.execution(id)).explanation).toBe("");
	await rig.lab.control("advance", { seconds: 60 });
	await rig.settle("it gives the reason", async () =>
		(await rig.execution(id)).explanation.includes("none of its events"),
	);
	expect(await rig.execution(id)).toMatchObject({ status: "running", progress_percentage: 0 });
	await rig.lab.control("behaviour", { store_ms: 10 });
	await rig.alice.api.post(`${EXECUTIONS}${id}/cancel/`);
	await rig.over(request, 10_000);
});

it("a workflow that waits for an approval is no further than its nodes, and names the approval", async () => {
	const plain = { failure: [], always: [], extra: {} };
	await rig.lab.control("template", {
		id: 71,
		kind: "workflow",
		name: "Approved",
		asks: ["variables"],
		nodes: [
			{ id: 91, identifier: "rows", template: 22, success: [92], ...plain },
			{ id: 92, identifier: "ok", template: 20, success: [93], ...plain },
			{ id: 93, identifier: "then", template: 22, success: [], ...plain },
		],
	});
	const request = await rig.request(await rig.template({ kind: "workflow", automation_job_template_id: 71 }));
	const { id } = await rig.execute(request);
	await rig.settle("it waits for its approval", async () => {
		const [first, approval] = await listNodes(id);
		return first?.status === "successful" && approval?.job_id !== null;
	});
	for (let look = 0; look < 5; look++) await rig.t.clock.advance(2_000);
	await rig.settle("it was looked at", async () => (await rig.execution(id)).progress_percentage > 0);
	expect((await rig.execution(id)).progress_percentage).toBe(33);
	const [, approval] = await listNodes(id);
	expect((await rig.execution(id)).explanation).toBe(
		`The workflow waits for a person: "ok?" (job ${approval?.job_id}) must be approved or denied on ${rig.lab.url}, by an administrator or a user with the role Approve on the workflow template.`,
	);
	await rig.alice.api.post(`${API}executions/${id}/cancel/`);
	await rig.over(request);
});
