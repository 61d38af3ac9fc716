/** The strategy of a step, with the reason as a sentence for users. */
import { joinWords } from "../../../../core/text.ts";
import { getClassNoun, getSingularNoun } from "./class-nouns.ts";
import type { ChainNode, Strategy } from "./plan.ts";
import type { Target } from "./urls.ts";
import type { Choice, Condition } from "./value-requests.ts";

/** A sentence, or its beginning, which the number of requests of the step completes. */
export type Reason = { readonly sentence: string } | { readonly beginning: string };

export interface Verdict {
	readonly strategy: Strategy;
	readonly reason: Reason;
}

/**
 * @param hasGate whether another step comes before this one
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
		const sentence = `All of ${className} is read and matched in Weft: fewer requests than sending the values.`;
		return { strategy: "join", reason: { sentence } };
	}
	if (hasGate) {
		// The explanation of the plan names all steps instead of this sentence.
		const sentence = `Finds the ${getClassNoun(className)} below the objects that were found.`;
		return { strategy: "join", reason: { sentence } };
	}
	switch (target.kind) {
		case "node-class":
			return {
				strategy: "node-class",
				reason: { sentence: `The switch is known, so only it is queried for ${className}.` },
			};
		case "mo":
		case "scope":
			return {
				strategy: "mo",
				reason: { sentence: "Filters give every naming property, so the object is read by its DN." },
			};
		case "below":
			return { strategy: "mo", reason: { sentence: `The DN above is known, so ${className} is read below it.` } };
		default:
			return { strategy: "class", reason: explainClass(className, filters.length > 0, condition, parents) };
	}
}

function explainClass(
	className: string,
	isFiltered: boolean,
	condition: Condition | undefined,
	parents: readonly string[],
): Reason {
	if (condition?.iterate === true) return { sentence: "One request for each value, as the pipeline edge says." };
	if (condition) return { sentence: "Values are sent as filters that fit a URL." };
	if (parents.length > 0) {
		const nouns = joinWords(parents.map(getSingularNoun));
		const sentence =
			parents.length === 1
				? `The ${nouns} filter is applied by name, without an extra request.`
				: `The ${nouns} filters are applied by name, without extra requests.`;
		return { sentence };
	}
	const noun = getClassNoun(className);
	return { beginning: isFiltered ? `Asks for the ${noun} that match, in` : `Asks for all ${noun} in` };
}

/** Writes a reason as a sentence, for the number of requests of its step. */
export function formatReason(reason: Reason, requests: number): string {
	if ("sentence" in reason) return reason.sentence;
	return `${reason.beginning} ${requests === 1 ? "one request" : `${requests} requests`}.`;
}

/** Names the classes that a branch reads one after another, with their numbers of requests. */
export function explainSteps(steps: readonly { readonly className: string; readonly requests: number }[]): string {
	const nouns = steps.map(({ className }, index) => `${index === 0 ? "the" : "their"} ${getClassNoun(className)}`);
	return `First finds ${nouns.join(", then ")} (${steps.map(({ requests }) => requests).join(" + ")} requests).`;
}
