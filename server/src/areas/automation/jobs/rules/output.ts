/**
 * The text of a job, rebuilt from its events: in the order of their counters, without gaps, without
 * colours and secrets.
 */
import type { Mask } from "../../../../core/mask.ts";
import type { JobEvent } from "../../../../integrations/awx/port.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what escape sequences are made of
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the store cannot keep it
const NUL = /\u0000/g;

const markLost = (count: number): string =>
	`[Weft: ${count === 1 ? "1 event of the job is" : `${count} events of the job are`} missing here]\n`;

/**
 * What events add to the output; most of them end a line. They are masked together: a long line may
 * be broken over several of them. A line marks the place of events that were lost.
 */
export function joinOutput(
	events: readonly (Pick<JobEvent, "stdout"> & Partial<Pick<JobEvent, "counter">>)[],
	mask: Mask,
	/** The number of lost events before each event that follows some, by its counter. */
	lostBefore: ReadonlyMap<number, number> = new Map(),
): string {
	const plain = (stdout: string) =>
		`${stdout.replace(ESCAPES, "").replaceAll("\r\n", "\n").replace(NUL, "").toWellFormed()}\n`;
	const lines = events.flatMap(({ stdout, counter }) => {
		const lost = counter === undefined ? 0 : (lostBefore.get(counter) ?? 0);
		return [...(lost > 0 ? [markLost(lost)] : []), ...(stdout === "" ? [] : [plain(stdout)])];
	});
	return mask(lines.join(""));
}

export interface Prefix {
	/** Events that follow one another without a gap, from `after` on. */
	readonly events: readonly JobEvent[];
	/** Of the last of them. */
	readonly last: number;
	/** Number of events in the gaps that were skipped. */
	readonly lost: number;
	/** Their number before each event that follows some, by its counter. */
	readonly lostBefore: ReadonlyMap<number, number>;
	/** Whether later events are there, and one in between is not. */
	readonly gap: boolean;
}

/**
 * Gaps that are not waited for any more. `first`: only the gap directly after the last event that
 * was read; the events of a later gap may still come.
 */
export type SkippedGaps = "none" | "first" | "all";

/** Selects the events of a page that can be stored: up to the first gap that is waited for. */
export function selectContiguousEvents(after: number, page: readonly JobEvent[], skipped: SkippedGaps): Prefix {
	const sorted = [...page].sort((a, b) => a.counter - b.counter);
	const events: JobEvent[] = [];
	const lostBefore = new Map<number, number>();
	let [last, lost] = [after, 0];
	for (const event of sorted) {
		if (event.counter <= last) continue;
		if (event.counter !== last + 1) {
			const isSkipped = skipped === "all" || (skipped === "first" && last === after);
			if (!isSkipped) return { events, last, lost, lostBefore, gap: true };
			lostBefore.set(event.counter, event.counter - last - 1);
			lost += event.counter - last - 1;
		}
		events.push(event);
		last = event.counter;
	}
	return { events, last, lost, lostBefore, gap: false };
}

const PIECE_UNITS = 65_536;

/** Cuts a text into pieces that can be stored and sent, never inside of a character. */
export function splitOutputText(text: string, size = PIECE_UNITS): string[] {
	const cut: string[] = [];
	for (let at = 0; at < text.length; ) {
		let end = Math.min(text.length, at + size);
		if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--;
		cut.push(text.slice(at, end));
		at = end;
	}
	return cut;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
