/** What of the shell is open. */
import { create } from "zustand";

interface Shell {
	readonly palette: boolean;
	readonly keySheet: boolean;
	/** The sidebar over the page, on narrow screens. */
	readonly sidebar: boolean;
}

export const useShell = create<Shell>(() => ({ palette: false, keySheet: false, sidebar: false }));
