/** One test case over all routes, which names each route that fails. */
import { expect } from "vitest";

/** Timeout of a case over all routes, also on a busy machine. */
export const ALL_ROUTES_TIMEOUT_MS = 1_800_000;

/**
 * Runs a check on each route, one after the other. Fails with the ids of all routes whose check
 * threw, each with its message.
 */
export async function expectOfEachRoute<Route extends { readonly id: string }>(
	routes: readonly Route[],
	check: (route: Route) => Promise<void>,
): Promise<void> {
	expect(routes).not.toEqual([]);
	const failures: string[] = [];
	for (const route of routes) {
		try {
			await check(route);
		} catch (error) {
			failures.push(`${route.id}: ${error instanceof Error ? error.message : String(error)}`);
		}
	}
	expect(failures.join("\n\n")).toBe("");
}
