/** What `weft query run` and `weft query show` can be given: a saved query, or a file with one. */
import { stat } from "node:fs/promises";
import type { FileQuery, GroupExecution, PipelineJob, SavedQuery } from "@weft/contracts";
import {
	APPLY_LIMITS,
	backgroundRunRoutes,
	groupExecutionRoutes,
	pipelineRoutes,
	queryFileRoutes,
	savedQueryRoutes,
} from "@weft/contracts/browser";
import type { WeftClient } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { buildInputError, listFileErrors } from "../../errors.ts";
import { type Collection, type Named, resolveNameOrId, suggestNames } from "../../resolve.ts";
import { reportFileErrors } from "../files/file-errors.ts";

/** A query that can be run on a connection. */
interface QuerySource {
	readonly name: string;
	/** Ids of the variables that the query asks for. */
	readonly variables: readonly string[];
	/** Id of the group of connections that the query runs on unless another target is named. */
	readonly connectionGroup: string | null;
	/** A second call with the same key finds the run of the first one. */
	start(
		client: WeftClient,
		connectionId: string,
		values: Readonly<Record<string, string>>,
		key: string,
	): Promise<Pick<PipelineJob, "id">>;
	/** The same for several connections at once. */
	startGroup(
		client: WeftClient,
		target: GroupTarget,
		values: Readonly<Record<string, string>>,
		key: string,
	): Promise<GroupExecution>;
}

/** The connections of a group execution. */
type GroupTarget = { readonly connection_ids: string[] } | { readonly connection_group: string };

export const getQueries = (client: WeftClient): Collection<Named, SavedQuery> => ({
	kind: "query",
	list: (search) => client.each(savedQueryRoutes.list, { query: search === undefined ? {} : { search } }),
	byId: (id) => client.call(savedQueryRoutes.detail, { params: { id } }),
});

/** Whether a text means a file: by its ending, or as the path of one. */
export async function isQueryFile(text: string): Promise<boolean> {
	if (/\.ya?ml$/i.test(text)) return true;
	if (!text.includes("/")) return false;
	return stat(text).then(
		(found) => found.isFile(),
		() => false,
	);
}

/** The query of a file, as the service reads it. @throws CliError with `FILE:LINE: message` */
export async function readQueryFile(client: WeftClient, file: string): Promise<FileQuery> {
	const { readTextFile } = await import("../files/file-folder.ts");
	const content = await readTextFile(file, { mayFollow: true });
	if (typeof content !== "string") throw listFileErrors([`${file}:1: ${content.problem}`]);
	// The service bounds paths; this one is only repeated in its errors.
	const body = { path: file.slice(-APPLY_LIMITS.pathLength), content };
	return client.call(queryFileRoutes.read, { body }, { isSafe: true }).catch((error: unknown) => {
		throw reportFileErrors(error, () => file) ?? error;
	});
}

/** A query that is run without being saved. */
export async function buildFileSource({ client: open }: Context, file: string): Promise<QuerySource> {
	const { name, flow_data, post_processors, variables } = await readQueryFile(await open(), file);
	return {
		name,
		variables: getVariables(variables),
		connectionGroup: null,
		start: (caller, connectionId, values, key) =>
			caller.call(
				pipelineRoutes.create,
				{
					body: {
						flow_data,
						post_processors,
						variables,
						controller_connection_id: connectionId,
						variable_values: values,
						idempotency_key: key,
					},
				},
				{ isSafe: true },
			),
		startGroup: (caller, target, values, key) => {
			const query = { flow_data, post_processors, variables };
			const body = { ...query, ...target, variable_values: values, idempotency_key: key };
			return caller.call(groupExecutionRoutes.create, { body }, { isSafe: true });
		},
	};
}

/** @throws CliError for an unknown name */
export async function findSource(client: WeftClient, text: string): Promise<QuerySource> {
	const query = await resolveNameOrId(getQueries(client), text);
	return {
		name: query.name,
		variables: getVariables(query.variables),
		connectionGroup: query.connection_group,
		start: (caller, connectionId, values, key) =>
			caller.call(
				backgroundRunRoutes.start,
				{
					params: { id: query.id },
					body: { controller_connection_id: connectionId, variable_values: values, idempotency_key: key },
				},
				{ isSafe: true },
			),
		startGroup: (caller, target, values, key) => {
			const body = { saved_query_id: query.id, ...target, variable_values: values, idempotency_key: key };
			return caller.call(groupExecutionRoutes.create, { body }, { isSafe: true });
		},
	};
}

export const getVariables = (variables: readonly unknown[]): string[] =>
	variables.flatMap((variable) => (hasId(variable) ? [variable.id] : []));

const hasId = (variable: unknown): variable is { id: string } =>
	typeof variable === "object" && variable !== null && "id" in variable && typeof variable.id === "string";

/** Values of variables from `--var k=v`. @throws CliError for an unknown variable */
export function getValues(
	source: Pick<QuerySource, "name" | "variables">,
	given: readonly string[],
): Record<string, string> {
	const values = given.map((text): [string, string] => {
		const at = text.indexOf("=");
		if (at < 1) throw buildInputError(`--var ${text}: Must be NAME=VALUE.`);
		return [text.slice(0, at), text.slice(at + 1)];
	});
	const ids = values.map(([id]) => id);
	requireVariables(source, ids, (id) => `--var ${id}`);
	return Object.fromEntries(values);
}

/**
 * @param name the place of a variable's value, for messages
 * @throws CliError for a variable that the query does not have
 */
export function requireVariables(
	source: Pick<QuerySource, "name" | "variables">,
	ids: readonly string[],
	name: (id: string) => string,
): void {
	const { variables } = source;
	const unknown = ids.find((id) => !variables.includes(id));
	if (unknown === undefined) return;
	throw buildInputError(
		`${name(unknown)}: The query "${source.name}" has no such variable.${suggestNames(variables, unknown)}`,
	);
}
