/** Classes with names near one that the model does not have. */
import { mimRoutes } from "@weft/contracts/browser";
import { type WeftClient, WeftError } from "@weft/sdk";
import { buildInputError } from "../../errors.ts";
import { formatSuggestion } from "../../resolve.ts";

/** Call it after a search without results. @throws CliError if no class model is loaded */
export async function requireModel(client: WeftClient): Promise<void> {
	const { version } = await client.call(mimRoutes.stats);
	if (version === null) throw buildInputError("No class model is loaded. Import one on the page Model versions.");
}

/** Adds the nearest classes to the refusal of an unknown one. */
export async function withNearClasses<T>(
	client: WeftClient,
	names: readonly string[],
	read: () => Promise<T>,
): Promise<T> {
	try {
		return await read();
	} catch (error) {
		if (!(error instanceof WeftError) || error.status !== 404) throw error;
		const near = await Promise.all(
			names.map(async (name) => {
				const query = { q: name.slice(0, 200), type: "class" as const, limit: "3" };
				const { results } = await client.call(mimRoutes.search, { query });
				return results.some((hit) => hit.name === name) ? [] : results.map((hit) => hit.name);
			}),
		);
		const found = [...new Set(near.flat())];
		const detail = (error.body as { detail?: unknown } | null)?.detail;
		throw buildInputError(
			`${typeof detail === "string" ? detail : "There is no such class."}${formatSuggestion(found)}`,
		);
	}
}
