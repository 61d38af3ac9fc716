/** Maintenance and open change windows that hold the alerts of connections. */
import type { HoldKind, HoldRef } from "@weft/contracts";
import type { Db } from "../../core/ports/store.ts";
import { findOccurrenceAt } from "./rules/occurrences.ts";
import { listMaintenanceAt } from "./sql/entries.ts";
import { listWindowHolds } from "./sql/window-holds.ts";

/** A maintenance that is on, or a change window that is open. */
export interface Hold {
	readonly kind: HoldKind;
	/** Id of the calendar entry, or of the change window. */
	readonly id: string;
	readonly title: string;
	readonly endsAt: Date;
	readonly isForAll: boolean;
	readonly connectionIds: ReadonlySet<string>;
}

export async function listHolds(db: Db, at: Date): Promise<Hold[]> {
	const windows = (await listWindowHolds(db)).map(({ id, title, ends_at, connection_ids }): Hold => {
		const connectionIds = new Set(connection_ids);
		return { kind: "change_window", id, title, endsAt: ends_at, isForAll: false, connectionIds };
	});
	const maintenance = (await listMaintenanceAt(db, at)).flatMap((entry): Hold[] => {
		const occurrence = findOccurrenceAt(entry, at.getTime());
		if (occurrence === null) return [];
		const { id, title, is_for_all: isForAll, covered_ids } = entry;
		const endsAt = new Date(occurrence.end);
		return [{ kind: "maintenance", id, title, endsAt, isForAll, connectionIds: new Set(covered_ids) }];
	});
	return [...windows, ...maintenance];
}

/** Returns the hold of one of the connections, of several the last to end; null if none is. */
export function findHold(holds: readonly Hold[], connectionIds: readonly string[]): Hold | null {
	let found: Hold | null = null;
	for (const hold of holds) {
		if (!hold.isForAll && !connectionIds.some((id) => hold.connectionIds.has(id))) continue;
		if (found === null || hold.endsAt > found.endsAt) found = hold;
	}
	return found;
}

/** The hold of connections as the wire shows it. */
export function presentHold(holds: readonly Hold[], connectionIds: readonly string[]): HoldRef | null {
	const hold = findHold(holds, connectionIds);
	return hold && { kind: hold.kind, id: hold.id, title: hold.title, ends_at: hold.endsAt.toISOString() };
}
