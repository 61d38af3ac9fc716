/** Reading JSON that a caller sent: the value understood, or every error under its dotted path. */
import { FLOW_LIMITS } from "@weft/contracts";
import type * as z from "zod";

/** Messages by dotted path (`flow_data.nodes.2.data.className`): the body of a 400. */
export type FieldErrors = Record<string, string[]>;
export type Checked<T> = { ok: true; value: T } | { ok: false; errors: FieldErrors };

/** Findings of {@link guardJson} after which it stops. */
const MAX_FINDINGS = 20;
/** Errors of one value after which the others are left out. */
const MAX_ISSUES = 100;

export function addError(errors: FieldErrors, path: string, message: string): void {
	const messages = errors[path] ?? [];
	if (!messages.includes(message)) errors[path] = [...messages, message];
}

export const hasErrors = (errors: FieldErrors): boolean => Object.keys(errors).length > 0;

/** `value` unless it is undefined or there are errors. */
export const buildChecked = <T>(value: T | undefined, errors: FieldErrors): Checked<T> =>
	value === undefined || hasErrors(errors) ? { ok: false, errors } : { ok: true, value };

/**
 * The value of a schema; undefined, with errors, for one that the schema refuses or a store cannot
 * hold.
 */
export function parseJson<T>(schema: z.ZodType<T>, value: unknown, prefix: string, errors: FieldErrors): T | undefined {
	guardJson(value, prefix, errors);
	return hasErrors(errors) ? undefined : parseGuarded(schema, value, prefix, errors);
}

/** The same for a value that {@link guardJson} has found nothing in. */
export function parseGuarded<T>(
	schema: z.ZodType<T>,
	value: unknown,
	prefix: string,
	errors: FieldErrors,
): T | undefined {
	const parsed = schema.safeParse(value);
	for (const { path, message } of parsed.error?.issues.slice(0, MAX_ISSUES) ?? []) {
		addError(errors, [prefix, ...path.map(String)].join("."), message);
	}
	return parsed.data;
}

/**
 * Finds what a store or a URL cannot hold: NUL characters, half surrogate pairs, numbers such as
 * 1e400, deep nesting, more values than a canvas may have. Does not recurse, so that deep values
 * cannot exhaust the stack.
 */
export function guardJson(value: unknown, path: string, errors: FieldErrors): void {
	const stack: Place[] = [{ value, key: path, parent: null, depth: 0 }];
	let found = 0;
	let seen = 0;
	const report = (place: Place, problem: string): void => {
		addError(errors, getPath(place), problem);
		found += 1;
	};
	for (let top = stack.pop(); top && found < MAX_FINDINGS; top = stack.pop()) {
		const problem = findProblem(top.value, top.depth);
		if (problem) report(top, problem);
		else if (typeof top.value === "object" && top.value !== null) {
			seen += Array.isArray(top.value) ? top.value.length : Object.keys(top.value).length;
			if (seen > FLOW_LIMITS.values) {
				addError(errors, path, `Must have at most ${FLOW_LIMITS.values.toLocaleString("en")} values.`);
				return;
			}
			for (const key of Object.keys(top.value)) {
				const inKey = Array.isArray(top.value) ? undefined : findTextProblem(key);
				if (inKey) report(top, `A field name ${inKey}`);
				const child = (top.value as Record<string, unknown>)[key];
				// Most values are fine, and only containers have more to look at.
				const isContainer = typeof child === "object" && child !== null;
				if (!inKey && (isContainer || findProblem(child, top.depth + 1))) {
					stack.push({ value: child, key, parent: top, depth: top.depth + 1 });
				}
			}
		}
	}
}

/** A value with the way to it, which is written out for an error only. */
interface Place {
	readonly value: unknown;
	readonly key: string;
	readonly parent: Place | null;
	readonly depth: number;
}

function getPath(place: Place): string {
	const keys: string[] = [];
	for (let at: Place | null = place; at !== null; at = at.parent) keys.push(at.key);
	return keys.reverse().join(".");
}

function findProblem(value: unknown, depth: number): string | undefined {
	if (depth > FLOW_LIMITS.depth) return `Must not be nested deeper than ${FLOW_LIMITS.depth} levels.`;
	if (typeof value === "number" && !Number.isFinite(value)) return "This number is too large.";
	const problem = typeof value === "string" ? findTextProblem(value) : undefined;
	return problem && `The text ${problem}`;
}

function findTextProblem(text: string): string | undefined {
	if (text.includes("\u0000")) return "must not contain NUL characters.";
	if (/\p{Surrogate}/u.test(text)) return "is not valid Unicode.";
	return undefined;
}
