/** Response times of the real controller: a base, a cost per object, and a surcharge for logs. */
import type { Random } from "../random.ts";

export interface Cost {
	readonly kind: "login" | "logout" | "query" | "write";
	readonly objects: number;
	readonly nested: number;
	/** Queries of the log facets take seconds even when nothing is found. */
	readonly logs: boolean;
	/** The refusal of an answer that is too big comes late. */
	readonly refused: boolean;
}

/** Milliseconds, with 15 % jitter either way. */
export function computeLatency(cost: Cost, random: Random): number {
	return Math.round(computeBaseLatency(cost) * (0.85 + random.next() * 0.3));
}

function computeBaseLatency(cost: Cost): number {
	if (cost.kind === "login") return 500;
	if (cost.kind === "logout") return 100;
	if (cost.refused) return 6900;
	return 250 + 0.2 * cost.objects + 0.5 * cost.nested + (cost.logs ? 3500 : 0);
}
