/** Explanations of jobs that wait, make no visible progress, or did not run. */
import type { JobDetail, JobState, ServerJobType, ServerNode } from "../../../../integrations/awx/port.ts";
import { isFinalExecution, readServerStatus } from "./states.ts";

/** The server puts names into this form without escaping them, so that it is not always JSON. */
const PREVIOUS = /^Previous Task (Failed|Canceled): \{"job_type": "(.*?)", "job_name": "(.*)", "job_id": "?(\d+)"?\}$/s;
const WAITING = /^waiting for ([a-z_]+)-(\d+) to finish/i;

const NO_REASON = "The automation server could not run the job and gives no reason. Look at the job there.";
/** A running job has its first events after this many seconds. */
const EVENTS_AFTER_SECONDS = 30;

const LOST = /^Task was marked as \w+ (at system start up|but was not present in the job queue)/;

/** Whether an explanation says that the server lost the job: its events are never complete. */
export const isLost = (explanation: string): boolean => LOST.test(explanation);

/** A job that another one waited for. */
export interface Dependency {
	readonly type: string;
	readonly id: number;
	/** Empty where the server does not say. */
	readonly name: string;
	/** Null where it is not known. */
	readonly end: "failed" | "was cancelled" | null;
}

/** The job that an explanation of the server names; null where it names none. */
export function parseDependency(explanation: string): Dependency | null {
	const [, end, type = "", name = "", id = ""] = PREVIOUS.exec(explanation) ?? [];
	if (end !== undefined) return { type, id: Number(id), name, end: end === "Failed" ? "failed" : "was cancelled" };
	const [, awaited, awaitedId] = WAITING.exec(explanation) ?? [];
	return awaited === undefined ? null : { type: awaited, id: Number(awaitedId), name: "", end: null };
}

/** How a job on which another one depends ended, by its status; null while it has not, or well. */
export function endOfDependency(status: string): Dependency["end"] {
	const word = readServerStatus(status);
	if (word === "cancelled") return "was cancelled";
	return word === "failed" || word === "error" ? "failed" : null;
}

/** Why a job that is over did not run, or failed; empty where there is nothing to say. */
export function explainEnd(
	job: JobState & Partial<Pick<JobDetail, "traceback">>,
	/** The job that its explanation names. */
	dependency: Dependency | null,
): string {
	if (dependency !== null && dependency.end !== null) {
		const { type, name, id, end } = dependency;
		const named = name === "" ? `(job ${id})` : `"${name}" (job ${id})`;
		return `The ${type.replaceAll("_", " ")} ${named}, on which the job depends, ${end}.`;
	}
	const status = readServerStatus(job.status);
	// What a job waited for does not explain its end.
	const isWaiting = WAITING.test(job.explanation);
	if (job.explanation !== "" && !isWaiting) return job.explanation;
	if (status !== "error" && !(isWaiting && status === "failed")) return "";
	// The lines before the last one are places in the server's own code.
	const last = job.traceback?.trim().split("\n").at(-1)?.trim() ?? "";
	return last === "" ? NO_REASON : `The automation server could not run the job: ${last}`;
}

/** Why an execution that is not over makes no progress; empty where there is nothing to say. */
export function explainWait(
	job: JobState,
	facts: {
		readonly serverUrl: string;
		/** Nodes of the workflow. */
		readonly nodes: readonly Pick<ServerNode, "name" | "jobId" | "jobType" | "status">[];
		/** Whether an event of the job was read. */
		readonly hasEvents: boolean;
	},
): string {
	const status = readServerStatus(job.status);
	if (status !== null && isFinalExecution(status)) {
		return "The job is over on the automation server, which has not delivered all of its events yet.";
	}
	if (job.explanation !== "") return job.explanation;
	const approvals = facts.nodes.filter((node) => isOpenApproval(node.jobType, node.status));
	if (approvals.length > 0) {
		const names = approvals.map(({ name, jobId }) => `"${name}" (job ${jobId})`).join(", ");
		return `The workflow waits for a person: ${names} must be approved or denied on ${facts.serverUrl}, by an administrator or a user with the role Approve on the workflow template.`;
	}
	if (status === "running" && job.type === "job" && !facts.hasEvents && job.elapsed >= EVENTS_AFTER_SECONDS) {
		return "The job runs, but the automation server has delivered none of its events: output and progress are not known. Check the server's callback receiver and Redis.";
	}
	return "";
}

const isOpenApproval = (type: ServerJobType | null, status: string | null): boolean => {
	const word = status === null ? null : readServerStatus(status);
	return type === "workflow_approval" && word !== null && !isFinalExecution(word);
};
