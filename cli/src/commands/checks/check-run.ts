/** `weft check run`: evaluates checks now, for pipelines. */
import { Option } from "@commander-js/extra-typings";
import type { Check, FindingSeverity } from "@weft/contracts";
import { checkRoutes, FINDING_SEVERITIES } from "@weft/contracts/browser";
import type { WeftClient } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { buildInputError, CliError, EXIT } from "../../errors.ts";
import { addExamples, appendValue, getNoun, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { resolveNameOrId } from "../../resolve.ts";
import { appendStepSummary } from "../../step-summary.ts";
import { requireDuration } from "../../times.ts";
import { getQueries } from "../queries/query-source.ts";
import { findConnectionIds } from "../runs/connection-options.ts";
import { describeResult, formatCheckSummary, type Judged, printCheckJunit } from "./check-report.ts";
import { ALL_CONNECTIONS, type CheckResult, compareResults, getChecks, NOUN } from "./checks.ts";
import { type AskedCheck, evaluateChecks } from "./evaluate-checks.ts";

const RESULTS: View<CheckResult> = {
	name: "check run",
	columns: [
		{ title: "state", value: ({ state }) => state },
		{ title: "severity", value: ({ severity }) => severity },
		{ title: "check", value: ({ check }) => check },
		{ title: "connection", value: ({ connection }) => connection ?? ALL_CONNECTIONS },
		{ title: "violations", value: ({ violations }) => violations },
		{ title: "error", value: ({ error }) => error },
	],
};

interface RunOptions {
	readonly query?: string | undefined;
	readonly all?: true | undefined;
	readonly connection: readonly string[];
	readonly group: readonly string[];
	readonly failOn: FindingSeverity;
	readonly wait: string;
}

export const registerCheckRun: Register = (program, run) => {
	const start = getNoun(program, "check", NOUN)
		.command("run")
		.description(
			"Run the queries of checks now and print a line for each check and connection, the worst first. Ends with 1 if " +
				"a check fails, and with 5 if none fails and one could not be evaluated.",
		)
		.argument("[checks...]", "names or ids")
		.option("--query <name>", "the checks of a query")
		.option("--all", "all checks that you can see")
		.option("--connection <name>", "only on the connection; may be given several times", appendValue, [])
		.option("--group <name>", "only on the connections of the group; likewise", appendValue, [])
		.addOption(
			new Option("--fail-on <severity>", "count failing checks from the severity on")
				.choices(FINDING_SEVERITIES)
				.default("warning" as const),
		)
		.option("--wait <time>", "longest wait for the runs, such as 90s, 20m or 2h", "10m")
		.action(run(runChecks));
	addExamples(
		start,
		'weft check run "No critical faults" --connection fab-1',
		"weft check run --all --group production --fail-on critical",
		"weft check run --all --format junit > checks.xml",
	);
};

async function runChecks(context: Context, names: readonly string[], options: RunOptions): Promise<void> {
	if ([names.length > 0, options.query !== undefined, options.all === true].filter(Boolean).length !== 1)
		throw buildInputError("Give either names of checks, or --query, or --all.");
	const waitMs = requireDuration("--wait", options.wait);
	const client = await context.client();
	const checks = await findActiveChecks(context, client, names, options);
	const isLimited = options.connection.length > 0 || options.group.length > 0;
	const places = isLimited ? await findConnectionIds(context, client, options) : null;
	const asked = places === null ? checks.map(buildAskedCheck) : limitChecks(checks, places, names.length > 0);
	if (asked.length === 0) throw buildInputError("None of the checks looks at these connections.");
	const results = await evaluateChecks(context, asked, { waitMs, wait: options.wait });
	const judged = results.sort(compareResults).map((result) => judgeResult(result, options.failOn));
	if (context.output.format === "junit") await printCheckJunit(context, judged);
	else await context.output.list(results, RESULTS);
	await appendStepSummary(context, formatCheckSummary(judged));
	requireHolding(judged, options.failOn);
}

/** The checks of the options, each once. @throws CliError where none is active */
async function findActiveChecks(
	context: Context,
	client: WeftClient,
	names: readonly string[],
	{ query: queryName }: RunOptions,
): Promise<Check[]> {
	const found = new Map<string, Check>();
	for (const name of names) {
		const check = await resolveNameOrId(getChecks(client), name);
		if (!check.is_active) throw buildInputError(`The check "${check.name}" is not active. Activate it first.`);
		found.set(check.id, check);
	}
	if (names.length > 0) return [...found.values()];
	const query = queryName === undefined ? {} : { query: (await resolveNameOrId(getQueries(client), queryName)).id };
	const inactive: string[] = [];
	for await (const check of client.each(checkRoutes.list, { query }))
		if (check.is_active) found.set(check.id, check);
		else inactive.push(check.name);
	if (inactive.length > 0) context.note(`Not active, and left out: ${inactive.join(", ")}.`);
	// No check at all must not look like checks that hold.
	if (found.size === 0)
		throw buildInputError(
			queryName === undefined
				? "You can see no active check. Add one with weft check add."
				: `The query "${queryName}" has no active check that you can see.`,
		);
	return [...found.values()];
}

const buildAskedCheck = (check: Check): AskedCheck => ({
	check,
	connectionIds: check.controller_connection_ids.length === 0 ? null : check.controller_connection_ids,
});

/**
 * The checks that look at one of the connections.
 * @throws CliError where a check that the user named looks at none of them
 */
function limitChecks(checks: readonly Check[], places: readonly string[], isNamed: boolean): AskedCheck[] {
	return checks.flatMap((check) => {
		const { controller_connection_ids: own, name } = check;
		const connectionIds = own.length === 0 ? places : places.filter((id) => own.includes(id));
		if (connectionIds.length > 0) return [{ check, connectionIds }];
		if (isNamed) throw buildInputError(`The check "${name}" looks at none of these connections.`);
		return [];
	});
}

/** A check that waits for more violated runs fails: the rows violate it now. */
function judgeResult(result: CheckResult, failOn: FindingSeverity): Judged {
	const { state, severity } = result;
	const reason = describeResult(result);
	if (state === "ok") return { result, verdict: "holds", reason };
	if (state === "error" || state === "unknown") return { result, verdict: "undecided", reason };
	if (FINDING_SEVERITIES.indexOf(severity) >= FINDING_SEVERITIES.indexOf(failOn))
		return { result, verdict: "fails", reason };
	return { result, verdict: "ignored", reason: `${reason}. Its severity ${severity} is below ${failOn}.` };
}

/** A failing check decides, whatever else could not be evaluated. */
function requireHolding(judged: readonly Judged[], failOn: FindingSeverity): void {
	const count = (verdict: Judged["verdict"]) => judged.filter((one) => one.verdict === verdict).length;
	const [failing, undecided] = [count("fails"), count("undecided")];
	if (failing === 0 && undecided === 0) return;
	const parts = [
		...(failing > 0 ? [`${failing} failing with severity ${failOn} or above`] : []),
		...(undecided > 0 ? [`${undecided} not evaluated`] : []),
	];
	throw new CliError(failing > 0 ? EXIT.finding : EXIT.runFailed, `Of ${judged.length} results: ${parts.join(", ")}.`);
}
