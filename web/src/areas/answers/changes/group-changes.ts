/** Groups the entries of the feed, by object or by person. */
import type { FeedEntry } from "@weft/contracts";

export interface ChangeGroup {
	readonly key: string;
	/** A dn, or the name of a person; null: nobody is known. */
	readonly title: string | null;
	/** The fabric of an object; null for persons. */
	readonly fabric: string | null;
	readonly changes: readonly FeedEntry[];
}

/** Groups by their latest changes. A change by several persons is in the group of each. */
export function groupChanges(changes: readonly FeedEntry[], by: "object" | "person"): ChangeGroup[] {
	const groups = new Map<string, { title: string | null; fabric: string | null; changes: FeedEntry[] }>();
	function addChange(key: string, title: string | null, fabric: string | null, change: FeedEntry): void {
		const group = groups.get(key) ?? { title, fabric, changes: [] };
		group.changes.push(change);
		groups.set(key, group);
	}
	for (const change of changes) {
		if (by === "object") {
			addChange(`${change.connection.id} ${change.dn}`, change.dn, change.connection.name, change);
			continue;
		}
		const persons = listPersons(change);
		for (const person of persons) addChange(`by ${person}`, person, null, change);
		if (persons.length === 0) addChange("", null, null, change);
	}
	return [...groups].map(([key, group]) => ({ key, ...group }));
}

/** The persons who made a change, the latest first. */
export const listPersons = ({ changed_by }: Pick<FeedEntry, "changed_by">): string[] => [
	...new Set(changed_by.map(({ user }) => user).filter((user) => user !== "")),
];

/** `mtu 1500 → 9000, descr - → x`; the number of attributes of an added or deleted object. */
export function formatAttributes({ change, attributes }: Pick<FeedEntry, "change" | "attributes">): string {
	if (change !== "modified") return "";
	return attributes.map(({ name, before, after }) => `${name} ${before ?? "-"} → ${after ?? "-"}`).join(", ");
}
