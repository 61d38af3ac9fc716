/** Drift in the words of an alert. */
import type { RunDrift } from "../../history/index.ts";

/** Attribute names of one example. */
const ATTRIBUTES = 5;
const EXAMPLES = 3;

/** Counts, then up to three examples, one a line. */
export function formatDrift({ drift, examples }: Pick<RunDrift, "drift" | "examples">): string {
	const counts = (["added", "deleted", "modified"] as const)
		.filter((kind) => drift[kind] > 0)
		.map((kind) => `${drift[kind].toLocaleString("en")} ${kind}`);
	const lines = examples.slice(0, EXAMPLES).map(({ change, class_name, dn, attributes }) => {
		const names = attributes.slice(0, ATTRIBUTES).join(", ");
		const more = attributes.length - ATTRIBUTES;
		const changed = names === "" ? "" : ` (${names}${more > 0 ? ` and ${more} more` : ""})`;
		return `${change}: ${class_name === null ? "" : `${class_name} `}${dn}${changed}`;
	});
	return [`differences from the run before: ${counts.join(", ")}.`, ...lines].join("\n");
}
