/** `weft check list`: checks and their states, the worst first. */
import { Option } from "@commander-js/extra-typings";
import type { Check, CheckState, FindingSeverity } from "@weft/contracts";
import { CHECK_STATES, checkRoutes, FINDING_SEVERITIES } from "@weft/contracts/browser";
import type { Context } from "../../context.ts";
import { CliError, EXIT } from "../../errors.ts";
import { addExamples, getNoun, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { resolveNameOrId } from "../../resolve.ts";
import { listConnections } from "../fabrics/connection.ts";
import { describeResult, type Judged, printCheckJunit } from "./check-report.ts";
import {
	ALL_CONNECTIONS,
	buildResult,
	buildUnknownResult,
	compareResults,
	NEVER_EVALUATED,
	NO_PLACE,
	NOUN,
} from "./checks.ts";

interface ListOptions {
	readonly state?: CheckState | undefined;
	readonly severity?: FindingSeverity | undefined;
	readonly connection?: string | undefined;
	readonly search?: string | undefined;
	readonly exitCode?: true | undefined;
}

const isBad = ({ is_active, state }: Check): boolean => is_active && (state === "failing" || state === "error");

/** `fab-1 (2), fab-2 (1)`: the connections in the state of the check, with their violations. */
const formatPlaces = ({ state, states }: Check): string =>
	states
		.filter((entry) => entry.state === state)
		.map(({ controller_connection_name: name, violations }) => `${name ?? ALL_CONNECTIONS} (${violations})`)
		.join(", ");

const CHECKS: View<Check> = {
	name: "checks",
	columns: [
		{ title: "state", value: ({ state }) => state },
		{ title: "severity", value: ({ severity }) => severity },
		{ title: "name", value: ({ name }) => name },
		{ title: "violations", value: formatPlaces },
		{ title: "active", value: ({ is_active }) => is_active },
		{ title: "watched", value: ({ is_watched }) => is_watched },
	],
};

export const registerCheckList: Register = (program, run) => {
	const list = getNoun(program, "check", NOUN)
		.command("list")
		.description("List the checks with their states, the worst first.")
		.addOption(new Option("--state <state>", "those in the state on some connection").choices(CHECK_STATES))
		.addOption(new Option("--severity <severity>", "those of the severity").choices(FINDING_SEVERITIES))
		.option("--connection <name>", "those with a state on the connection")
		.option("--search <text>", "those with the text in name or description")
		.option("--exit-code", "end with 1 if one of them is failing or could not be evaluated")
		.action(run(listChecks));
	addExamples(list, "weft check list", "weft check list --state failing --exit-code");
};

async function listChecks(context: Context, { connection, exitCode, ...filter }: ListOptions): Promise<void> {
	const client = await context.client();
	const place = connection === undefined ? null : await resolveNameOrId(listConnections(client), connection);
	const query = { ...filter, ordering: "-state" as const, ...(place && { connection: place.id }) };
	let hasBad = false;
	async function* iterateChecks() {
		for await (const check of client.each(checkRoutes.list, { query })) {
			hasBad ||= isBad(check);
			yield check;
		}
	}
	if (context.output.format !== "junit") await context.output.list(iterateChecks(), CHECKS);
	else {
		const judged: Judged[] = [];
		for await (const check of iterateChecks()) judged.push(...judgeStates(check, place?.id ?? null));
		await printCheckJunit(
			context,
			judged.sort((one, other) => compareResults(one.result, other.result)),
		);
	}
	if (exitCode && hasBad) throw new CliError(EXIT.finding);
}

/** Judges the states of a check on the connection, or on all. One without a result is ignored. */
function judgeStates(check: Check, connectionId: string | null): Judged[] {
	const entries = check.states.filter(
		({ controller_connection_id: id }) => connectionId === null || id === null || id === connectionId,
	);
	const results = entries.map((entry) => buildResult(check, entry));
	if (results.length === 0) results.push(buildUnknownResult(check, NEVER_EVALUATED, NO_PLACE, null));
	return results.map((result) => {
		const reason = describeResult(result);
		if (!check.is_active) return { result, verdict: "ignored", reason: `The check is not active. ${reason}` };
		if (result.state === "failing") return { result, verdict: "fails", reason };
		if (result.state === "error") return { result, verdict: "undecided", reason };
		return { result, verdict: result.state === "ok" ? "holds" : "ignored", reason };
	});
}
