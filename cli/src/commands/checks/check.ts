/** `weft check templates` and `add`: checks of the library. */
import type { CheckTemplate } from "@weft/contracts";
import { checkRoutes } from "@weft/contracts/browser";
import type { WeftClient } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { buildInputError } from "../../errors.ts";
import { addExamples, getNoun, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { suggestNames } from "../../resolve.ts";
import { NOUN } from "./checks.ts";
import { addWatchOptions, readWatchBody, WATCHED_CHECK, type WatchOptions } from "./watch-options.ts";

const TEMPLATES: View<CheckTemplate> = {
	name: "check templates",
	columns: [
		{ title: "key", value: ({ key }) => key },
		{ title: "name", value: ({ name }) => name },
		{ title: "severity", value: ({ severity }) => severity },
		{ title: "type", value: ({ check }) => check.type },
	],
};

export const registerCheck: Register = (program, run) => {
	const noun = getNoun(program, "check", NOUN);
	addExamples(noun, "weft check templates --search interface", "weft check add fabric-ports-up --every 15m");
	const templates = noun
		.command("templates")
		.description("List the checks of the library.")
		.option("--search <text>", "those that have all words in name, description, classes or synonyms")
		.action(run(listTemplates));
	addExamples(templates, "weft check templates", 'weft check templates --search "interface down"');
	const add = addWatchOptions(
		noun
			.command("add")
			.description("Add a check of the library, with its query and, with --every, a schedule.")
			.argument("<template>", "key of a template"),
	).action(run(addCheck));
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

async function addCheck(context: Context, key: string, options: WatchOptions): Promise<void> {
	const client = await context.client();
	await assertTemplate(client, key);
	const body = await readWatchBody(context, client, options);
	await context.output.one(await client.call(checkRoutes.install, { params: { key }, body }), WATCHED_CHECK);
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
