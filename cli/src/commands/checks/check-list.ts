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
		.map(({ controller_connection_name: name, violations }) => `${name ?? "all connections"} (${violations})`)
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
	failure: (check) => (isBad(check) ? `The check is ${check.state}: ${formatPlaces(check)}` : null),
};

export const registerCheckList: Register = (program, run) => {
	const list = getNoun(program, "check", "Checks of what the rows of queries must be.")
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
	await context.output.list(iterateChecks(), CHECKS);
	if (exitCode && hasBad) throw new CliError(EXIT.finding);
}
