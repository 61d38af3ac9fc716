/** Reads a comparison in the order of time, whichever way round its address names the snapshots. */
import type { CompareAnswer } from "@weft/contracts";
import { timeMachineRoutes } from "@weft/contracts/browser";
import { callRoute } from "../../platform/call.ts";
import { isSameController, orderByTime } from "./pair.ts";

/** A comparison as the address of its page has it. */
export interface ComparisonSearch {
	readonly from?: string | undefined;
	readonly to?: string | undefined;
	readonly rules?: string | undefined;
	readonly attribution?: string | undefined;
	readonly match?: string | undefined;
	/** "1": between two fabrics, ids that name an object inside one of them are compared, too. */
	readonly identity?: string | undefined;
	/** "1": from the later snapshot to the earlier one. */
	readonly reverse?: string | undefined;
}

/**
 * The service compares in the order that it is given, and with ids; that it should be otherwise is
 * seen in its first answer.
 */
export async function readComparison(
	{ from = "", to = "", rules, attribution, match, identity, reverse }: ComparisonSearch,
	signal: AbortSignal,
): Promise<CompareAnswer> {
	const query = {
		...(rules === "query" ? { rules: "query" as const } : {}),
		...(attribution === "1" ? { attribution: "1" as const } : {}),
	};
	const compare = async (fromId: string, toId: string, withoutIds: boolean) => {
		const body = { snapshot_from_id: fromId, snapshot_to_id: toId, ...buildCompareOptions({ match }, withoutIds) };
		return (await callRoute(timeMachineRoutes.compare, { body, query }, signal)) as CompareAnswer;
	};
	const answer = await compare(from, to, false);
	const isReversed = orderByTime(answer.snapshot_from, answer.snapshot_to)[0] !== answer.snapshot_from;
	const turns = from !== to && isReversed !== (reverse === "1");
	const leavesIdsOut = shouldLeaveIdsOut(answer, identity) && !answer.ignored.identity;
	if (!turns && !leavesIdsOut) return answer;
	return turns ? compare(to, from, leavesIdsOut) : compare(from, to, leavesIdsOut);
}

/** Whether ids inside one fabric are left out: between two, unless the address asks for them. */
const shouldLeaveIdsOut = (answer: CompareAnswer, identity: string | undefined): boolean =>
	identity !== "1" && !isSameController(answer.snapshot_from, answer.snapshot_to);

/** The options of a comparison's body. */
export const buildCompareOptions = (
	{ match }: { readonly match?: string | undefined },
	withoutIds: boolean,
): { match?: "name"; ignore_identity?: true } => ({
	...(match === "name" ? { match } : {}),
	...(withoutIds ? { ignore_identity: true } : {}),
});
