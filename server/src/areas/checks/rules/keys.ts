/** Evaluators of rules, and the keys by which some of them group rows. */
import { createHash } from "node:crypto";
import type { CheckSampleRow } from "@weft/contracts";
import type { RowView } from "./row-view.ts";

export interface Evaluator {
	/** Takes each row of each pass. `source` is the index of the row's run. */
	take(row: RowView, source: number): void;
	/** Called after each pass. Returns whether the rule needs all rows again. */
	endPass(): boolean;
	result(): { readonly violations: number; readonly sample: readonly CheckSampleRow[] };
}

/** A rule that cannot be evaluated over these rows. The message is for the check's owner. */
class EvaluationError extends Error {
	override readonly name = "EvaluationError";
}

/** Ends an evaluation that is impossible over these rows. */
export function refuseEvaluation(message: string): never {
	throw new EvaluationError(message);
}

/** Distinct keys of a rule, each of which costs about 100 bytes. */
const KEYS_MAX = 500_000;
/** Characters above which a digest stands for a key. */
const KEY_CHARACTERS = 40;

export function assertKeys(count: number): void {
	if (count <= KEYS_MAX) return;
	throw new EvaluationError(
		`The rows have more than ${KEYS_MAX.toLocaleString("en")} keys, which is the limit. Narrow the query with a filter.`,
	);
}

const JSON_MARK = "\u0000";

/** A text that is equal for equal values of the fields. */
export function getKey(values: readonly (readonly string[])[]): string {
	const first = values[0];
	const only = first?.[0];
	// Text of JSON begins with a bracket behind the mark, so that the two forms never collide.
	const isPlain = values.length === 1 && first?.length === 1 && only !== undefined && !only.startsWith(JSON_MARK);
	const key = isPlain ? only : JSON_MARK + JSON.stringify(values);
	return key.length <= KEY_CHARACTERS ? key : createHash("sha256").update(key).digest("base64").slice(0, 24);
}

/** Nothing as null, one value as text, several as a list. */
export const listShownTexts = (texts: readonly string[]): string | readonly string[] | null =>
	texts.length > 1 ? texts : (texts[0] ?? null);
