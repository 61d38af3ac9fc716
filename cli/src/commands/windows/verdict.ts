/** The end of a change window: its verdict as an exit code, and its report as files. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChangeWindow, ReportFormat } from "@weft/contracts";
import { changeWindowRoutes } from "@weft/contracts/browser";
import type { WeftClient } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { CliError, EXIT, type ExitCode } from "../../errors.ts";
import { replaceControlsInLines } from "../../output.ts";
import { openAnswer } from "../../raw-answer.ts";
import { appendStepSummary } from "../../step-summary.ts";
import { awaitWindow } from "./follow-window.ts";
import { formatWindowName, WINDOW_DETAIL } from "./windows.ts";

/** Files of a folder of reports. */
const FILES = {
	"report.html": "html",
	"report.md": "md",
	"report.json": "json",
	"junit.xml": "junit",
} as const satisfies Record<string, ReportFormat>;

interface VerdictWait {
	/** Longest wait in milliseconds, and as the user wrote it. */
	readonly waitMs: number;
	readonly wait: string;
	/** Folder for the report; none is written where it is absent. */
	readonly report?: string | undefined;
	/** Exit code where the verdict takes longer; 5 where it is absent. */
	readonly lateExit?: ExitCode;
}

/**
 * Waits until the window is judged, prints the report, and writes it to files and to the summary of
 * a pipeline's step.
 * @throws CliError with `lateExit` where the verdict takes longer, and with 1 for a window that
 * has none
 */
export async function awaitVerdict(
	context: Context,
	client: WeftClient,
	id: string,
	{ waitMs, wait, report, lateExit = EXIT.runFailed }: VerdictWait,
): Promise<ChangeWindow> {
	const window = await awaitWindow(context, client, id, { states: ["open", "settling"], waitMs });
	const name = formatWindowName(window);
	if (window.state === "open" || window.state === "settling")
		throw new CliError(
			lateExit,
			`${name} is not judged within ${wait}. It goes on without this command. Wait again with: weft change finish ${id}`,
		);
	if (window.verdict === null) throw new CliError(EXIT.finding, `${name} is ${window.state}, and has no verdict.`);
	await printVerdict(context, window);
	if (report !== undefined) await writeReports(context, id, report);
	if (context.stepSummary !== null) await appendStepSummary(context, await readReport(context, id, "md"));
	return window;
}

/** Prints the report as text or JUnit. In any other format prints the window. */
async function printVerdict(context: Context, window: ChangeWindow): Promise<void> {
	const { format, sink } = context.output;
	if (format === "junit") return sink.write(await readReport(context, window.id, "junit"));
	if (format !== "table") return context.output.one(window, WINDOW_DETAIL);
	await sink.write(formatReportText(await readReport(context, window.id, "text")));
}

/** Writes the report in each format. Makes the folder where there is none. */
async function writeReports(context: Context, id: string, folder: string): Promise<void> {
	await mkdir(folder, { recursive: true });
	for (const [file, format] of Object.entries(FILES))
		await writeFile(join(folder, file), await readReport(context, id, format));
	context.note(`The report is in ${folder}: ${Object.keys(FILES).join(", ")}.`);
}

export async function readReport(
	context: Context,
	id: string,
	format: ReportFormat,
	maxChars?: string,
): Promise<string> {
	const query = { format, ...(maxChars === undefined ? {} : { max_chars: maxChars }) };
	const call = { params: { id }, query };
	const parts: Uint8Array[] = [];
	for await (const part of await openAnswer(context, changeWindowRoutes.report, call, format === "html"))
		parts.push(part);
	return Buffer.concat(parts).toString("utf8");
}

/** Formats a report for a terminal. Names in it come from other users. */
export const formatReportText = (text: string): string => `${replaceControlsInLines(text.trimEnd())}\n`;

/** Chooses the exit code of a verdict. */
export function chooseExit({ verdict }: ChangeWindow, failOnWarning: boolean): ExitCode {
	if (verdict === "passed" || (verdict === "passed_with_warnings" && !failOnWarning)) return EXIT.ok;
	return verdict === "inconclusive" ? EXIT.runFailed : EXIT.finding;
}

/** `Change window CHG0031337: failed (undeclared:2)`. */
export const describeVerdict = (window: ChangeWindow): string => {
	const reasons = window.verdict_reasons.length === 0 ? "" : ` (${window.verdict_reasons.join(", ")})`;
	return `${formatWindowName(window)}: ${window.verdict_line}${reasons}`;
};
