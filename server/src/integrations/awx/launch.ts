/** Sends launches once. The outcome is launched, refused or unknown. */

import { getError, getJson, isObject } from "./classify.ts";
import type { Connection } from "./connection.ts";
import { AutomationError, type LaunchOutcome } from "./port.ts";
import { readFound } from "./read.ts";
import type { RawAnswer } from "./transport.ts";

/** The server's own limits are 115 s (application) and 120 s (proxy). */
const LAUNCH_TIMEOUT_MS = 125_000;

export async function sendLaunch(
	connection: Connection,
	path: string,
	body: unknown,
	timeoutMs: number,
): Promise<LaunchOutcome> {
	// A failure while finding the server or signing in is no launch.
	try {
		await connection.session();
	} catch (error) {
		return { kind: "refused", error: readAsError(error) };
	}
	let answer: RawAnswer;
	try {
		answer = await connection.post(path, body, {
			timeoutMs: Math.max(LAUNCH_TIMEOUT_MS, timeoutMs),
			launch: true,
		});
	} catch (error) {
		const failure = readAsError(error);
		return { kind: failure.unsent ? "refused" : "unknown", error: failure };
	}
	return getOutcome(answer);
}

function getOutcome(answer: RawAnswer): LaunchOutcome {
	const json = getJson(answer);
	if (answer.status >= 200 && answer.status < 300) {
		const id = isObject(json) ? (json.job ?? json.workflow_job ?? json.id) : undefined;
		if (!isObject(json) || typeof id !== "number") {
			const text = "The automation server's answer to the launch cannot be read.";
			return { kind: "unknown", error: new AutomationError("bad_answer", text, { status: answer.status }) };
		}
		const found = readFound({ ...json, id });
		return {
			kind: "launched",
			job: {
				id,
				created: found.created,
				templateId: found.templateId,
				jobType: found.jobType,
				type: typeof json.workflow_job === "number" ? "workflow_job" : found.type,
				ignored: isObject(json.ignored_fields) ? json.ignored_fields : {},
			},
		};
	}
	const error = getError(answer);
	return { kind: wasNotLaunched(answer, json) ? "refused" : "unknown", error };
}

/** Nothing was launched if the application itself refused, or a proxy refused before forwarding. */
function wasNotLaunched({ status }: RawAnswer, json: unknown): boolean {
	if (status >= 300 && status < 400) return true;
	if (status === 413 || status === 414 || status === 429 || status === 431) return true;
	return status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 499 && isObject(json);
}

const readAsError = (error: unknown): AutomationError =>
	error instanceof AutomationError ? error : new AutomationError("bad_answer", "The launch failed in the driver.");
