/** Names of the two sides of a comparison: by time, or by controller where they differ. Pure. */
import type { CompareAnswer } from "@weft/contracts";
import type { Times } from "../../platform/time.ts";
import { type KindWords, SIGNS } from "./compare-view.tsx";
import { isSameController, labelSides } from "./pair.ts";

export interface Sides {
	/** Whether the snapshots are of two controllers. */
	readonly crosses: boolean;
	readonly names: readonly [string, string];
	readonly title: string;
	/** The day of both; null where they differ. */
	readonly day: string | null;
	/** Heads of the columns. */
	readonly heads: readonly [string, string];
	readonly words: KindWords;
}

export function describeSides({ snapshot_from: a, snapshot_to: b }: CompareAnswer, times: Times): Sides {
	const isSameDay = times.getDay(a.executed_at) === times.getDay(b.executed_at);
	const isSameMinute = times.dateTime(a.executed_at) === times.dateTime(b.executed_at);
	const crosses = !isSameController(a, b);
	const names = labelSides(a, b);
	const [titleFrom, titleTo] = [a, b].map(({ executed_at }, side) => {
		const when = isSameDay ? times.time(executed_at, isSameMinute) : times.dateTime(executed_at);
		return crosses ? `${names[side]} ${when}` : when;
	});
	return {
		crosses,
		names,
		title: `${titleFrom} compared with ${titleTo}`,
		day: isSameDay ? times.date(a.executed_at) : null,
		heads: [
			`${names[0]}, ${times.date(a.executed_at)} ${times.time(a.executed_at, isSameMinute)}`,
			`${names[1]}, ${times.date(b.executed_at)} ${times.time(b.executed_at, isSameMinute)}`,
		],
		words: crosses ? describeBetween(names) : WORDS,
	};
}

const WORDS: KindWords = { added: SIGNS.added.word, deleted: SIGNS.deleted.word, modified: SIGNS.modified.word };

/** Between two controllers nothing was added or deleted: one of them has the object. */
const describeBetween = ([from, to]: readonly [string, string]): KindWords => ({
	added: `Only in ${to}`,
	deleted: `Only in ${from}`,
	modified: "Differs",
});
