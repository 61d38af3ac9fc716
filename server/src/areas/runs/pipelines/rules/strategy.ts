/** The strategy of a step, with the reason as a sentence for users. */
import type { ChainNode, Strategy } from "./plan.ts";
import type { Pushed } from "./pushdown.ts";
import type { Target } from "./urls.ts";
import type { Choice, Condition } from "./value-requests.ts";

export interface Verdict {
	readonly strategy: Strategy;
	readonly reason: string;
}

/** `hasGate`: another step comes before this one. */
export function decideVerdict(
	hasGate: boolean,
	{ className }: ChainNode,
	target: Target,
	choice: Choice,
	[condition]: readonly Condition[],
	pushed: readonly Pushed[],
): Verdict {
	if (choice.whole) {
		const reason = `All of ${className} is read and matched in Weft: fewer requests than sending the values.`;
		return { strategy: "join", reason };
	}
	if (hasGate) {
		const reason = `The classes above ${className} are read first, because their filters are not in its DNs.`;
		return { strategy: "join", reason };
	}
	switch (target.kind) {
		case "node-class":
			return { strategy: "node-class", reason: `The switch is known, so only it is queried for ${className}.` };
		case "mo":
		case "scope":
			return { strategy: "mo", reason: "Filters give every naming property, so the object is read by its DN." };
		case "below":
			return { strategy: "mo", reason: `The DN above is known, so ${className} is read below it.` };
		default:
			return { strategy: "class", reason: explainClass(className, condition, pushed) };
	}
}

function explainClass(className: string, condition: Condition | undefined, pushed: readonly Pushed[]): string {
	if (condition?.iterate === true) return "One request for each value, as the pipeline edge says.";
	if (condition) return "Values are sent as filters that fit a URL.";
	if (pushed.length > 0) return `Filters on parent classes are applied to the DN of ${className}.`;
	return `One class query; filters do not give the DN of ${className}.`;
}
