/** Drafts of forms as state of components. */
import { createContext, type Dispatch, type SetStateAction, use, useEffect, useState } from "react";
import { createDraftStore, type Draft } from "./drafts.ts";

export const drafts = createDraftStore({ storage: () => localStorage, now: () => Date.now() });

// A tab can be closed or discarded at any time after these events.
addEventListener("pagehide", drafts.flush);
document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && drafts.flush());
addEventListener("beforeunload", (event) => {
	drafts.flush();
	// Input that the browser does not store would be lost: it asks the user.
	if (drafts.hasUnstored()) event.preventDefault();
});

interface OpenDraft extends Draft {
	/** Forgets the input and starts the form anew. */
	discard(): void;
}

export const DraftContext = createContext<OpenDraft | null>(null);

/** The draft of the form around; null for a form that keeps none. */
export const useDraft = (): OpenDraft | null => use(DraftContext);

/** State of a form's field. It is a part of the form's draft: never use it for a secret. */
export function useDraftState<T>(field: string, initial: T | (() => T)): [T, Dispatch<SetStateAction<T>>] {
	const draft = useDraft();
	const [value, setValue] = useState<T>(() => {
		const saved = initial instanceof Function ? initial() : initial;
		return draft === null ? saved : draft.begin(field, saved);
	});
	useEffect(() => draft?.keep(field, value), [draft, field, value]);
	return [value, setValue];
}
