/**
 * Inputs of double and fourfold size: the counted work of every route grows in proportion, and
 * answers stay bounded.
 */
import { allRoutes } from "@weft/contracts";
import { describe, it } from "vitest";
import { ALL_ROUTES_TIMEOUT_MS, expectOfEachRoute } from "../support/each-route.ts";
import { useGrowth } from "../support/growth.ts";
import { NEEDS_MORE, VALID_CALLS } from "../support/valid-calls.ts";

const growth = useGrowth();

/** The body with every text, list and object of it grown. */
function growBody(value: unknown, kind: "texts" | "lists" | "keys", n: number): unknown {
	if (typeof value === "string")
		return kind === "texts" ? value.repeat(Math.ceil(n / Math.max(1, value.length))) : value;
	if (Array.isArray(value)) {
		const grown = value.map((item) => growBody(item, kind, n));
		return kind === "lists" && value.length > 0 ? Array.from({ length: n }, (_, i) => grown[i % grown.length]) : grown;
	}
	if (typeof value !== "object" || value === null) return value;
	const extra = kind === "keys" ? Array.from({ length: n }, (_, i) => [`key${i}`, i]) : [];
	return Object.fromEntries([
		...Object.entries(value).map(([key, field]) => [key, growBody(field, kind, n)]),
		...extra,
	]);
}

describe("every route with a body", () => {
	const writable = allRoutes.filter(({ id, body }) => body && NEEDS_MORE[id] === undefined);

	it.each(["texts", "lists", "keys"] as const)(
		"grows in proportion to its %s",
		(kind) =>
			expectOfEachRoute(writable, async (route) => {
				const { t, world } = growth;
				const call = await VALID_CALLS[route.id]?.(world);
				if (call === undefined) throw new Error("has no valid call");
				const api = { admin: t.admin.api, user: world.user.api, nobody: t.anonymous }[call.as];
				await growth.expectProportion(400, (n) =>
					api.send(route.method, call.path, JSON.stringify(growBody(call.body, kind, n)), {
						"content-type": "application/json",
					}),
				);
			}),
		ALL_ROUTES_TIMEOUT_MS,
	);
});
