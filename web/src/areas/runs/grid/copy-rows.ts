/** Copies rows of the grid, and says how many. */
import { formatPlural } from "../../../platform/format.ts";
import { copyText } from "../../../ui/copy.tsx";
import { showToast } from "../../../ui/toast.tsx";
import type { GridWorker } from "./grid-worker.ts";

/** In the order of the view; null for no selection. */
export const sortInOrder = (selected: ReadonlySet<number>): number[] | null =>
	selected.size > 0 ? [...selected].sort((a, b) => a - b) : null;

/** @param at places of the rows in the view; null for all of them */
export async function copyRows(
	worker: GridWorker,
	format: "tsv" | "json",
	keys: readonly string[],
	at: readonly number[] | null,
): Promise<void> {
	const { text, rows } = await worker.ask({ kind: "write", format, keys, at }, "written");
	await sayCopied(text, formatPlural(rows, "row"));
}

export async function sayCopied(text: string, what: string): Promise<void> {
	showToast((await copyText(text)) ? `${what} copied` : "The browser refused to copy");
}
