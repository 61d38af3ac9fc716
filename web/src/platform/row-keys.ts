/** Rows of the page that keys go through: of tables, and of lists that mark theirs. */
const ROWS = "#main tbody tr, #main [data-row]";

/** What opens a row: its link, or its button where it has none. */
const findOpener = (row: Element): HTMLElement | null =>
	row.querySelector<HTMLElement>("a[href]") ?? row.querySelector<HTMLElement>("button");

/** Moves the focus to the opener of another row, from no row to the first. False at an end. */
export function goToRow(by: 1 | -1): boolean {
	const openers = [...document.querySelectorAll(ROWS)].flatMap((row) => findOpener(row) ?? []);
	const current = document.activeElement?.closest(ROWS);
	const at = current ? openers.findIndex((opener) => current.contains(opener)) : -1;
	const next = openers[at === -1 ? 0 : at + by];
	next?.focus();
	return next !== undefined;
}

/** Arrows within a list of rows. */
export function handleRowKeys(event: { key: string; target: EventTarget; preventDefault(): void }): void {
	if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
	if (event.target instanceof Element && event.target.matches("input, select, textarea, [aria-expanded=true]")) return;
	if (goToRow(event.key === "ArrowDown" ? 1 : -1)) event.preventDefault();
}
