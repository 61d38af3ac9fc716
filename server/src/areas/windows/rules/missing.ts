/** Finds expectations of a connection that did not happen, or happened too often. */
import type { Expectation } from "@weft/contracts";
import { isExpectedOn } from "./expectations.ts";
import { buildFinding } from "./findings.ts";
import type { JudgedItem, Judging, NewFinding } from "./types.ts";

/**
 * Counts the objects of each expectation over all items of a connection. An object of several items
 * counts once. Leaves out expectations that may have happened in an inconclusive item, or among
 * the differences of an item that were not judged.
 */
export function findMissingExpectations(
	connectionId: string,
	items: readonly JudgedItem[],
	judging: Judging,
): NewFinding[] {
	const fulfilled = new Map<string, Set<string>>();
	const wrong = new Map<string, Set<string>>();
	for (const { expectation, dn, isFulfilled } of items.flatMap(({ met }) => met)) {
		const found = isFulfilled ? fulfilled : wrong;
		const dns = found.get(expectation);
		if (dns === undefined) found.set(expectation, new Set([dn]));
		else dns.add(dn);
	}
	const inconclusive = new Set(
		items
			.filter((one) => one.kind === "query" && (one.inconclusive !== null || one.isCut === true))
			.map(({ item }) => item),
	);
	return judging.expectations.flatMap((expectation) => {
		if (!isExpectedOn(expectation, connectionId)) return [];
		const counted = fulfilled.get(expectation.id)?.size ?? 0;
		const { min = 1, max = null } = expectation.count ?? {};
		if (max !== null && counted > max)
			return [buildMissing(expectation, connectionId, `Happened ${formatTimes(counted)}, expected at most ${max}.`)];
		if (!expectation.required || counted + countOthers(wrong, fulfilled, expectation.id) >= min) return [];
		const mayHaveHappened = expectation.item === null ? inconclusive.size > 0 : inconclusive.has(expectation.item);
		if (mayHaveHappened) return [];
		const detail =
			counted === 0 && min === 1 ? "Did not happen." : `Happened ${formatTimes(counted)}, expected at least ${min}.`;
		return [buildMissing(expectation, connectionId, detail)];
	});
}

type DnsByExpectation = ReadonlyMap<string, ReadonlySet<string>>;

/** Counts objects with a wrong value, which are findings already. */
const countOthers = (wrong: DnsByExpectation, fulfilled: DnsByExpectation, id: string): number =>
	[...(wrong.get(id) ?? [])].filter((dn) => fulfilled.get(id)?.has(dn) !== true).length;

const formatTimes = (count: number): string => (count === 1 ? "once" : `${count} times`);

function buildMissing(expectation: Expectation, connectionId: string, detail: string): NewFinding {
	const { id, dn, item, severity, class_name, change, note, late } = expectation;
	const pattern = typeof dn === "string" ? "" : ` Objects: those whose dn matches ${dn.regex}.`;
	return buildFinding({
		class: "missing",
		severity,
		connection_id: connectionId,
		item,
		dn: typeof dn === "string" ? dn : null,
		class_name,
		change,
		detail: `${detail}${pattern}${note === "" ? "" : ` ${note}`}`,
		expectation: id,
		late,
	});
}
