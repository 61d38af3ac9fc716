/** `weft change`: change windows, their findings and reports, and the decisions about them. */
import { Option } from "@commander-js/extra-typings";
import type { FindingClass, ReportFormat, Verdict, WindowFinding, WindowState } from "@weft/contracts";
import { changeWindowRoutes, FINDING_CLASSES, REPORT_FORMATS, VERDICTS, WINDOW_STATES } from "@weft/contracts/browser";
import type { Context } from "../../context.ts";
import { CliError, EXIT } from "../../errors.ts";
import { addExamples, getNoun, type Register } from "../../frame.ts";
import { findConnectionId } from "../fabrics/connection.ts";
import { formatReportText, readReport } from "./verdict.ts";
import { createFindingView, findWindow, NOUN, WINDOW_DETAIL, WINDOWS } from "./windows.ts";

interface ListOptions {
	readonly state?: WindowState | undefined;
	readonly verdict?: Verdict | undefined;
	readonly ticket?: string | undefined;
	readonly connection?: string | undefined;
	readonly search?: string | undefined;
	readonly mine?: true | undefined;
}

/** Classes of findings that end the command with 1 under `--exit-code`. */
const BAD: readonly FindingClass[] = ["undeclared", "missing", "new", "worse", "inconclusive"];

export const registerChange: Register = (program, run) => {
	const noun = getNoun(program, "change", NOUN);
	addExamples(
		noun,
		'weft change start "New bridge domains" --group production --ticket CHG0031337',
		"weft change finish CHG0031337 --report report/",
	);
	const list = noun
		.command("list")
		.description("List the change windows, newest first.")
		.addOption(new Option("--state <state>", "windows in the state").choices(WINDOW_STATES))
		.addOption(new Option("--verdict <verdict>", "windows with the verdict").choices(VERDICTS))
		.option("--ticket <number>", "windows of the ticket")
		.option("--connection <name>", "windows of the connection")
		.option("--search <text>", "windows with the text in title or ticket")
		.option("--mine", "windows that you have made")
		.action(run(listWindows));
	addExamples(list, "weft change list", "weft change list --state open --mine");
	const show = noun
		.command("show")
		.description("Show a change window: its state, its gate and its verdict.")
		.argument("<window>", "ticket or id")
		.action(run(showWindow));
	addExamples(show, "weft change show CHG0031337", "weft change show CHG0031337 --format json");
	const findings = noun
		.command("findings")
		.description("List the differences and results of checks of a judged window, undeclared ones first.")
		.argument("<window>", "ticket or id")
		.addOption(new Option("--class <class>", "findings of the class").choices(FINDING_CLASSES))
		.option("--connection <name>", "findings of the connection")
		.option("--item <number>", "findings of the plan's item, counted from 0")
		.option("--exit-code", "end with 1 if one of them is undeclared, missing, new, worse or inconclusive")
		.action(run(listFindings));
	addExamples(findings, "weft change findings CHG0031337 --class undeclared");
	const report = noun
		.command("report")
		.description("Print the report of a change window.")
		.argument("<window>", "ticket or id")
		.addOption(
			new Option("--export <format>", "format of the report, whatever --format is")
				.choices(REPORT_FORMATS)
				.default("text" as const),
		)
		.option("--max-chars <count>", "characters at most, of md and text")
		.action(run(printReport));
	addExamples(report, "weft change report CHG0031337", "weft change report CHG0031337 --export html > report.html");
	registerDecisions(program, run);
};

/** Commands that decide about a window. */
const registerDecisions: Register = (program, run) => {
	const noun = getNoun(program, "change", NOUN);
	const accept = noun
		.command("accept")
		.description("Say why findings are accepted. The verdict stays.")
		.argument("<window>", "ticket or id")
		.argument("<findings...>", "ids of findings")
		.requiredOption("--reason <text>", "reason")
		.action(run(acceptFindings));
	addExamples(
		accept,
		"weft change accept CHG0031337 5b7c1c0e-6f0e-4d1c-9d53-2b7f3c1f7a10 --reason 'Planned by the storage team'",
	);
	const override = noun
		.command("override")
		.description("Open a blocked change window for a reason.")
		.argument("<window>", "ticket or id")
		.requiredOption("--reason <text>", "reason")
		.action(run(openBlocked));
	addExamples(override, "weft change override CHG0031337 --reason 'The fault is known'");
	const sign = noun
		.command("sign")
		.description("Close a judged change window. Its report does not change any more.")
		.argument("<window>", "ticket or id")
		.option("--comment <text>", "comment", "")
		.action(run(signWindow));
	addExamples(sign, "weft change sign CHG0031337 --comment 'As planned'");
	const cancel = noun
		.command("cancel")
		.description("Cancel a change window before it is settling.")
		.argument("<window>", "ticket or id")
		.action(run(cancelWindow));
	addExamples(cancel, "weft change cancel CHG0031337");
};

async function listWindows(context: Context, { connection, mine, ...filter }: ListOptions): Promise<void> {
	const client = await context.client();
	const id = await findConnectionId(client, connection);
	const query = { ...filter, ...(mine && { mine: "true" as const }), ...(id !== undefined && { connection: id }) };
	await context.output.list(client.each(changeWindowRoutes.list, { query }), WINDOWS);
}

async function showWindow(context: Context, name: string): Promise<void> {
	await context.output.one(await findWindow(await context.client(), name), WINDOW_DETAIL);
}

interface FindingOptions {
	readonly class?: FindingClass | undefined;
	readonly connection?: string | undefined;
	readonly item?: string | undefined;
	readonly exitCode?: true | undefined;
}

async function listFindings(
	context: Context,
	name: string,
	{ connection, exitCode, ...filter }: FindingOptions,
): Promise<void> {
	const client = await context.client();
	const window = await findWindow(client, name);
	const connectionId = await findConnectionId(client, connection);
	const query = { ...filter, ...(connectionId !== undefined && { connection: connectionId }) };
	const params = { id: window.id };
	let hasBad = false;
	async function* iterateFindings(): AsyncGenerator<WindowFinding, void, void> {
		for await (const finding of client.each(changeWindowRoutes.findings, { params, query })) {
			hasBad ||= BAD.includes(finding.class);
			yield finding;
		}
	}
	await context.output.list(iterateFindings(), createFindingView(window));
	if (exitCode && hasBad) throw new CliError(EXIT.finding);
}

async function printReport(
	context: Context,
	name: string,
	{ export: format, maxChars }: { readonly export: ReportFormat; readonly maxChars?: string | undefined },
): Promise<void> {
	const { id } = await findWindow(await context.client(), name);
	const text = await readReport(context, id, format, maxChars);
	await context.output.sink.write(format === "text" ? formatReportText(text) : text);
}

async function acceptFindings(
	context: Context,
	name: string,
	findings: readonly string[],
	{ reason }: { readonly reason: string },
): Promise<void> {
	const client = await context.client();
	const window = await findWindow(client, name);
	const accepted: WindowFinding[] = [];
	for (const finding_id of findings) {
		const params = { id: window.id, finding_id };
		accepted.push(await client.call(changeWindowRoutes.accept, { params, body: { reason } }));
	}
	await context.output.list(accepted, createFindingView(window));
}

async function openBlocked(context: Context, name: string, { reason }: { readonly reason: string }): Promise<void> {
	const client = await context.client();
	const { id } = await findWindow(client, name);
	const body = { reason };
	await context.output.one(await client.call(changeWindowRoutes.override, { params: { id }, body }), WINDOW_DETAIL);
}

async function signWindow(context: Context, name: string, { comment }: { readonly comment: string }): Promise<void> {
	const client = await context.client();
	const { id } = await findWindow(client, name);
	const body = { comment };
	await context.output.one(await client.call(changeWindowRoutes.sign, { params: { id }, body }), WINDOW_DETAIL);
}

async function cancelWindow(context: Context, name: string): Promise<void> {
	const client = await context.client();
	const { id } = await findWindow(client, name);
	await context.output.one(await client.call(changeWindowRoutes.cancel, { params: { id } }), WINDOW_DETAIL);
}
