/** The strategy of a step, with the reason as a sentence for users. */
import { getClassNoun, getSingularNoun } from "./class-nouns.ts";
import type { ChainNode, Strategy } from "./plan.ts";
import type { Target } from "./urls.ts";
import type { Choice, Condition } from "./value-requests.ts";

const IN_ONE_REQUEST = "in one request";

export interface Verdict {
	readonly strategy: Strategy;
	readonly reason: string;
}

const LIST = new Intl.ListFormat("en", { type: "conjunction" });

/**
 * `hasGate`: another step comes before this one.
 * @param parents classes above whose filters are applied to the DNs of this class
 */
export function decideVerdict(
	hasGate: boolean,
	{ className, filters }: ChainNode,
	target: Target,
	choice: Choice,
	[condition]: readonly Condition[],
	parents: readonly string[],
): Verdict {
	if (choice.whole) {
		const reason = `All of ${className} is read and matched in Weft: fewer requests than sending the values.`;
		return { strategy: "join", reason };
	}
	if (hasGate) {
		// The explanation of the plan names all steps in place of this sentence.
		return { strategy: "join", reason: `Finds the ${getClassNoun(className)} below the objects that were found.` };
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
			return { strategy: "class", reason: explainClass(className, filters.length > 0, condition, parents) };
	}
}

function explainClass(
	className: string,
	isFiltered: boolean,
	condition: Condition | undefined,
	parents: readonly string[],
): string {
	if (condition?.iterate === true) return "One request for each value, as the pipeline edge says.";
	if (condition) return "Values are sent as filters that fit a URL.";
	if (parents.length > 0) {
		const nouns = LIST.format(parents.map(getSingularNoun));
		return parents.length === 1
			? `The ${nouns} filter is applied by name, without an extra request.`
			: `The ${nouns} filters are applied by name, without extra requests.`;
	}
	const noun = getClassNoun(className);
	return isFiltered ? `Asks for the ${noun} that match, ${IN_ONE_REQUEST}.` : `Asks for all ${noun} ${IN_ONE_REQUEST}.`;
}

/** Says how many requests a class query takes. */
export function explainRequests(reason: string, requests: number): string {
	return requests === 1 ? reason : reason.replace(IN_ONE_REQUEST, `in ${requests} requests`);
}

/** The steps of a branch that reads several classes one after another, with their requests. */
export function explainSteps(steps: readonly { readonly className: string; readonly requests: number }[]): string {
	const nouns = steps.map(({ className }, index) => `${index === 0 ? "the" : "their"} ${getClassNoun(className)}`);
	return `First finds ${nouns.join(", then ")} (${steps.map(({ requests }) => requests).join(" + ")} requests).`;
}
