/** `weft automation`: from rows in a file to a job of the automation server, and its output. */
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import type { AutomationRequest, AutomationTemplate, InputData } from "@weft/contracts";
import {
	automationConnectionRoutes,
	automationExecutionRoutes,
	automationRequestRoutes,
	automationTemplateRoutes,
} from "@weft/contracts/browser";
import { formatCellText } from "@weft/contracts/spreadsheet";
import { type WeftClient, WeftError } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { buildInputError, CliError, EXIT } from "../../errors.ts";
import { addExamples, getNoun, type Register } from "../../frame.ts";
import { replaceControls, type View } from "../../output.ts";
import { iterateLines, openAnswer } from "../../raw-answer.ts";
import { type Collection, resolveNameOrId } from "../../resolve.ts";
import { fetchGuarded } from "../../session.ts";
import { requireTime } from "../../times.ts";
import { listConnections } from "../fabrics/connection.ts";
import { findWindow, getPlans } from "../windows/windows.ts";
import { findNewestExecution, followRequest, keepColours, stripControls } from "./jobs.ts";

/** Of JSON rows from a file or standard input, in bytes; the service has limits of its own. */
const JSON_MAX = 50 * 1024 * 1024;

/** Description of the noun in the help. */
export const NOUN = "Requests that turn rows into a job of the automation server.";

const TEMPLATES: View<AutomationTemplate> = {
	name: "automation templates",
	columns: [
		{ title: "name", value: ({ name }) => name },
		{ title: "server", value: ({ automation_connection_name }) => automation_connection_name },
		{ title: "requires_approval", value: ({ requires_approval }) => requires_approval },
		{ title: "columns", value: ({ schema }) => (Array.isArray(schema) ? schema.map(({ name }) => name) : null) },
		{ title: "id", value: ({ id }) => id },
	],
};

export const REQUESTS: View<AutomationRequest> = {
	name: "automation requests",
	columns: [
		{ title: "title", value: ({ title }) => title },
		{ title: "status", value: ({ status }) => status },
		{ title: "template", value: ({ template_name }) => template_name },
		{ title: "rows", value: ({ row_count }) => row_count },
		{ title: "results", value: ({ row_counts }) => row_counts },
		{ title: "dry_run", value: ({ check_mode }) => check_mode },
		{ title: "scheduled_for", value: ({ scheduled_for }) => scheduled_for },
		{ title: "requested_by", value: ({ requested_by }) => requested_by },
		{ title: "job", value: ({ automation_job_id }) => automation_job_id },
		{ title: "updated_at", value: ({ updated_at }) => updated_at },
		{ title: "id", value: ({ id }) => id },
	],
	failure: ({ status, launch_error }) =>
		status === "successful" ? null : (launch_error ?? `The request is ${status}.`),
};

/** A request as an approver reads it. */
const REQUEST_DETAIL: View<AutomationRequest> = {
	...REQUESTS,
	columns: [
		...REQUESTS.columns,
		{ title: "server", value: ({ automation_connection_name }) => automation_connection_name },
		{ title: "controller", value: ({ target_controller_name }) => target_controller_name },
		{ title: "change_plan", value: ({ change_plan_name }) => change_plan_name },
		{ title: "change_window", value: ({ change_window }) => change_window },
		{ title: "description", value: ({ description }) => description },
		{ title: "version", value: ({ version }) => version },
		{ title: "input_data", value: ({ input_data }) => input_data },
	],
};

const UPDATED_AT = 'the "updated_at" of the request as you read it; refused if the request has changed since';

const getTemplates = (client: WeftClient): Collection<AutomationTemplate> => ({
	kind: "automation template",
	list: (search) => client.each(automationTemplateRoutes.list, { query: search === undefined ? {} : { search } }),
	byId: (id) => client.call(automationTemplateRoutes.detail, { params: { id } }),
});

export const getRequests = (client: WeftClient): Collection<{ id: string; name: string }, AutomationRequest> => ({
	kind: "automation request",
	async *list(search) {
		const query = search === undefined ? {} : { search };
		for await (const { id, title } of client.each(automationRequestRoutes.list, { query })) yield { id, name: title };
	},
	byId: (id) => client.call(automationRequestRoutes.detail, { params: { id } }),
});

const getServers = (client: WeftClient): Collection<{ id: string; name: string }> => ({
	kind: "automation server",
	list: () => client.each(automationConnectionRoutes.list),
	byId: (id) => client.call(automationConnectionRoutes.detail, { params: { id } }),
});

interface RequestOptions {
	readonly title: string;
	readonly rows: string;
	readonly description?: string | undefined;
	readonly server?: string | undefined;
	readonly controller?: string | undefined;
	readonly credential?: string | undefined;
	readonly plan?: string | undefined;
	readonly window?: string | undefined;
	readonly dryRun?: true | undefined;
	readonly at?: string | undefined;
	readonly key?: string | undefined;
	readonly launch?: true | undefined;
}

export const registerAutomation: Register = (program, run) => {
	const noun = getNoun(program, "automation", NOUN);
	addExamples(
		noun,
		"weft automation templates",
		"weft automation request vlans --title 'VLANs of rack 7' --rows vlans.csv",
	);
	const templates = noun
		.command("templates")
		.description("List the templates that you can use.")
		.option("--search <text>", "those whose name or description contains the text")
		.action(run(showTemplates));
	addExamples(templates, "weft automation templates --search vlan");
	const request = noun
		.command("request")
		.description("Request a job for the rows of a file. Nothing is launched without --launch.")
		.argument("<template>", "name or id")
		.requiredOption("--title <title>", "title of the request")
		.requiredOption("--rows <file>", "CSV, XLSX or JSON file; - for JSON on standard input")
		.option("--description <text>", "why the change is made")
		.option("--server <name>", "automation server, instead of the template's")
		.option("--controller <name>", "connection to the controller that the change is for")
		.option("--credential <id>", "credential of the automation server")
		.option("--plan <name>", "change plan: the job is launched in a change window of its own")
		.option("--window <ticket>", "change window, by its ticket or id: the job is launched when it opens")
		.option("--dry-run", "the playbook changes nothing (Ansible check mode)")
		.option("--at <time>", 'launch at a time, such as "tomorrow 22:00"')
		.option("--key <key>", "idempotency key: a second request with the key answers the first one")
		.option("--launch", "launch the job at once, where no approval is required")
		.action(run(createRequest));
	addExamples(
		request,
		"weft automation request vlans --title 'VLANs of rack 7' --rows vlans.csv --dry-run --launch",
		'weft automation request vlans --title Nightly --rows vlans.xlsx --at "tomorrow 22:00"',
	);
	const show = noun
		.command("show")
		.description("Show a request with its rows, and the updated_at with which it can be approved or rejected.")
		.argument("<request>", "title or id")
		.action(run(showRequest));
	addExamples(
		show,
		"weft automation show 'VLANs of rack 7'",
		"weft automation show 'VLANs of rack 7' --format json > request.json",
	);
	const launch = noun
		.command("launch")
		.description("Launch the job of an approved request.")
		.argument("<request>", "title or id")
		.action(run(launchRequest));
	addExamples(launch, "weft automation launch 'VLANs of rack 7'");
	const approve = noun
		.command("approve")
		.description(
			"Approve the request of another user. On a terminal it is shown first; elsewhere it is approved as it is now, " +
				"or only as you read it with --updated-at.",
		)
		.argument("<request>", "title or id")
		.option("--comment <text>", "comment", "")
		.option("--updated-at <time>", UPDATED_AT)
		.option("--yes", "do not ask on a terminal")
		.action(run(approveRequest));
	addExamples(
		approve,
		"weft automation approve 'VLANs of rack 7' --comment 'as agreed'",
		"weft automation approve 'VLANs of rack 7' --updated-at 2026-11-28T09:15:02.481Z",
	);
	const reject = noun
		.command("reject")
		.description("Reject the request of another user.")
		.argument("<request>", "title or id")
		.requiredOption("--reason <text>", "reason")
		.option("--changes", "ask the requester to change the request and submit it again")
		.option("--updated-at <time>", UPDATED_AT)
		.action(run(rejectRequest));
	addExamples(reject, "weft automation reject 'VLANs of rack 7' --reason 'wrong rack'");
	const watch = noun
		.command("watch")
		.description("Print the output of a request's job until its end. Ends with 1 unless the job is successful.")
		.argument("<request>", "title or id")
		.action(run(watchRequest));
	addExamples(watch, "weft automation watch 'VLANs of rack 7'");
	const output = noun
		.command("output")
		.description("Print the output that a request's newest job has so far.")
		.argument("<request>", "title or id")
		.action(run(printOutput));
	addExamples(output, "weft automation output 'VLANs of rack 7' > job.txt");
};

async function showTemplates(
	{ client: open, output }: Context,
	{ search }: { search?: string | undefined },
): Promise<void> {
	const query = search === undefined ? {} : { search };
	await output.list((await open()).each(automationTemplateRoutes.list, { query }), TEMPLATES);
}

async function createRequest(context: Context, name: string, options: RequestOptions): Promise<void> {
	const client = await context.client();
	const template = await resolveNameOrId(getTemplates(client), name);
	const { server, controller, credential, at, plan, window } = options;
	if (credential !== undefined && !/^\d+$/.test(credential))
		throw buildInputError(`"${credential}" is not the id of a credential. Give its number on the automation server.`);
	const body = {
		template: template.id,
		title: options.title,
		input_data: await getRows(context, template.id, options.rows),
		check_mode: options.dryRun === true,
		idempotency_key: options.key ?? context.newId(),
		...(options.description === undefined ? {} : { description: options.description }),
		...(server === undefined ? {} : { automation_connection: (await resolveNameOrId(getServers(client), server)).id }),
		...(controller === undefined
			? {}
			: { target_controller: (await resolveNameOrId(listConnections(client), controller)).id }),
		...(credential === undefined ? {} : { automation_credential_id: Number(credential) }),
		...(plan === undefined ? {} : { change_plan: (await resolveNameOrId(getPlans(client), plan)).id }),
		...(window === undefined ? {} : { change_window: (await findWindow(client, window)).id }),
		...(at === undefined ? {} : { scheduled_for: await requireTime("--at", at, context.clock.now()) }),
	};
	const created = await client
		.call(automationRequestRoutes.create, { body }, { isSafe: true })
		.catch((error: unknown) => {
			throw readCellErrors(error, options.rows) ?? error;
		});
	for (const { message } of created.warnings) context.note(message);
	if (options.launch === undefined) return context.output.one(created, REQUESTS);
	if (created.status === "awaiting_approval")
		throw new CliError(EXIT.notAllowed, `The request ${created.id} awaits approval, and is not launched.`);
	await launchAndShow(context, client, created);
}

async function launchRequest(context: Context, name: string): Promise<void> {
	const client = await context.client();
	await launchAndShow(context, client, await resolveNameOrId(getRequests(client), name));
}

/** Launches a request and prints it. Is not repeated without an answer: `show` has the outcome. */
async function launchAndShow(context: Context, client: WeftClient, { id }: { id: string }): Promise<void> {
	await context.output.one(await client.call(automationRequestRoutes.execute, { params: { id } }), REQUESTS);
}

async function showRequest(context: Context, name: string): Promise<void> {
	await context.output.one(await resolveNameOrId(getRequests(await context.client()), name), REQUEST_DETAIL);
}

interface ApproveOptions {
	readonly comment: string;
	readonly updatedAt?: string;
	readonly yes?: boolean;
}

/** Asks on a terminal whether to approve the shown request. True where no user can answer. */
async function confirmApproval(context: Context, request: AutomationRequest): Promise<boolean> {
	const width = Math.max(...REQUEST_DETAIL.columns.map(({ title }) => title.length));
	const lines = REQUEST_DETAIL.columns.map(
		({ title, value }) => `${title.padEnd(width)}  ${replaceControls(formatCellText(value(request)))}`,
	);
	const question = `${lines.join("\n")}\nApprove this request? [y/N] `;
	const answer = await context.input.ask(question, false);
	return answer === null || /^y(es)?$/i.test(answer.trim());
}

async function approveRequest(context: Context, name: string, options: ApproveOptions): Promise<void> {
	const client = await context.client();
	const request = await resolveNameOrId(getRequests(client), name);
	const isConfirmed = options.yes === true || options.updatedAt !== undefined;
	if (!isConfirmed && !(await confirmApproval(context, request)))
		throw new CliError(EXIT.finding, "The request was not approved.");
	const params = { id: request.id };
	const body = { comment: options.comment, updated_at: options.updatedAt ?? request.updated_at };
	await context.output.one(await client.call(automationRequestRoutes.approve, { params, body }), REQUESTS);
}

interface RejectOptions {
	readonly reason: string;
	readonly changes?: boolean;
	readonly updatedAt?: string;
}

async function rejectRequest(context: Context, name: string, options: RejectOptions): Promise<void> {
	const client = await context.client();
	const { id, updated_at } = await resolveNameOrId(getRequests(client), name);
	const decision = { reason: options.reason, changes_requested: options.changes === true };
	const body = { ...decision, updated_at: options.updatedAt ?? updated_at };
	await context.output.one(await client.call(automationRequestRoutes.reject, { params: { id }, body }), REQUESTS);
}

async function watchRequest(context: Context, name: string): Promise<void> {
	const client = await context.client();
	const { id } = await resolveNameOrId(getRequests(client), name);
	const ended = await followRequest(context, id);
	for (const { message } of ended.warnings) context.note(message);
	if (ended.status === "successful") return;
	const reason = ended.launch_error ?? ended.rejection_reason ?? "";
	throw new CliError(EXIT.finding, `The request is ${ended.status}. ${reason}`.trimEnd());
}

async function printOutput(context: Context, name: string): Promise<void> {
	const client = await context.client();
	const { id } = await resolveNameOrId(getRequests(client), name);
	const execution = await findNewestExecution(client, id);
	if (execution === null) throw buildInputError("The request was not launched yet.");
	const { sink } = context.output;
	const clean = sink.isTerminal ? keepColours : stripControls;
	const params = { id: execution.id };
	// A part of the answer may end within an escape sequence; a line does not.
	for await (const line of iterateLines(await openAnswer(context, automationExecutionRoutes.download, { params })))
		await sink.write(`${clean(line)}\n`);
	if (!execution.output_complete) context.note("The job has not ended, or its output has not been received whole.");
}

/** The rows of a file. @throws CliError for a file that cannot be read or is none of the formats */
export async function getRows(context: Context, templateId: string, file: string): Promise<InputData> {
	if (file === "-") return parseRows((await context.input.readAll(JSON_MAX)).toString("utf8"), "Standard input");
	const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
		throw buildInputError(`${file} cannot be read (${error.code}).`);
	});
	const type = extname(file).toLowerCase();
	if (type === ".json") return parseRows(bytes.toString("utf8"), file);
	if (type !== ".csv" && type !== ".xlsx") throw buildInputError(`${file} is none of CSV, XLSX and JSON.`);
	const client = await context.client();
	const route = automationTemplateRoutes.readFile;
	const { url, headers } = await client.getRequest(route, { params: { id: templateId } });
	const form = new FormData();
	form.append("file", new Blob([bytes]), file);
	const response = await fetchGuarded(client.baseUrl, context.fetch)(url, { method: "POST", headers, body: form });
	if (!response.ok) throw new WeftError(response, await response.json().catch(() => null), route);
	return ((await response.json()) as { input_data: InputData }).input_data;
}

/** Parses JSON rows. The service checks them against the template. */
function parseRows(text: string, name: string): InputData {
	try {
		return JSON.parse(text) as InputData;
	} catch (error) {
		throw buildInputError(`${name} is no JSON: ${(error as SyntaxError).message}.`);
	}
}

/** `FILE: row 3, column vlan: message` for each wrong cell; null for another error. */
export function readCellErrors(error: unknown, file: string): CliError | null {
	if (!(error instanceof WeftError) || error.status !== 400) return null;
	const { input_data: cells, ...others } = error.body as Record<string, unknown[]>;
	if (!Array.isArray(cells) || Object.keys(others).length > 0) return null;
	const lines = cells.map((cell) => {
		if (typeof cell === "string") return `${file}: ${cell}`;
		const { sheet, row, column, message } = cell as Record<"sheet" | "row" | "column" | "message", unknown>;
		const place = [
			...(sheet ? [`sheet ${sheet}`] : []),
			...(row === null ? [] : [`row ${row}`]),
			...(column ? [`column ${column}`] : []),
		];
		return `${file}: ${place.join(", ")}${place.length > 0 ? ": " : ""}${message}`;
	});
	return buildInputError(lines.join("\n"));
}
