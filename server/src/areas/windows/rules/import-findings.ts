/** Turns findings of an earlier window into expectations for another fabric, by name. */
import { type ExpectationInput, expectationInput, type NotUnderstood, type WindowFinding } from "@weft/contracts";
import { compileNumberBeginnings, createNameMatch, type NameMatch } from "../../history/rules/name-match.ts";
import type { Imported } from "./import-result.ts";

type Found = Pick<WindowFinding, "class" | "change" | "dn" | "class_name" | "attributes">;

const CLASSES: readonly WindowFinding["class"][] = ["expected", "undeclared", "minor"];

/**
 * Expects the differences of an earlier window again. Wildcards replace the numbers of nodes and
 * pods. Leaves out differences that the earlier plan did not judge, checks, and counts of groups.
 */
export function buildFindingExpectations(findings: readonly Found[], note: string): Imported {
	const expectations = new Map<string, ExpectationInput>();
	const notUnderstood: NotUnderstood[] = [];
	const match = createFabricMatch();
	for (const finding of findings) {
		if (!CLASSES.includes(finding.class) || finding.dn === null || finding.change === null) continue;
		const built = buildFindingExpectation(finding, note, match);
		if (built === null) notUnderstood.push({ what: finding.dn, reason: "Its dn has a *, which would stand for any." });
		else {
			const key = JSON.stringify([built.dn, built.change, built.class_name]);
			const earlier = expectations.get(key);
			expectations.set(key, earlier === undefined ? built : joinAttributes(earlier, built));
		}
	}
	return { expectations: [...expectations.values()], notUnderstood };
}

const createFabricMatch = (): NameMatch => createNameMatch(compileNumberBeginnings(null));

/** Returns null for a finding that no pattern describes. */
function buildFindingExpectation(finding: Found, note: string, match: NameMatch): ExpectationInput | null {
	const { dn, change, class_name, attributes } = finding;
	if (dn === null || dn.includes("*")) return null;
	/** False for values that name a node of the earlier fabric, and for those that were cut. */
	const isKnown = (name: string, value: string | null): boolean =>
		value === null || (match.withoutNumbers(name, value) === value && !value.endsWith("…"));
	const built = expectationInput.safeParse({
		change: change ?? "any",
		class_name,
		dn: match.getKey(dn),
		attributes:
			change !== "modified" || attributes.length === 0
				? null
				: Object.fromEntries(attributes.map(({ name, after }) => [name, isKnown(name, after) ? { to: after } : {}])),
		note,
		source: "comparison",
	});
	return built.success ? built.data : null;
}

/** Joins expectations of one dn. Attributes that differ between them may have any value. */
function joinAttributes(one: ExpectationInput, other: ExpectationInput): ExpectationInput {
	const [first, second] = [one.attributes, other.attributes];
	if (first === null || second === null) return { ...one, attributes: null };
	const names = [...new Set([...Object.keys(first), ...Object.keys(second)])];
	const joined: NonNullable<ExpectationInput["attributes"]> = {};
	for (const name of names) {
		const [left, right] = [first[name], second[name]];
		joined[name] = left !== undefined && right !== undefined && left.to === right.to ? left : {};
	}
	return { ...one, attributes: joined };
}
