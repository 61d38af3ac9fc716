/** `weft check show`, `ack` and `mute`: one check with its states, acknowledgements and mutes. */
import type { Check, CheckStateEntry } from "@weft/contracts";
import { checkRoutes } from "@weft/contracts/browser";
import type { Context } from "../../context.ts";
import { buildInputError } from "../../errors.ts";
import { addExamples, getNoun, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { resolveNameOrId } from "../../resolve.ts";
import { requireTime } from "../../times.ts";
import { findConnectionId } from "../fabrics/connection.ts";
import { ALL_CONNECTIONS, formatViolations, getChecks, NOUN } from "./checks.ts";

const CHECK: View<Check> = {
	name: "check",
	columns: [
		{ title: "name", value: ({ name }) => name },
		{ title: "description", value: ({ description }) => description },
		{ title: "query", value: ({ query_name }) => query_name },
		{ title: "type", value: ({ type }) => type },
		{ title: "config", value: ({ config }) => config },
		{ title: "severity", value: ({ severity }) => severity },
		{ title: "for_runs", value: ({ for_runs }) => for_runs },
		{ title: "active", value: ({ is_active }) => is_active },
		{ title: "watched", value: ({ is_watched }) => is_watched },
		{ title: "next_run_at", value: ({ schedules }) => schedules[0]?.next_run_at },
		{ title: "muted_until", value: ({ muted_until }) => muted_until },
		{ title: "owner", value: ({ created_by }) => created_by.username },
		{ title: "id", value: ({ id }) => id },
	],
};

const STATES: View<CheckStateEntry> = {
	name: "check",
	columns: [
		{ title: "connection", value: ({ controller_connection_name }) => controller_connection_name ?? ALL_CONNECTIONS },
		{ title: "state", value: ({ state }) => state },
		{ title: "violations", value: ({ violations }) => violations },
		{ title: "since", value: ({ since }) => since },
		{ title: "evaluated_at", value: ({ last_evaluated_at }) => last_evaluated_at },
		{ title: "acknowledged_by", value: ({ acknowledged_by }) => acknowledged_by?.username },
		{ title: "muted_until", value: ({ muted_until }) => muted_until },
		{ title: "error", value: ({ error }) => error },
	],
	failure: ({ state, violations, error }) =>
		state === "failing" || state === "error" ? `The check is ${state}: ${error ?? formatViolations(violations)}` : null,
};

interface AcknowledgeOptions {
	readonly connection?: string | undefined;
	readonly comment: string;
}

interface MuteOptions {
	readonly connection?: string | undefined;
	readonly until?: string | undefined;
	readonly end?: true | undefined;
}

export const registerCheckShow: Register = (program, run) => {
	const noun = getNoun(program, "check", NOUN);
	const show = noun
		.command("show")
		.description("Show a check and its states. In CSV, ndjson and JUnit the states alone.")
		.argument("<check>", "name or id")
		.action(run(showCheck));
	addExamples(show, 'weft check show "No critical faults"', 'weft check show "No critical faults" --format yaml');
	const ack = noun
		.command("ack")
		.description("Say that the present problem of a check is known. Ends with its next change of state.")
		.argument("<check>", "name or id")
		.option("--connection <name>", "only on the connection")
		.option("--comment <text>", "why, for the history of the check", "")
		.action(run(acknowledgeCheck));
	addExamples(ack, 'weft check ack "No critical faults" --connection fab-1 --comment "CHG0031337, until Friday"');
	const mute = noun
		.command("mute")
		.description("Send no alerts of a check until a time. States are recorded all the same.")
		.argument("<check>", "name or id")
		.option("--until <time>", 'time such as "in 2 hours", "tomorrow 8:00" or 2026-01-31T08:00Z')
		.option("--end", "send alerts again from now on")
		.option("--connection <name>", "only on the connection")
		.action(run(muteCheck));
	addExamples(
		mute,
		'weft check mute "No critical faults" --until "tomorrow 8:00"',
		'weft check mute "No critical faults" --end',
	);
};

async function showCheck(context: Context, name: string): Promise<void> {
	await printCheck(context, await resolveNameOrId(getChecks(await context.client()), name));
}

async function printCheck({ output }: Context, check: Check): Promise<void> {
	if (output.format !== "table") return output.parts(check, check.states, STATES);
	await output.one(check, CHECK);
	await output.sink.write("\n");
	await output.list(check.states, STATES);
}

async function acknowledgeCheck(
	context: Context,
	name: string,
	{ connection, comment }: AcknowledgeOptions,
): Promise<void> {
	const client = await context.client();
	const { id } = await resolveNameOrId(getChecks(client), name);
	const body = { comment, controller_connection_id: (await findConnectionId(client, connection)) ?? null };
	await printCheck(context, await client.call(checkRoutes.acknowledge, { params: { id }, body }));
}

async function muteCheck(context: Context, name: string, { connection, until, end }: MuteOptions): Promise<void> {
	if ((until === undefined) === (end === undefined)) throw buildInputError("Give either --until or --end.");
	const time = until === undefined ? null : await requireTime("--until", until, context.clock.now());
	const client = await context.client();
	const { id } = await resolveNameOrId(getChecks(client), name);
	const body = { until: time, controller_connection_id: (await findConnectionId(client, connection)) ?? null };
	await printCheck(context, await client.call(checkRoutes.mute, { params: { id }, body }));
}
