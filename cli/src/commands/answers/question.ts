/** `weft question list`, `run`, `save` and `watch`: the gallery of ready questions. */
import { Option } from "@commander-js/extra-typings";
import type { FindingSeverity, Question, SavedQuery } from "@weft/contracts";
import { FINDING_SEVERITIES, galleryRoutes } from "@weft/contracts/browser";
import type { WeftClient } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { buildInputError, CliError, EXIT } from "../../errors.ts";
import { addExamples, appendValue, getNoun, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { resolveNameOrId, suggestNames } from "../../resolve.ts";
import { printRows, saveWorkbook } from "../../rows.ts";
import { addWatchOptions, readWatchBody, WATCHED_CHECK, type WatchOptions } from "../checks/watch-options.ts";
import { findConnectionsFor } from "../queries/query.ts";
import { getValues, getVariables } from "../queries/query-source.ts";
import { getGroups, runTogether } from "../runs/group-runs.ts";
import { requireCompleted } from "../runs/runs.ts";

const QUESTIONS: View<Question> = {
	name: "questions",
	columns: [
		{ title: "key", value: ({ key }) => key },
		{ title: "question", value: ({ question }) => question },
		{ title: "category", value: ({ categories }) => categories[0] },
		{ title: "variables", value: ({ variables }) => getVariables(variables) },
		{ title: "classes", value: ({ classes }) => classes },
	],
};

const SAVED: View<SavedQuery> = {
	name: "query",
	columns: [
		{ title: "name", value: ({ name }) => name },
		{ title: "version", value: ({ version_string }) => version_string },
		{ title: "time_machine", value: ({ enable_time_machine }) => enable_time_machine },
		{ title: "id", value: ({ id }) => id },
	],
};

interface RunOptions {
	readonly connection: readonly string[];
	readonly group?: string | undefined;
	readonly var: readonly string[];
	readonly columns?: string | undefined;
	readonly excel?: string | undefined;
}

export const registerQuestion: Register = (program, run) => {
	const noun = getNoun(program, "question", "Ready questions about a fabric.");
	addExamples(
		noun,
		'weft question list --search "epg without contract"',
		"weft question run epgs-without-contract --connection fab-1",
	);
	const list = noun
		.command("list")
		.description("List the questions of the gallery.")
		.option("--search <text>", "those that have all words, or synonyms of them")
		.action(run(listAll));
	addExamples(list, "weft question list", "weft question list --search vlan");
	const start = noun
		.command("run")
		.description("Run a question and print its rows. Ends with 5 if a run fails.")
		.argument("<key>", "key of a question")
		.option("--connection <name>", "connection to run on; may be given several times", appendValue, [])
		.option("--group <name>", "group of connections to run on")
		.option("--var <name=value>", "value of a variable; may be given several times", appendValue, [])
		.option("--columns <names>", "columns of a table, with commas between them")
		.option("--excel <file>", "save the rows of all connections as a workbook (XLSX) instead")
		.action(run(runQuestion));
	addExamples(
		start,
		"weft question run switches --connection fab-1",
		"weft question run endpoint-by-mac --group production --var mac=00:50:56",
		"weft question run vlans-in-use --group production --excel vlans.xlsx",
	);
	const save = noun
		.command("save")
		.description("Save a question as a query of yours.")
		.argument("<key>", "key of a question")
		.requiredOption("--name <name>", "name of the query")
		.option("--time-machine", "take a snapshot of each run")
		.action(run(saveQuestion));
	addExamples(save, 'weft question save bds-without-subnet --name "Domains without gateway"');
	const watch = addWatchOptions(
		noun
			.command("watch")
			.description("Alert when a question finds rows: its query with snapshots, a check and, with --every, a schedule.")
			.argument("<key>", "key of a question")
			.option("--name <name>", "name of query, check and schedule; by default the question")
			.option("--var <name=value>", "value of a variable; may be given several times", appendValue, [])
			.addOption(new Option("--severity <severity>", "severity of the check").choices(FINDING_SEVERITIES)),
	).action(run(watchQuestion));
	addExamples(
		watch,
		"weft question watch interfaces-down --group production --every 15m --notify-webhook noc",
		"weft question watch epgs-without-contract --connection fab-1 --every daily --severity info",
	);
};

async function listAll({ client: open, output }: Context, { search }: { readonly search?: string }): Promise<void> {
	const client = await open();
	const query = search === undefined ? {} : { search };
	await output.list(client.each(galleryRoutes.list, { query }), QUESTIONS);
}

async function findQuestion(client: WeftClient, key: string): Promise<Question> {
	const keys: string[] = [];
	for await (const question of client.each(galleryRoutes.list)) {
		if (question.key === key) return question;
		keys.push(question.key);
	}
	throw buildInputError(`There is no question "${key}".${suggestNames(keys, key)}`);
}

async function runQuestion(context: Context, key: string, options: RunOptions): Promise<void> {
	const client = await context.client();
	const { question, variables, post_processors } = await findQuestion(client, key);
	const variable_values = getValues({ name: question, variables: getVariables(variables) }, options.var);
	if (options.group !== undefined && options.connection.length > 0)
		throw buildInputError("Give --group or --connection, not both.");
	const connections = options.group === undefined ? await findConnectionsFor(context, options.connection) : [];
	const target =
		options.group === undefined
			? { controller_connection_ids: connections.map(({ id }) => id) }
			: { connection_group_id: (await resolveNameOrId(getGroups(client), options.group)).id };
	const runs = await runTogether(context, (caller, idempotency_key) =>
		caller.call(
			galleryRoutes.run,
			{ params: { key }, body: { ...target, variable_values, idempotency_key } },
			{ isSafe: true },
		),
	);
	const { excel } = options;
	if (excel !== undefined) {
		// A workbook that lacks a fabric would look complete.
		requireCompleted(runs);
		if (runs.length > 0) return saveWorkbook(context, runs, excel);
	}
	const columns = options.columns?.split(",").map((column) => column.trim()) ?? listColumns(post_processors);
	await printRows(context, runs, { columns, isGroup: connections.length !== 1 });
	requireCompleted(runs);
	if (runs.length === 0) throw new CliError(EXIT.runFailed, "No connection has the classes of the question.");
}

/** The columns that the question makes; null where its rows are objects. */
function listColumns(processors: Question["post_processors"]): string[] | null {
	for (const { type, config } of [...processors].reverse()) {
		if (type === "field-extract") {
			const { fields } = config as { fields: (string | { path: string; as?: string })[] };
			return fields.map((field) => (typeof field === "string" ? field : (field.as ?? field.path)));
		}
		if (type === "aggregate") {
			const { groupBy = [], aggregations = [] } = config as { groupBy?: string[]; aggregations?: { as?: string }[] };
			return [...groupBy, ...aggregations.flatMap(({ as }) => as ?? [])];
		}
	}
	return null;
}

async function saveQuestion(
	{ client: open, output }: Context,
	key: string,
	{ name, timeMachine }: { readonly name: string; readonly timeMachine?: true },
): Promise<void> {
	const client = await open();
	const body = { name, enable_time_machine: timeMachine === true };
	await output.one(await client.call(galleryRoutes.save, { params: { key }, body }), SAVED);
}

interface QuestionWatchOptions extends WatchOptions {
	readonly name?: string | undefined;
	readonly var: readonly string[];
	readonly severity?: FindingSeverity | undefined;
}

async function watchQuestion(context: Context, key: string, options: QuestionWatchOptions): Promise<void> {
	const client = await context.client();
	const { question, variables } = await findQuestion(client, key);
	const { severity } = options;
	const body = {
		...(await readWatchBody(context, client, options)),
		name: options.name ?? question,
		variable_values: getValues({ name: question, variables: getVariables(variables) }, options.var),
		...(severity === undefined ? {} : { severity }),
	};
	await context.output.one(await client.call(galleryRoutes.watch, { params: { key }, body }), WATCHED_CHECK);
}
