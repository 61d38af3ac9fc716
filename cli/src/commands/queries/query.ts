/** `weft query list`, `show` and `run`. */
import type { ControllerConnection, FileQuery, SavedQuery, SavedQuerySummary } from "@weft/contracts";
import { authRoutes, savedQueryRoutes } from "@weft/contracts/browser";
import type { Context } from "../../context.ts";
import { buildInputError, CliError, EXIT } from "../../errors.ts";
import { addExamples, appendValue, getNoun, type Register } from "../../frame.ts";
import type { View } from "../../output.ts";
import { resolveNameOrId } from "../../resolve.ts";
import { printRows } from "../../rows.ts";
import { listConnections } from "../fabrics/connection.ts";
import { getGroups, runTogether } from "../runs/group-runs.ts";
import { requireCompleted, runAll } from "../runs/runs.ts";
import {
	buildFileSource,
	findSource,
	getQueries,
	getValues,
	getVariables,
	isQueryFile,
	readQueryFile,
} from "./query-source.ts";

const QUERIES: View<SavedQuerySummary> = {
	name: "queries",
	columns: [
		{ title: "name", value: ({ name }) => name },
		{ title: "version", value: ({ version_string }) => version_string },
		{ title: "category", value: ({ category_name }) => category_name },
		{ title: "tags", value: ({ tags_list }) => tags_list },
		{ title: "time_machine", value: ({ enable_time_machine }) => enable_time_machine },
		{ title: "owner", value: ({ created_by }) => created_by.username },
		{ title: "updated_at", value: ({ updated_at }) => updated_at },
		{ title: "id", value: ({ id }) => id },
	],
};

type Content = Pick<SavedQuery, "description" | "flow_data" | "variables">;
const CONTENT: View<Content>["columns"] = [
	{ title: "description", value: ({ description }) => description },
	{ title: "classes", value: ({ flow_data }) => listClasses(flow_data) },
	{ title: "variables", value: ({ variables }) => getVariables(variables) },
];

const QUERY: View<SavedQuery> = { name: "query", columns: [...QUERIES.columns, ...CONTENT] };

const QUERY_FILE: View<FileQuery> = {
	name: "query",
	columns: [
		{ title: "name", value: ({ name }) => name },
		{ title: "category", value: ({ category }) => category },
		{ title: "tags", value: ({ tags_list }) => tags_list },
		{ title: "time_machine", value: ({ enable_time_machine }) => enable_time_machine },
		...CONTENT,
	],
};

interface ListOptions {
	readonly search?: string | undefined;
	readonly mine?: true | undefined;
	readonly favorites?: true | undefined;
}

interface RunOptions {
	readonly connection: readonly string[];
	readonly group?: string | undefined;
	readonly var: readonly string[];
	readonly columns?: string | undefined;
}

export const registerQuery: Register = (program, run) => {
	const noun = getNoun(program, "query", "Saved queries and their runs.");
	addExamples(noun, "weft query list", "weft query run tenants --connection fab-1");
	const list = noun
		.command("list")
		.description("List the saved queries that you can see.")
		.option("--search <text>", "those whose name, description or tags contain the text")
		.option("--mine", "your own")
		.option("--favorites", "your favorites")
		.action(run(showQueries));
	addExamples(list, "weft query list --search tenant", "weft query list --mine --format json");
	const show = noun
		.command("show")
		.description("Show a query, in JSON and YAML with its canvas.")
		.argument("<query>", "name or id of a saved query, or a YAML file")
		.action(run(showOne));
	addExamples(show, "weft query show tenants --format yaml", "weft query show queries/tenants.yaml");
	const start = noun
		.command("run")
		.description("Run a query and print its rows. Ends with 5 if a run fails. A file is run without being saved.")
		.argument("<query>", "name or id of a saved query, or a YAML file")
		.option("--connection <name>", "connection to run on; may be given several times", appendValue, [])
		.option("--group <name>", "group of connections to run on")
		.option("--var <name=value>", "value of a variable; may be given several times", appendValue, [])
		.option("--columns <names>", "attributes in the columns of a table, with commas between them")
		.action(run(runQuery));
	addExamples(
		start,
		"weft query run tenants --connection fab-1",
		"weft query run tenants --connection fab-1 --connection fab-2 --format ndjson",
		"weft query run tenants --group production",
		"weft query run subnets --connection fab-1 --var tenant=prod --columns ip,scope",
		"weft query run queries/tenants.yaml --connection fab-1",
	);
};

async function showQueries({ client: open, output }: Context, { search, mine, favorites }: ListOptions): Promise<void> {
	const client = await open();
	const query = {
		ordering: "name",
		...(search === undefined ? {} : { search }),
		...(mine ? { my_queries: "true" as const } : {}),
		...(favorites ? { is_favorite: "true" as const } : {}),
	};
	await output.list(client.each(savedQueryRoutes.list, { query }), QUERIES);
}

async function showOne({ client, output }: Context, name: string): Promise<void> {
	if (await isQueryFile(name)) return output.one(await readQueryFile(await client(), name), QUERY_FILE);
	await output.one(await resolveNameOrId(getQueries(await client()), name), QUERY);
}

async function runQuery(context: Context, name: string, options: RunOptions): Promise<void> {
	const client = await context.client();
	const source = (await isQueryFile(name)) ? await buildFileSource(context, name) : await findSource(client, name);
	const values = getValues(source, options.var);
	const columns = options.columns?.split(",").map((column) => column.trim()) ?? null;
	const isNamed = options.connection.length > 0;
	const group = options.group ?? (isNamed ? undefined : (source.connectionGroup ?? undefined));
	if (options.group !== undefined && isNamed) throw buildInputError("Give --group or --connection, not both.");
	const connections = group === undefined ? await findConnectionsFor(context, options.connection) : [];
	const [connection, ...others] = connections;
	if (connection !== undefined && others.length === 0) {
		const start = (caller: typeof client, key: string) => source.start(caller, connection.id, values, key);
		const runs = await runAll(context, [{ connection, start }]);
		await printRows(context, runs, { columns });
		return requireCompleted(runs);
	}
	const target =
		group === undefined
			? { connection_ids: connections.map(({ id }) => id) }
			: { connection_group: (await resolveNameOrId(getGroups(client), group)).id };
	const runs = await runTogether(context, (caller, key) => source.startGroup(caller, target, values, key));
	await printRows(context, runs, { columns, isGroup: true });
	requireCompleted(runs);
	if (runs.length === 0) throw new CliError(EXIT.runFailed, "No connection has the classes of the query.");
}

const NAME_CONNECTION = "Name the connection with --connection. weft connection list shows those that you can use.";

/**
 * The named connections, each once; without a name the user's default one.
 *
 * @param remedy a sentence for a user without a default connection
 */
export async function findConnectionsFor(
	context: Context,
	names: readonly string[],
	remedy = NAME_CONNECTION,
): Promise<ControllerConnection[]> {
	const client = await context.client();
	const wanted = names.length > 0 ? names : [await readDefaultConnection(context, remedy)];
	const found = new Map<string, ControllerConnection>();
	for (const name of wanted) {
		const connection = await resolveNameOrId(listConnections(client), name);
		found.set(connection.id, connection);
	}
	return [...found.values()];
}

async function readDefaultConnection(context: Context, remedy: string): Promise<string> {
	const client = await context.client();
	const { default_controller_connection_id: id } = await client.call(authRoutes.preferences);
	if (id === null) throw buildInputError(remedy);
	return id;
}

function listClasses({ nodes }: Content["flow_data"]): string[] {
	const names = nodes.flatMap((node) => (node as { data?: { className?: unknown } }).data?.className ?? []);
	return [...new Set(names.map(String))];
}
