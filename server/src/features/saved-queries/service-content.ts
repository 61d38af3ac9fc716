/** What a query asks: reading it as a caller sent it, and how its version moves from what was saved before. */
import type { Flow, PostProcessor, Variable } from "@weft/contracts";
import { invalid } from "../../platform/errors.ts";
import { canonicalHash } from "./domain/canonical-hash.ts";
import { type Checked, type FieldErrors, hasErrors } from "./domain/field-errors.ts";
import { readFlow, readPostProcessors } from "./domain/flow-validation.ts";
import { placeholderProblems, readVariables } from "./domain/variables.ts";
import { bump, compareContent, type Version, type VersionChange } from "./domain/versioning.ts";

/** As sent and as stored: nothing in it is touched. */
export interface RawContent {
	readonly flow_data: unknown;
	readonly post_processors: unknown;
	readonly variables: unknown;
}

/** The same, understood. */
export interface Content {
	readonly flow: Flow;
	readonly postProcessors: PostProcessor[];
	readonly variables: Variable[];
	readonly hash: string;
}

/** Understands content, or throws a 400 with everything that is wrong with it. */
export function readContent(raw: RawContent): Content {
	const errors: FieldErrors = {};
	const flow = collect(readFlow(raw.flow_data), errors);
	const postProcessors = collect(readPostProcessors(raw.post_processors), errors);
	const variables = collect(readVariables(raw.variables), errors);
	for (const [field, value] of Object.entries(raw)) {
		const path = infinite(value, field);
		if (path !== null) errors[path] = ["This number is too large."];
	}
	if (flow && variables) Object.assign(errors, placeholderProblems(flow, variables));
	if (hasErrors(errors) || !flow || !postProcessors || !variables) throw invalid(errors);
	return { flow, postProcessors, variables, hash: canonicalHash(flow, postProcessors) };
}

/** Columns of a version. */
export function stored(raw: RawContent, hash: string) {
	return {
		flow_data: JSON.stringify(raw.flow_data),
		post_processors: JSON.stringify(raw.post_processors),
		variables: JSON.stringify(raw.variables),
		hash,
	};
}

/**
 * How the version moves.
 * @param before as stored; content that the rules of today no longer understand counts as another query
 */
export function nextVersion(
	current: Version,
	before: RawContent,
	after: Content,
): VersionChange & { version: Version } {
	const flow = readFlow(before.flow_data);
	const postProcessors = readPostProcessors(before.post_processors);
	const change: VersionChange =
		flow.ok && postProcessors.ok
			? compareContent({ flow: flow.value, postProcessors: postProcessors.value }, after)
			: { level: "major", changes: ["Replaced the canvas"] };
	return { ...change, version: bump(current, change.level) };
}

function collect<T>(checked: Checked<T>, errors: FieldErrors): T | undefined {
	if (checked.ok) return checked.value;
	Object.assign(errors, checked.errors);
	return undefined;
}

/** Path of a number that JSON can write and nobody can hold (`1e400`); it would come back as null. */
function infinite(value: unknown, path: string): string | null {
	if (typeof value === "number") return Number.isFinite(value) ? null : path;
	if (typeof value !== "object" || value === null) return null;
	for (const [key, inner] of Object.entries(value)) {
		const found = infinite(inner, `${path}.${key}`);
		if (found !== null) return found;
	}
	return null;
}
