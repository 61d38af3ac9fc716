/** A comparison as a person wants to read it in a terminal. */
import type { CompareAnswer } from "@weft/contracts";

const SHOWN = 6;

type Entry = CompareAnswer["diff"]["added"][number];

export function describeChanges({ diff, identical }: CompareAnswer): string[] {
	if (identical) return ["Nothing changed."];
	const { added, deleted, modified } = diff;
	return [
		`${added.length} added, ${deleted.length} deleted, ${modified.length} modified`,
		...limitLines(added, (entry) => [`+ ${entry.dn}${getAuthor(entry)}`]),
		...limitLines(deleted, (entry) => [`- ${entry.dn}${getAuthor(entry)}`]),
		...limitLines(modified, (entry) => [
			`~ ${entry.dn}${getAuthor(entry)}`,
			...entry.attribute_changes.map(
				({ key, old, new: now }) => `    ${key.padEnd(20)} ${formatValue(old)} → ${formatValue(now)}`,
			),
		]),
	];
}

/** Of the newest record of the controller's audit log. */
function getAuthor({ changed_by }: Pick<Entry, "changed_by">): string {
	const [newest] = changed_by ?? [];
	return newest === undefined ? "" : `  (by ${newest.user})`;
}

function limitLines<Item>(items: readonly Item[], lines: (item: Item) => string[]): string[] {
	const rest = items.length - SHOWN;
	return [...items.slice(0, SHOWN).flatMap(lines), ...(rest > 0 ? [`  … and ${rest} more`] : [])];
}

export function formatValue(value: unknown): string {
	if (value === null || value === undefined) return "(absent)";
	if (value === "") return '""';
	return typeof value === "string" ? value : JSON.stringify(value);
}
