/** The two snapshots that are compared: those of the address, or of the latest choices. */
import type { Snapshot } from "@weft/contracts";
import { useState } from "react";
import { useTimes } from "../../platform/profile.ts";
import { showToast } from "../../ui/toast.tsx";
import { type Choice, choosePair, isSameController, resolvePair } from "./pair.ts";

/** Ids of snapshots. */
interface Ends {
	readonly from: string | undefined;
	readonly to: string | undefined;
}

export type ChosenPair = ReturnType<typeof usePair>;

/**
 * @param snapshots the visible page of the list
 * @param named the ends that the address names
 */
export function usePair(snapshots: readonly Snapshot[], named: Ends, onChange: (ends: Ends) => void) {
	const times = useTimes();
	/** Snapshots that were chosen, of whatever page of the list, and the latest choice among them. */
	const [chosen, setChosen] = useState<ReadonlyMap<string, Snapshot>>(new Map());
	const [latest, setLatest] = useState<Choice<Snapshot> | null>(null);
	const known = [...new Map([...chosen, ...snapshots.map((each) => [each.id, each] as const)]).values()];
	const shown = resolvePair(known, named.from, named.to);
	const { from: earlier, to: later } = shown;
	// An end that is on another page of the list is known by its id alone.
	const ends = { from: earlier?.id ?? named.from, to: later?.id ?? named.to };
	return {
		ends,
		/** The snapshots of both ends; null where one of them is not known. */
		both: earlier && later ? { earlier, later, crosses: !isSameController(earlier, later) } : null,
		/** Forgets the choice. */
		reset() {
			setChosen(new Map());
			setLatest(null);
		},
		choose(choice: Choice<Snapshot>) {
			const next = choosePair(known, shown, latest, choice);
			setLatest(choice);
			setChosen(
				new Map([next.from, next.to].flatMap((each) => (each === undefined ? [] : [[each.id, each] as const]))),
			);
			const other = choice.end === "from" ? "to" : "from";
			const isMoved =
				next[choice.end]?.id !== choice.snapshot.id || (ends[other] !== undefined && next[other]?.id !== ends[other]);
			if (isMoved && next.from && next.to) {
				const [before, after] = [next.from, next.to].map(
					({ executed_at }) => `${times.date(executed_at)} ${times.time(executed_at, true)}`,
				);
				showToast(`From is ${before}, To is ${after}: From is never newer than To.`);
			}
			onChange({ from: next.from?.id, to: next.to?.id });
		},
	};
}
