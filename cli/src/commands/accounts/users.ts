/** Users by their names. Only administrators may list them. */
import { userRoutes } from "@weft/contracts/browser";
import type { WeftClient } from "@weft/sdk";
import { buildInputError } from "../../errors.ts";
import { suggestNames } from "../../resolve.ts";

/** The id of the user with the name; null for an unknown name. */
export async function searchUserId(client: WeftClient, username: string): Promise<number | null> {
	// The search finds parts of names and addresses, too.
	for await (const user of client.each(userRoutes.list, { query: { search: username } }))
		if (user.username === username) return user.id;
	return null;
}

/** @throws CliError for an unknown name */
export async function findUserId(client: WeftClient, username: string): Promise<number> {
	const id = await searchUserId(client, username);
	if (id !== null) return id;
	const names: string[] = [];
	for await (const user of client.each(userRoutes.list)) names.push(user.username);
	throw buildInputError(`There is no user "${username}".${suggestNames(names, username)}`);
}
