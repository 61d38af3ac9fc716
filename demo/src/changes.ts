/** A comparison as a person wants to read it in a terminal. */
import type { CompareAnswer } from "@weft/contracts";

const SHOWN = 8;

export function describeChanges({ diff, identical }: CompareAnswer): string[] {
	if (identical) return ["     Nothing changed."];
	const { added, deleted, modified } = diff;
	return [
		`     ${added.length} added, ${deleted.length} deleted, ${modified.length} modified`,
		"",
		...some(added, ({ dn }) => [`     + ${dn}`]),
		...some(deleted, ({ dn }) => [`     - ${dn}`]),
		...some(modified, ({ dn, attribute_changes }) => [
			`     ~ ${dn}`,
			...attribute_changes.map(({ key, old, new: now }) => `         ${key.padEnd(20)} ${shown(old)} → ${shown(now)}`),
		]),
	];
}

function some<Item>(items: readonly Item[], lines: (item: Item) => string[]): string[] {
	const rest = items.length - SHOWN;
	return [...items.slice(0, SHOWN).flatMap(lines), ...(rest > 0 ? [`       … and ${rest} more`] : [])];
}

function shown(value: unknown): string {
	if (value === null || value === undefined) return "(absent)";
	if (value === "") return '""';
	return typeof value === "string" ? value : JSON.stringify(value);
}
