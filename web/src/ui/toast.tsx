/** Notices: results of work in the background, and failures that have no place in the page. */
import { create } from "zustand";
import { findProblem, isProgramError } from "../platform/problem.ts";
import { copyText, writeReport } from "./copy.tsx";

export interface Toast {
	readonly id: number;
	readonly text: string;
	readonly action: { readonly label: string; run(): void } | undefined;
	/** An error of the program: it stays until it is closed. */
	readonly isProgramError: boolean;
}

const MOST = 4;

export const useToasts = create<{ readonly list: readonly Toast[] }>(() => ({ list: [] }));
let last = 0;

export function showToast(text: string, action?: Toast["action"]): void {
	addToast({ id: ++last, text, action, isProgramError: false });
}

/**
 * Shows a failure that no part of the page has a place for. An error of the program can be copied,
 * and is shown once.
 * @param subject the thing that failed, such as a name
 */
export function showProblem(error: unknown, subject?: string): void {
	const { title, detail } = findProblem(error);
	const reason = detail === "" ? title : `${title}. ${detail}`;
	const text = subject === undefined ? reason : `${subject}: ${reason}`;
	if (!isProgramError(error)) {
		showToast(text);
		return;
	}
	if (useToasts.getState().list.some((toast) => toast.text === text)) return;
	const action = { label: "Copy the details", run: () => void writeReport(error).then(copyText) };
	addToast({ id: ++last, text, action, isProgramError: true });
}

function addToast(toast: Toast): void {
	useToasts.setState(({ list }) => ({ list: [...list.slice(1 - MOST), toast] }));
}
