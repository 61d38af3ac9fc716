/**
 * Commands and their keys. The listener exists before the first render, so that no press is lost.
 * Pages register and remove their commands. Single letters never act inside fields, and can be
 * changed or disabled (WCAG 2.1.4).
 */
import { useEffect, useRef } from "react";
import { create } from "zustand";
import { formatKeyPress, isClipboard, isTyping } from "./combos.ts";

export interface Command {
	readonly id: string;
	readonly label: string;
	/** Heading in the palette and on the key sheet. */
	readonly group: string;
	readonly keys?: string;
	/** Left out of the palette: moving about, and what needs a place to be meant. */
	readonly keysOnly?: boolean;
	run(): void;
}

interface Keys {
	/** Later ones win. */
	readonly commands: readonly Command[];
	/** Keys that the person chose, by command; "" for none. */
	readonly custom: Readonly<Record<string, string>>;
	/** False: keys without Ctrl or Alt do nothing. */
	readonly letters: boolean;
	/** The first press of two. */
	readonly pending: string | null;
}

const CUSTOM = "weft.keys";
const SEQUENCE_MS = 1_500;

export const useKeys = create<Keys>(() => ({
	commands: [],
	pending: null,
	letters: true,
	custom: {},
	...readStoredKeys(),
}));

export function registerCommands(commands: readonly Command[]): () => void {
	useKeys.setState((state) => ({ commands: [...state.commands, ...commands] }));
	return () => useKeys.setState((state) => ({ commands: state.commands.filter((each) => !commands.includes(each)) }));
}

/** Commands of a page, as long as it is there; what they do is always of the last render. */
export function useCommands(commands: readonly Command[]): void {
	const latest = useRef(commands);
	latest.current = commands;
	const outline = JSON.stringify(commands.map(({ run: _, ...rest }) => rest));
	useEffect(() => {
		const list = JSON.parse(outline) as Omit<Command, "run">[];
		return registerCommands(
			list.map((command) => ({ ...command, run: () => latest.current.find(({ id }) => id === command.id)?.run() })),
		);
	}, [outline]);
}

export const getKeys = ({ id, keys }: Command, { custom }: Pick<Keys, "custom">): string | undefined =>
	(custom[id] ?? keys) || undefined;

export function changeKeys(id: string, keys: string | null): void {
	const { [id]: _, ...rest } = useKeys.getState().custom;
	saveKeys({ custom: keys === null ? rest : { ...rest, [id]: keys } });
}

export const switchLetters = (letters: boolean): void => saveKeys({ letters });

function saveKeys(change: Partial<Pick<Keys, "custom" | "letters">>): void {
	useKeys.setState(change);
	const { custom, letters } = useKeys.getState();
	try {
		localStorage.setItem(CUSTOM, JSON.stringify({ custom, letters }));
	} catch {
		// Nothing is kept here: the choice lasts as long as the page.
	}
}

function readStoredKeys(): Partial<Pick<Keys, "custom" | "letters">> {
	try {
		return JSON.parse(localStorage.getItem(CUSTOM) ?? "{}");
	} catch {
		return {};
	}
}

let timer: ReturnType<typeof setTimeout> | undefined;

function handleKeyDown(event: KeyboardEvent): void {
	const press = formatKeyPress(event);
	if (press === null || event.defaultPrevented || event.isComposing) return;
	const target = event.target instanceof HTMLElement ? event.target : null;
	const inField =
		target?.matches("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]") ?? false;
	const { letters } = useKeys.getState();
	if (isTyping(press) && (inField || !letters || isUnderDialog(target))) return;
	if (isClipboard(press) && (inField || getSelection()?.isCollapsed === false)) return;
	// Space and Enter on a control are the control's.
	if (/^(space|enter)$/.test(press) && target?.closest("button, a, summary, [role=button], [role=tab], input")) return;
	const { pending } = useKeys.getState();
	const command =
		findCommand(pending === null ? press : `${pending} ${press}`) ??
		(pending === null ? undefined : findCommand(press));
	clearTimeout(timer);
	if (command) {
		useKeys.setState({ pending: null });
		event.preventDefault();
		command.run();
	} else if (pending === null && isChordStart(press)) {
		useKeys.setState({ pending: press });
		timer = setTimeout(() => useKeys.setState({ pending: null }), SEQUENCE_MS);
	} else if (pending !== null) useKeys.setState({ pending: null });
}

/** The page behind a dialog does not hear letters that were meant for the dialog. */
function isUnderDialog(target: HTMLElement | null): boolean {
	return target?.closest("dialog, [popover], [role=menu], [role=listbox]") != null;
}

function findCommand(combo: string): Command | undefined {
	const state = useKeys.getState();
	return state.commands.findLast((command) => getKeys(command, state) === combo);
}

function isChordStart(press: string): boolean {
	const state = useKeys.getState();
	return state.commands.some((command) => getKeys(command, state)?.startsWith(`${press} `));
}

window.addEventListener("keydown", handleKeyDown);
