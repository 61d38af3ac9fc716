/**
 * Clean-ups at the end of a test, also of one that failed: the test can run again, and other files
 * find the world as it was.
 */
import type { RoutePath, savedQueryRoutes } from "@weft/contracts";
import { type WeftClient, WeftError } from "@weft/sdk";
import { onTestFinished } from "vitest";

/** Waits for a deletion. The test may have deleted the object itself. */
export async function ignoreMissing(deletion: Promise<unknown>): Promise<void> {
	await deletion.catch((error: unknown) => {
		if (!(error instanceof WeftError && error.status === 404)) throw error;
	});
}

/** Deletes the objects of a resource that have one of these names, when the test ends. */
export function deleteAfterTest(
	client: WeftClient,
	routes: { readonly list: RoutePath; readonly remove: RoutePath },
	...names: readonly string[]
): void {
	const { list, remove } = routes as typeof savedQueryRoutes;
	onTestFinished(async () => {
		const { results } = await client.call(list, { query: { page_size: "200" } });
		for (const { id, name } of results) {
			if (names.includes(name)) await ignoreMissing(client.call(remove, { params: { id } }));
		}
	});
}
