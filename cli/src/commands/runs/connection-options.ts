/** Connections that the options `--connection` and `--group` of a command name. */
import type { WeftClient } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { buildInputError } from "../../errors.ts";
import { resolveNameOrId } from "../../resolve.ts";
import { listConnections } from "../fabrics/connection.ts";
import { getGroups } from "./group-runs.ts";

interface ConnectionOptions {
	readonly connection: readonly string[];
	readonly group: readonly string[];
}

/**
 * Finds the ids of the connections in the order of the options, each once.
 * @throws CliError for an unknown name, and for a group without a connection that the user sees
 */
export async function findConnectionIds(
	context: Context,
	client: WeftClient,
	{ connection, group }: ConnectionOptions,
): Promise<string[]> {
	const ids = new Set<string>();
	for (const name of connection) ids.add((await resolveNameOrId(listConnections(client), name)).id);
	for (const text of group) {
		const { name, connection_ids, hidden_count } = await resolveNameOrId(getGroups(client), text);
		// No connection at all would mean every connection.
		if (connection_ids.length === 0) throw buildInputError(`The group "${name}" has no connection that you can see.`);
		if (hidden_count > 0)
			context.note(`The group "${name}" has ${hidden_count} more connections that you cannot see. They are left out.`);
		for (const id of connection_ids) ids.add(id);
	}
	return [...ids];
}
