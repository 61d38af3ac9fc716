/** Reads a comparison in the order of time, whichever way round its address names the snapshots. */
import type { CompareAnswer } from "@weft/contracts";
import { timeMachineRoutes } from "@weft/contracts/browser";
import { callRoute } from "../../platform/call.ts";
import { orderByTime } from "./pair.ts";

/** A comparison as the address of its page has it. */
export interface ComparisonSearch {
	readonly from?: string | undefined;
	readonly to?: string | undefined;
	readonly rules?: string | undefined;
	readonly attribution?: string | undefined;
	readonly match?: string | undefined;
	/** "1": from the later snapshot to the earlier one. */
	readonly reverse?: string | undefined;
}

/** The service compares in the order that it is given; a wrong one is seen in its answer. */
export async function readComparison(
	{ from = "", to = "", rules, attribution, match, reverse }: ComparisonSearch,
	signal: AbortSignal,
): Promise<CompareAnswer> {
	const query = {
		...(rules === "query" ? { rules: "query" as const } : {}),
		...(attribution === "1" ? { attribution: "1" as const } : {}),
	};
	const compare = async (fromId: string, toId: string) => {
		const body = { snapshot_from_id: fromId, snapshot_to_id: toId, ...matchBody(match) };
		return (await callRoute(timeMachineRoutes.compare, { body, query }, signal)) as CompareAnswer;
	};
	const answer = await compare(from, to);
	const isReversed = orderByTime(answer.snapshot_from, answer.snapshot_to)[0] !== answer.snapshot_from;
	return from === to || isReversed === (reverse === "1") ? answer : compare(to, from);
}

export const matchBody = (match: string | undefined): { match?: "name" } => (match === "name" ? { match } : {});
