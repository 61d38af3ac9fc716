/** The freeze that refuses a change of fabrics. */
import type { Db } from "../../core/ports/store.ts";
import { findOccurrenceAt } from "./rules/occurrences.ts";
import { listFreezesAt } from "./sql/entries.ts";

export interface Freeze {
	readonly id: string;
	readonly title: string;
	readonly endsAt: Date;
}

/**
 * Returns the freeze of one of the connections at a time, of several the one that ends last. Null
 * if there is none.
 * @param connectionIds null if the change may be of any connection: then each freeze counts
 */
export async function findFreeze(db: Db, connectionIds: readonly string[] | null, at: Date): Promise<Freeze | null> {
	let found: Freeze | null = null;
	for (const entry of await listFreezesAt(db, connectionIds, at)) {
		const occurrence = findOccurrenceAt(entry, at.getTime());
		if (occurrence === null || (found !== null && occurrence.end <= found.endsAt.getTime())) continue;
		found = { id: entry.id, title: entry.title, endsAt: new Date(occurrence.end) };
	}
	return found;
}
