/** Undo and redo. Edits of one group within a moment are one step. Ignores the selection. */
import type { Doc } from "./canvas.ts";

export interface History {
	readonly past: readonly Doc[];
	readonly now: Doc;
	readonly future: readonly Doc[];
	/** Of the last change: a stroke of the same group soon after it goes into the same step. */
	readonly group: string | null;
	/** Milliseconds. */
	readonly at: number;
}

const MOST = 200;
const MOMENT_MS = 1_500;

export const beginHistory = (doc: Doc): History => ({ past: [], now: doc, future: [], group: null, at: 0 });

export function recordChange(history: History, doc: Doc, group: string | null, at: number): History {
	if (doc === history.now) return history;
	const same = group !== null && group === history.group && at - history.at < MOMENT_MS;
	const past = same ? history.past : [...history.past, history.now].slice(-MOST);
	return { past, now: doc, future: [], group, at };
}

export function undoChange(history: History): History {
	const last = history.past.at(-1);
	if (last === undefined) return history;
	return { past: history.past.slice(0, -1), now: last, future: [history.now, ...history.future], group: null, at: 0 };
}

export function redoChange(history: History): History {
	const [next, ...future] = history.future;
	if (next === undefined) return history;
	return { past: [...history.past, history.now], now: next, future, group: null, at: 0 };
}
