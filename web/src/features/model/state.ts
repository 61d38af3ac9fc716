/** Expanded tree nodes; kept for the tab. */
import { create } from "zustand";

interface Tree {
	readonly open: ReadonlySet<string>;
	/** Opens a closed branch, closes an open one. */
	turn(path: string): void;
}

export const useTree = create<Tree>((set) => ({
	open: new Set<string>(),
	turn: (path) =>
		set(({ open }) => {
			const next = new Set(open);
			if (!next.delete(path)) next.add(path);
			return { open: next };
		}),
}));
