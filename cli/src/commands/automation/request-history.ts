/** `weft automation`: comments on requests, their history, corrections and copies. */
import { Option } from "@commander-js/extra-typings";
import type { AutomationRequest, RequestHistoryEntry } from "@weft/contracts";
import { automationRequestRoutes } from "@weft/contracts/browser";
import type { Context } from "../../context.ts";
import { buildInputError } from "../../errors.ts";
import { addExamples, getNoun, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { resolveNameOrId } from "../../resolve.ts";
import { getRequests, getRows, NOUN, REQUESTS, readCellErrors } from "./automation.ts";

const COPIED = ["all", "failed", "unknown"] as const;
type Copied = (typeof COPIED)[number];

const HISTORY: View<RequestHistoryEntry> = {
	name: "history of an automation request",
	columns: [
		{ title: "at", value: ({ at }) => at },
		{ title: "user", value: ({ user }) => user },
		{ title: "action", value: ({ action }) => action },
		{ title: "version", value: ({ version }) => version },
		{ title: "comment", value: ({ comment }) => comment },
		{ title: "job", value: ({ execution }) => execution?.automation_job_id ?? null },
		{ title: "rows", value: ({ execution }) => execution?.row_counts ?? null },
		{ title: "request", value: ({ request }) => request?.title ?? null },
		{ title: "changes", value: ({ changes }) => changes },
	],
};

interface ResubmitOptions {
	readonly rows?: string | undefined;
	readonly title?: string | undefined;
	readonly description?: string | undefined;
}

export const registerRequestHistory: Register = (program, run) => {
	const noun = getNoun(program, "automation", NOUN);
	const comment = noun
		.command("comment")
		.description("Comment on a request, as its requester or as one who decides on it.")
		.argument("<request>", "title or id")
		.requiredOption("--text <text>", "comment")
		.action(run(addComment));
	addExamples(comment, "weft automation comment 'VLANs of rack 7' --text 'Which rack?'");
	const history = noun
		.command("history")
		.description("List who made, changed, decided on and launched a request, with its jobs, the oldest entry first.")
		.argument("<request>", "title or id")
		.action(run(showHistory));
	addExamples(history, "weft automation history 'VLANs of rack 7' --format json");
	const resubmit = noun
		.command("resubmit")
		.description("Correct a request that was rejected, and submit it for approval again.")
		.argument("<request>", "title or id")
		.option("--rows <file>", "CSV, XLSX or JSON file; - for JSON on standard input")
		.option("--title <title>", "title of the request")
		.option("--description <text>", "why the change is made")
		.action(run(correctRequest));
	addExamples(resubmit, "weft automation resubmit 'VLANs of rack 7' --rows vlans.csv");
	const copy = noun
		.command("copy")
		.description("Make a new request with rows of another one. Nothing is launched.")
		.argument("<request>", "title or id")
		.addOption(new Option("--rows <which>", "rows that are copied").choices(COPIED).default("all" as const))
		.action(run(copyRequest));
	addExamples(copy, "weft automation copy 'VLANs of rack 7' --rows failed");
};

async function addComment(context: Context, name: string, { text }: { readonly text: string }): Promise<void> {
	const client = await context.client();
	const { id } = await resolveNameOrId(getRequests(client), name);
	const added = await client.call(automationRequestRoutes.comment, { params: { id }, body: { text } });
	await context.output.one(added, HISTORY);
}

async function showHistory(context: Context, name: string): Promise<void> {
	const client = await context.client();
	const { id } = await resolveNameOrId(getRequests(client), name);
	await context.output.list(client.each(automationRequestRoutes.history, { params: { id } }), HISTORY);
}

/** Sends the version that was read, so that a change by another user in between is refused. */
async function correctRequest(context: Context, name: string, options: ResubmitOptions): Promise<void> {
	const client = await context.client();
	const request: AutomationRequest = await resolveNameOrId(getRequests(client), name);
	const { id, status, template: templateId, updated_at } = request;
	if (status !== "rejected")
		throw buildInputError(
			`Request "${request.title}" is ${status}. Only a rejected request can be resubmitted; use weft automation copy.`,
		);
	// The title is sent without options, too: an update without a field changes nothing, and would
	// not submit the request.
	const { rows, title = request.title, description } = options;
	if (rows !== undefined && templateId === null)
		throw buildInputError(`The template of "${request.title}" is deleted. Make a new request with another template.`);
	const input = rows === undefined ? {} : { input_data: await getRows(context, templateId ?? "", rows) };
	const body = { title, updated_at, ...input, ...(description === undefined ? {} : { description }) };
	const changed = await client
		.call(automationRequestRoutes.update, { params: { id }, body })
		.catch((error: unknown) => {
			throw readCellErrors(error, rows ?? "The request") ?? error;
		});
	await context.output.one(changed, REQUESTS);
}

async function copyRequest(context: Context, name: string, { rows }: { readonly rows: Copied }): Promise<void> {
	const client = await context.client();
	const { id, title } = await resolveNameOrId(getRequests(client), name);
	const made = await client
		.call(automationRequestRoutes.copy, { params: { id }, body: { rows } })
		.catch((error: unknown) => {
			throw readCellErrors(error, title) ?? error;
		});
	await context.output.one(made, REQUESTS);
}
