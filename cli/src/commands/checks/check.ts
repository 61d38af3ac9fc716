/** `weft check templates` and `add`: checks of the library. */
import { Option } from "@commander-js/extra-typings";
import type { Check, CheckTemplate, FindingSeverity } from "@weft/contracts";
import { checkRoutes, FINDING_SEVERITIES } from "@weft/contracts/browser";
import type { Call, WeftClient } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { buildInputError } from "../../errors.ts";
import { addExamples, appendValue, getNoun, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { resolveNameOrId, suggestNames } from "../../resolve.ts";
import { listConnections } from "../fabrics/connection.ts";
import { getGroups } from "../runs/group-runs.ts";
import { buildCadence, EVERY } from "../schedules/cadence.ts";
import { findUserIds, findWebhookIds } from "./recipients.ts";

const TEMPLATES: View<CheckTemplate> = {
	name: "check templates",
	columns: [
		{ title: "key", value: ({ key }) => key },
		{ title: "name", value: ({ name }) => name },
		{ title: "severity", value: ({ severity }) => severity },
		{ title: "type", value: ({ check }) => check.type },
	],
};

const CHECK: View<Check> = {
	name: "check",
	columns: [
		{ title: "name", value: ({ name }) => name },
		{ title: "query", value: ({ query_name }) => query_name },
		{ title: "severity", value: ({ severity }) => severity },
		{ title: "watched", value: ({ is_watched }) => is_watched },
		{ title: "next_run_at", value: ({ schedules }) => schedules[0]?.next_run_at },
		{ title: "id", value: ({ id }) => id },
	],
};

type InstallBody = NonNullable<Call<typeof checkRoutes.install>["body"]>;

interface AddOptions {
	readonly connection: readonly string[];
	readonly group: readonly string[];
	readonly every?: string | undefined;
	readonly notifyUser: readonly string[];
	readonly notifyWebhook: readonly string[];
	readonly notifyAddress: readonly string[];
	readonly minSeverity?: FindingSeverity | undefined;
}

export const registerCheck: Register = (program, run) => {
	const noun = getNoun(program, "check", "Checks of what the rows of queries must be.");
	addExamples(noun, "weft check templates --search interface", "weft check add fabric-ports-up --every 15m");
	const templates = noun
		.command("templates")
		.description("List the checks of the library.")
		.option("--search <text>", "those that have all words in name, description, classes or synonyms")
		.action(run(listTemplates));
	addExamples(templates, "weft check templates", 'weft check templates --search "interface down"');
	const add = noun
		.command("add")
		.description("Add a check of the library, with its query and, with --every, a schedule.")
		.argument("<template>", "key of a template")
		.option("--connection <name>", "connection that is checked; may be given several times", appendValue, [])
		.option("--group <name>", "group whose present connections are checked; likewise", appendValue, [])
		.addOption(new Option("--every <time>", "run the query on a schedule").choices(EVERY))
		.option("--notify-user <name>", "person who gets alerts besides you; may be given several times", appendValue, [])
		.option("--notify-webhook <name>", "webhook that gets alerts, too; likewise", appendValue, [])
		.option("--notify-address <address>", "address that gets alerts, too; likewise", appendValue, [])
		.addOption(new Option("--min-severity <severity>", "send alerts from the severity on").choices(FINDING_SEVERITIES))
		.action(run(addCheck));
	addExamples(
		add,
		"weft check add critical-faults --connection fab-1",
		"weft check add fabric-ports-up --group production --every 15m --notify-webhook noc --min-severity warning",
	);
};

async function listTemplates({ client: open, output }: Context, { search }: { search?: string }): Promise<void> {
	const client = await open();
	const query = search === undefined ? {} : { search };
	await output.list(client.each(checkRoutes.templates, { query }), TEMPLATES);
}

async function addCheck(context: Context, key: string, options: AddOptions): Promise<void> {
	const client = await context.client();
	const { notifyUser, notifyWebhook, notifyAddress, minSeverity } = options;
	await assertTemplate(client, key);
	const userIds = await findUserIds(client, notifyUser);
	const notify = {
		// Without people the owner gets the alerts.
		...(userIds.length === 0 ? {} : { user_ids: userIds }),
		webhook_ids: await findWebhookIds(client, notifyWebhook),
		addresses: [...notifyAddress],
		...(minSeverity === undefined ? {} : { min_severity: minSeverity }),
	};
	const body: InstallBody = {
		controller_connection_ids: await findConnectionIds(context, client, options),
		schedule: options.every === undefined ? null : buildCadence(options.every),
		notify,
	};
	await context.output.one(await client.call(checkRoutes.install, { params: { key }, body }), CHECK);
}

/** @throws CliError for a key that no template has */
async function assertTemplate(client: WeftClient, key: string): Promise<void> {
	const keys: string[] = [];
	for await (const template of client.each(checkRoutes.templates)) {
		if (template.key === key) return;
		keys.push(template.key);
	}
	throw buildInputError(`There is no check template "${key}".${suggestNames(keys, key)}`);
}

/** The connections of the options in their order, each once. */
async function findConnectionIds(
	context: Context,
	client: WeftClient,
	{ connection, group }: AddOptions,
): Promise<string[]> {
	const ids = new Set<string>();
	for (const name of connection) ids.add((await resolveNameOrId(listConnections(client), name)).id);
	for (const text of group) {
		const { name, connection_ids, hidden_count } = await resolveNameOrId(getGroups(client), text);
		// No connection at all would mean every connection.
		if (connection_ids.length === 0) throw buildInputError(`The group "${name}" has no connection that you can see.`);
		if (hidden_count > 0)
			context.note(
				`The group "${name}" has ${hidden_count} more connections that you cannot see. They are not checked.`,
			);
		for (const id of connection_ids) ids.add(id);
	}
	return [...ids];
}
