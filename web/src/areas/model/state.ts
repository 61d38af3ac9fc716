/** Expanded tree nodes; kept for the tab. */
import { create } from "zustand";

interface Tree {
	readonly open: ReadonlySet<string>;
	/** Classes from the root to the one that the tree brings into sight. */
	readonly wanted: readonly string[];
	/** Opens a closed branch, closes an open one. */
	turn(path: string): void;
	/** Opens the branches above a row. */
	openAbove(path: string): void;
	reveal(names: readonly string[]): void;
	/** The wanted row is in sight. */
	arrive(): void;
}

export const useTree = create<Tree>((set) => ({
	open: new Set<string>(),
	wanted: [],
	turn: (path) =>
		set(({ open }) => {
			const next = new Set(open);
			if (!next.delete(path)) next.add(path);
			return { open: next };
		}),
	openAbove: (path) =>
		set(({ open }) => {
			const names = path.split("/");
			return { open: new Set([...open, ...names.slice(1).map((_, index) => names.slice(0, index + 1).join("/"))]) };
		}),
	reveal: (wanted) => set({ wanted }),
	arrive: () => set({ wanted: [] }),
}));
