/** Results of checks as a report of a pipeline: JUnit, and a summary in Markdown. */
import type { CheckSampleRow } from "@weft/contracts";
import { checkRoutes } from "@weft/contracts/browser";
import { formatJunit, type JunitCase, type JunitSuite } from "@weft/contracts/junit";
import { type WeftClient, WeftError } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { replaceControls } from "../../output.ts";
import { retryRead } from "../runs/runs.ts";
import { ALL_CONNECTIONS, type CheckResult, formatViolations, NEVER_EVALUATED } from "./checks.ts";

/** The meaning of a result in a report. */
type Verdict = "holds" | "fails" | "undecided" | "ignored";

/** The decision of a command about a result, with its reason in one line. */
export interface Judged {
	readonly result: CheckResult;
	readonly verdict: Verdict;
	readonly reason: string;
}

/** Violating rows in a report. */
const EVIDENCE_ROWS = 20;
/** Results whose evidence is read: each is a request. */
const EVIDENCE_RESULTS = 200;
/** Lines of a summary: GitHub takes 1 MiB. */
const SUMMARY_LINES = 500;

/** Prints a suite for each connection, with a case for each check. */
export async function printCheckJunit(context: Context, judged: readonly Judged[]): Promise<void> {
	const client = await context.client();
	const byConnection = new Map<string, Judged[]>();
	for (const one of judged) {
		const name = one.result.connection ?? ALL_CONNECTIONS;
		byConnection.set(name, [...(byConnection.get(name) ?? []), one]);
	}
	let left = EVIDENCE_RESULTS;
	const suites: JunitSuite[] = [];
	for (const name of [...byConnection.keys()].sort()) {
		const cases: JunitCase[] = [];
		for (const one of byConnection.get(name) ?? []) {
			if (one.verdict !== "fails") cases.push(buildCheckCase(one, []));
			else if (left-- > 0) cases.push(buildCheckCase(one, await readEvidence(context, client, one.result)));
			else cases.push(buildCheckCase(one, [`Rows are listed for the first ${EVIDENCE_RESULTS} results only.`]));
		}
		suites.push({ name, cases });
	}
	await context.output.sink.write(formatJunit(suites));
}

function buildCheckCase({ result, verdict, reason }: Judged, evidence: readonly string[]): JunitCase {
	const one = { classname: "check", name: result.check };
	const text = [reason, `Query: ${result.query}. Severity: ${result.severity}.`, ...evidence].join("\n");
	const problem = { type: result.state, message: reason, text };
	if (verdict === "fails") return { ...one, failures: [problem] };
	if (verdict === "undecided") return { ...one, error: problem };
	return verdict === "ignored" ? { ...one, skipped: reason } : one;
}

/** A line for each of the first violating rows. Empty where the check is deleted meanwhile. */
async function readEvidence(context: Context, client: WeftClient, result: CheckResult): Promise<string[]> {
	const params = { id: result.check_id, connection_id: result.connection_id ?? "all" };
	const found = await retryRead(context, () => client.call(checkRoutes.evidence, { params })).catch(
		(error: unknown) => {
			if (error instanceof WeftError && error.status === 404) return null;
			throw error;
		},
	);
	if (found === null) return [];
	const lines = found.sample.slice(0, EVIDENCE_ROWS).map((one) => formatEvidence(one, result.connection));
	const more = found.violations - lines.length;
	return more > 0 ? [...lines, `and ${more} more`] : lines;
}

/** A row with its connection, unless that is the one of the report's suite. */
const formatEvidence = ({ connection, row }: CheckSampleRow, place: string | null): string =>
	`${connection === null || connection === place ? "" : `${connection}: `}${JSON.stringify(row)}`;

/** A table of results in GitHub's Markdown. */
export function formatCheckSummary(judged: readonly Judged[]): string {
	const counts = (["fails", "undecided", "ignored", "holds"] as const)
		.map((verdict) => [judged.filter((one) => one.verdict === verdict).length, WORDS[verdict]] as const)
		.filter(([count]) => count > 0)
		.map(([count, word]) => `${count} ${word}`);
	const lines = judged.slice(0, SUMMARY_LINES).map(({ result, verdict, reason }) => {
		const { state, severity, check, connection } = result;
		const cells = [state, severity, check, connection ?? ALL_CONNECTIONS, verdict === "holds" ? "" : reason];
		return `| ${cells.map(escapeMarkdown).join(" | ")} |`;
	});
	const more = judged.length - lines.length;
	return [
		`### Checks: ${counts.join(", ")}`,
		"",
		"| state | severity | check | connection | reason |",
		"| --- | --- | --- | --- | --- |",
		...lines,
		...(more > 0 ? ["", `${more} more are in the output of the command.`] : []),
		"",
		"",
	].join("\n");
}

const WORDS: Readonly<Record<Verdict, string>> = {
	fails: "failing",
	undecided: "not evaluated",
	ignored: "not counted",
	holds: "ok",
};

/** The state with its violations, or with the reason why there is none. */
export function describeResult({ state, violations, error }: CheckResult): string {
	if (error !== null) return `${state}: ${error}`;
	return state === "unknown" ? `${state}: ${NEVER_EVALUATED}` : `${state}: ${formatViolations(violations)}`;
}

/** Characters that begin markup, a link or a formula in GitHub's Markdown. */
const escapeMarkdown = (text: string): string => replaceControls(text).replace(/[\\`*_{}[\]<>()#+!|~&@$:]/g, "\\$&");
