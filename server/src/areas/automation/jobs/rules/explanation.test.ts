import { describe, expect, it } from "vitest";
import type { JobState, ServerNode } from "../../../../integrations/awx/port.ts";
import { endOfDependency, explainEnd, explainWait, parseDependency } from "./explanation.ts";

const job: JobState = {
	id: 7,
	type: "job",
	status: "failed",
	created: 0,
	templateId: 1,
	started: null,
	finished: null,
	canceledOn: null,
	elapsed: 0,
	explanation: "",
};
const formatPreviousTask = (end: string) =>
	`Previous Task ${end}: {"job_type": "project_update", "job_name": "the "rig"", "job_id": "12"}`;

describe("an explanation names a job that another one waits for", () => {
	it.each([
		[formatPreviousTask("Failed"), { type: "project_update", id: 12, name: 'the "rig"', end: "failed" }],
		[formatPreviousTask("Canceled"), { type: "project_update", id: 12, name: 'the "rig"', end: "was cancelled" }],
		["waiting for project_update-30 to finish", { type: "project_update", id: 30, name: "", end: null }],
		["Job terminated due to timeout", null],
		["", null],
	])("%s", (explanation, expected) => {
		expect(parseDependency(explanation)).toEqual(expected);
	});
});

describe("the end of a job", () => {
	const waiting = "waiting for project_update-30 to finish";
	it.each<[string, Partial<JobState> & { traceback?: string; dependency?: string }, string]>([
		["is what the server says", { explanation: "Job terminated due to timeout" }, "Job terminated due to timeout"],
		[
			"is that of the job on which it depends",
			{ explanation: waiting, dependency: "failed" },
			"The project update (job 30), on which the job depends, failed.",
		],
		[
			"is that of a cancelled job on which it depends",
			{ explanation: waiting, dependency: "canceled" },
			"The project update (job 30), on which the job depends, was cancelled.",
		],
		[
			"is never that it waits",
			{ explanation: waiting, dependency: "successful" },
			"The automation server could not run the job and gives no reason. Look at the job there.",
		],
		["is nothing for a cancelled job that waited", { status: "canceled", explanation: waiting }, ""],
		["is nothing for a good job", { status: "successful" }, ""],
		["is nothing for a failed job that ran", { started: 1 }, ""],
		[
			"is the last line of the server's traceback",
			{ status: "error", traceback: "Traceback:\n  x.py\nOSError: full\n" },
			"The automation server could not run the job: OSError: full",
		],
	])("%s", (_what, { dependency, ...state }, expected) => {
		const named = parseDependency(state.explanation ?? "");
		const ended = named && dependency !== undefined ? { ...named, end: endOfDependency(dependency) } : named;
		expect(explainEnd({ ...job, ...state }, ended)).toBe(expected);
	});
});

describe("an execution that is not over", () => {
	const approval = { name: "ok?", jobId: 9, jobType: "workflow_approval", status: "pending" } as const;
	const facts = { serverUrl: "https://awx", nodes: [] as (typeof approval | ServerNode)[], hasEvents: false };
	const running = { ...job, status: "running", elapsed: 40 };
	it.each<[string, JobState, Partial<typeof facts>, RegExp]>([
		["waits for what the server says", { ...job, status: "pending", explanation: "no capacity" }, {}, /^no capacity$/],
		[
			"lacks the events of a job that is over",
			{ ...job, explanation: "waiting for job-3 to finish" },
			{},
			/^The job is over/,
		],
		[
			"lacks all events of a job that runs",
			running,
			{},
			/^The job runs, but .* none of its events: .*callback receiver/,
		],
		["lacks nothing at first", { ...running, elapsed: 29 }, {}, /^$/],
		["lacks nothing once there are events", running, { hasEvents: true }, /^$/],
		[
			"waits for a person",
			{ ...running, type: "workflow_job" },
			{ nodes: [approval] },
			/^The workflow waits for a person: "ok\?" \(job 9\) .* on https:\/\/awx, .* role Approve/,
		],
		[
			"waits for nobody once that is decided",
			{ ...running, type: "workflow_job" },
			{ nodes: [{ ...approval, status: "successful" } as never] },
			/^$/,
		],
	])("%s", (_what, state, more, expected) => {
		expect(explainWait(state, { ...facts, ...more })).toMatch(expected);
	});
});
