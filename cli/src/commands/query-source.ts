/** What `weft query run` and `weft query show` can be given: a saved query by name or id. */
import { backgroundRunRoutes, type PipelineJob, type SavedQuery, savedQueryRoutes } from "@weft/contracts";
import type { WeftClient } from "@weft/sdk";
import { badInput } from "../errors.ts";
import { type Collection, type Named, resolve, suggestion } from "../resolve.ts";

/** A query that can be run on a connection. */
export interface QuerySource {
	readonly name: string;
	/** Ids of the variables that the query asks for. */
	readonly variables: readonly string[];
	/** A second call with the same key finds the run of the first one. */
	start(
		client: WeftClient,
		connectionId: string,
		values: Readonly<Record<string, string>>,
		key: string,
	): Promise<Pick<PipelineJob, "id">>;
}

export const queriesOf = (client: WeftClient): Collection<Named, SavedQuery> => ({
	kind: "query",
	list: (search) =>
		client.each(savedQueryRoutes.list, { query: search === undefined ? {} : { search: search.slice(0, 200) } }),
	byId: (id) => client.call(savedQueryRoutes.detail, { params: { id } }),
});

/** @throws CliError for an unknown name */
export async function sourceOf(client: WeftClient, text: string): Promise<QuerySource> {
	const query = await resolve(queriesOf(client), text);
	return {
		name: query.name,
		variables: query.variables.flatMap((variable) => (hasId(variable) ? [variable.id] : [])),
		start: (caller, connectionId, values, key) =>
			caller.call(
				backgroundRunRoutes.start,
				{
					params: { id: query.id },
					body: { controller_connection_id: connectionId, variable_values: values, idempotency_key: key },
				},
				{ isSafe: true },
			),
	};
}

const hasId = (variable: unknown): variable is { id: string } =>
	typeof variable === "object" && variable !== null && "id" in variable && typeof variable.id === "string";

/** Values of variables from `--var k=v`. @throws CliError for an unknown variable */
export function valuesOf({ name, variables }: QuerySource, given: readonly string[]): Record<string, string> {
	const values = given.map((text): [string, string] => {
		const at = text.indexOf("=");
		if (at < 1) throw badInput(`--var ${text}: Must be NAME=VALUE.`);
		return [text.slice(0, at), text.slice(at + 1)];
	});
	for (const [id] of values) {
		if (!variables.includes(id))
			throw badInput(`--var ${id}: The query "${name}" has no such variable.${suggestion(variables, id)}`);
	}
	return Object.fromEntries(values);
}
