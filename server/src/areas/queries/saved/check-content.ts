/**
 * The content of a query as its versions store it, and how saving new content moves the version.
 */
import {
	type Content,
	canonicalHash,
	type RawContent,
	readContent,
	readFlow,
	readPostProcessors,
} from "../flow/index.ts";
import { bumpVersion, compareContent, type Version, type VersionChange } from "./rules/versioning.ts";

/** Content that was checked, with its hash. @throws 400 with every error under its dotted path */
export function checkContent(raw: RawContent): Content & { hash: string } {
	const content = readContent(raw);
	return { ...content, hash: canonicalHash(content.flow, content.postProcessors) };
}

/** Columns of a version. */
export function buildContentColumns(raw: RawContent, hash: string) {
	return {
		flow_data: JSON.stringify(raw.flow_data),
		post_processors: JSON.stringify(raw.post_processors),
		variables: JSON.stringify(raw.variables),
		hash,
	};
}

/** How the version moves. Stored content that is no longer valid counts as another query. */
export function computeNextVersion(
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
	return { ...change, version: bumpVersion(current, change.level) };
}
