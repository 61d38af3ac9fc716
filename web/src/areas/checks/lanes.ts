/** The states of a check over time, from its transitions. Pure. */
import type { CheckEvent, CheckState, CheckStateEntry } from "@weft/contracts";
import { buildEntryKey } from "./entries.ts";

interface Stretch {
	readonly state: CheckState;
	/** Milliseconds since the epoch. */
	readonly from: number;
	readonly to: number;
}

export interface Lane {
	/** Of the entry. */
	readonly key: string;
	/** Null: all connections together. */
	readonly name: string | null;
	/** Oldest first. Together they reach from the start of the period to its end. */
	readonly stretches: readonly Stretch[];
}

interface Period {
	readonly from: number;
	readonly to: number;
	readonly lanes: readonly Lane[];
}

/**
 * @param events some of the latest transitions, newest first
 * @param entries what the states are at `to`
 */
export function buildLanes(events: readonly CheckEvent[], entries: readonly CheckStateEntry[], to: number): Period {
	const from = Math.min(to, ...events.map(({ at }) => Date.parse(at)));
	const lanes = entries.map((entry): Lane => {
		const key = buildEntryKey(entry);
		const stretches: Stretch[] = [];
		let end = to;
		let state = entry.state;
		for (const event of events) {
			if (buildEntryKey(event) !== key) continue;
			const at = Date.parse(event.at);
			if (at < end) stretches.push({ state: event.to_state, from: at, to: end });
			end = Math.min(end, at);
			state = event.from_state;
		}
		if (end > from || stretches.length === 0) stretches.push({ state, from, to: end });
		return { key, name: entry.controller_connection_name, stretches: stretches.reverse() };
	});
	return { from, to, lanes };
}
