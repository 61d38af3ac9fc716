/** Following the job of an automation request to its end, and its output. */
import type { AutomationExecution, AutomationRequest } from "@weft/contracts";
import { automationExecutionRoutes, automationRequestRoutes, FINAL_REQUEST_STATUSES } from "@weft/contracts/browser";
import type { WeftClient } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { retryRead } from "../runs/runs.ts";

const PAUSE_MS = 1_000;

/** The newest execution of a request; null before its first launch. */
export async function findNewestExecution(client: WeftClient, requestId: string): Promise<AutomationExecution | null> {
	const query = { automation_request: requestId, ordering: "-created_at" as const, page_size: "1" };
	return (await client.call(automationExecutionRoutes.list, { query })).results[0] ?? null;
}

/**
 * Prints the output of a request's newest job while it grows. Returns the request at its end.
 * Before the launch it waits. The service may be away meanwhile: nothing is lost or repeated.
 */
export async function followRequest(context: Context, requestId: string): Promise<AutomationRequest> {
	const client = await context.client();
	const print = createPrinter(context);
	let status = "";
	for (;;) {
		const request = await retryRead(context, () =>
			client.call(automationRequestRoutes.detail, { params: { id: requestId } }),
		);
		if (request.status !== status) context.note(`${request.title}: ${request.status.replaceAll("_", " ")}`);
		status = request.status;
		const execution = await retryRead(context, () => findNewestExecution(client, requestId));
		const isOver = execution === null || (await print(execution));
		if (FINAL_REQUEST_STATUSES.includes(request.status) && isOver) return request;
		if (execution !== null) context.progress(`${request.title}: ${execution.progress_percentage} %`);
		await context.clock.sleep(PAUSE_MS);
	}
}

/** Prints what an execution's output has more than the last time. Returns whether it is all. */
function createPrinter(context: Context): (execution: AutomationExecution) => Promise<boolean> {
	const { sink } = context.output;
	const clean = sink.isTerminal ? keepColours : stripControls;
	let [id, offset, unfinished] = ["", 0, ""];
	return async (execution) => {
		// A relaunch has an output of its own.
		if (execution.id !== id) [id, offset, unfinished] = [execution.id, 0, ""];
		const client = await context.client();
		for (;;) {
			const call = { params: { id }, query: { offset: String(offset) } };
			const answer = await retryRead(context, () => client.call(automationExecutionRoutes.output, call));
			const text = unfinished + answer.stdout;
			// The next answer has the rest of the sequence.
			unfinished = answer.complete ? "" : (UNFINISHED.exec(text)?.[0] ?? "");
			await sink.write(clean(text.slice(0, text.length - unfinished.length)));
			const isSame = answer.next_offset === offset;
			// The output may be whole before the request has ended: the next call prints no part twice.
			offset = answer.next_offset;
			if (answer.complete) return true;
			if (isSame) return false;
		}
	};
}

/** Colours (ECMA-48 SGR), and no other sequence that controls a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass
const OTHER_CONTROLS = /\u001b\[[0-9;]*m|\u001b\[[0-?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** The beginning of a sequence at the end of a text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not pass
const UNFINISHED = /\u001b(?:\[[0-?]*[ -/]*)?$/;
const isColour = (text: string): boolean => text.length > 1 && text.endsWith("m");

/** For a terminal: the output comes from another server. */
export const keepColours = (text: string): string =>
	text.replace(OTHER_CONTROLS, (sequence) => (isColour(sequence) ? sequence : ""));

/** For a file or another program. */
export const stripControls = (text: string): string => text.replace(OTHER_CONTROLS, "");
