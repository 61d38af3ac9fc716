/** Checks of the seeded query: one that fails at its first run, and two that are met. */
import { checkRoutes } from "@weft/contracts";
import type { WeftClient } from "@weft/sdk";

export const FAILING_CHECK = "Bridge domains route";

/** Answers the id of the one that fails. */
export async function seedChecks(client: WeftClient, saved_query: string): Promise<string> {
	const conditions = [
		{ field: "class", operator: "ne", value: "fvBD" },
		{ field: "unicastRoute", operator: "eq", value: "yes" },
	];
	const { id } = await client.call(checkRoutes.create, {
		body: {
			name: FAILING_CHECK,
			saved_query,
			type: "each_row",
			config: { conditions, match: "any" },
			severity: "critical",
			description: "A bridge domain without unicast routing has no gateway in the fabric.",
		},
	});
	await client.call(checkRoutes.create, {
		body: { name: "No DN occurs twice", saved_query, type: "unique", config: { fields: ["dn"] } },
	});
	await client.call(checkRoutes.create, {
		body: {
			name: "There are bridge domains",
			saved_query,
			type: "row_count",
			config: { operator: "ge", value: 1 },
			severity: "info",
		},
	});
	return id;
}
