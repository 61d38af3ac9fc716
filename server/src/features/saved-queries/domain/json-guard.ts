import { FLOW_LIMITS } from "@weft/contracts";
import { addError, type FieldErrors } from "./field-errors.ts";

/**
 * What a store or a URL cannot carry, wherever it hides in a JSON value: NUL characters, half surrogate pairs, nesting
 * without end. Walks without recursion, so that depth itself is harmless, and stops after twenty findings.
 */
export function guardJson(value: unknown, path: string, errors: FieldErrors): void {
	const stack: { value: unknown; path: string; depth: number }[] = [{ value, path, depth: 0 }];
	let found = 0;
	for (let top = stack.pop(); top && found < 20; top = stack.pop()) {
		const problem = problemOf(top.value, top.depth);
		if (problem) {
			addError(errors, top.path, problem);
			found += 1;
			continue;
		}
		if (typeof top.value !== "object" || top.value === null) continue;
		for (const [key, child] of Object.entries(top.value)) {
			if (textProblem(key)) addError(errors, top.path, `A field name ${textProblem(key)}`);
			else stack.push({ value: child, path: `${top.path}.${key}`, depth: top.depth + 1 });
		}
	}
}

function problemOf(value: unknown, depth: number): string | undefined {
	if (depth > FLOW_LIMITS.depth) return `Must not be nested deeper than ${FLOW_LIMITS.depth} levels.`;
	if (typeof value !== "string") return undefined;
	const problem = textProblem(value);
	return problem === undefined ? undefined : `The text ${problem}`;
}

function textProblem(text: string): string | undefined {
	if (text.includes("\u0000")) return "must not contain NUL characters.";
	if (/\p{Surrogate}/u.test(text)) return "is not valid Unicode.";
	return undefined;
}
