/** Why a step asks as it does, in a sentence for people. */
import type { Choice, Condition } from "./conditions.ts";
import type { ChainNode, Strategy } from "./plan.ts";
import type { Pushed } from "./pushdown.ts";
import type { Target } from "./urls.ts";

/** `above`: there is a step before this one. */
export function verdict(
	above: boolean,
	node: ChainNode,
	target: Target,
	choice: Choice,
	conditions: readonly Condition[],
	pushed: readonly Pushed[],
): { strategy: Strategy; reason: string } {
	const { className } = node;
	if (choice.whole) {
		return {
			strategy: "join",
			reason: `All of ${className} is read and matched here: fewer requests than sending the values.`,
		};
	}
	if (above) {
		return {
			strategy: "join",
			reason: `The classes above ${className} are read first, because their filters are not in its DNs.`,
		};
	}
	if (target.kind === "node-class")
		return { strategy: "node-class", reason: `The switch is known: only it is asked for ${className}.` };
	if (target.kind === "mo" || target.kind === "scope") {
		return { strategy: "mo", reason: "Filters settle every naming property: the object is read by its DN." };
	}
	if (target.kind === "below") {
		return { strategy: "mo", reason: `The DN above is settled: ${className} is read below it.` };
	}
	const [condition] = conditions;
	if (condition?.iterate === true)
		return { strategy: "class", reason: "One request for each value, as the edge asks." };
	if (condition) return { strategy: "class", reason: "Values are sent as filters that fit a URL." };
	if (pushed.length > 0)
		return { strategy: "class", reason: `Conditions on the classes above are asked of the DNs of ${className}.` };
	return { strategy: "class", reason: `One class query; filters do not settle the DN of ${className}.` };
}
