/** Four checks, each in another state after a week. */
import { checkRoutes } from "@weft/contracts";
import type { WeftClient } from "@weft/sdk";
import { BRIDGE_DOMAINS, CRITICAL_FAULTS, getQuery, type Known } from "./queries.ts";

export async function makeChecks(admin: WeftClient, known: Known): Promise<void> {
	const bridgeDomains = getQuery(known, BRIDGE_DOMAINS);
	const shared = { is_public: true };
	const checks = [
		{
			name: "There are bridge domains",
			description: "A fabric without bridge domains is not the one that was meant.",
			saved_query: bridgeDomains,
			type: "row_count" as const,
			config: { operator: "ge", value: 1 },
			severity: "info" as const,
		},
		{
			name: "Every bridge domain routes",
			description: "A bridge domain without unicast routing has no gateway in the fabric.",
			saved_query: bridgeDomains,
			type: "each_row" as const,
			config: {
				conditions: [
					{ field: "class", operator: "ne", value: "fvBD" },
					{ field: "unicastRoute", operator: "eq", value: "yes" },
				],
				match: "any",
			},
			severity: "critical" as const,
		},
		{
			name: "No critical fault stays",
			description: "Fails when three runs in a row found critical faults.",
			saved_query: getQuery(known, CRITICAL_FAULTS),
			type: "no_rows" as const,
			config: {},
			for_runs: 3,
		},
		{
			name: "As approved in the audit",
			description: "Compares with the newest snapshot that has the label audit. No snapshot has it yet.",
			saved_query: bridgeDomains,
			type: "unchanged" as const,
			config: { baseline: { kind: "label", label: "audit" } },
		},
	];
	for (const body of checks) await admin.call(checkRoutes.create, { body: { ...body, ...shared } });
}
