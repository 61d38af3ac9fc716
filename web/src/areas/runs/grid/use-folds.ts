/** The open folds of a grid, and its lines. */
import { useMemo, useState } from "react";
import { createLines, type Fold } from "./lines.ts";
import type { ResultView } from "./use-view.ts";

const NONE: ReadonlySet<string | null> = new Set();

/** A fold stays open by its value, under every filter and order. */
export function useFolds({ rows, groups, group }: ResultView) {
	const [state, setState] = useState<{ readonly group: string | null; readonly open: ReadonlySet<string | null> }>({
		group: null,
		open: NONE,
	});
	const open = state.group === group ? state.open : NONE;
	const lines = useMemo(() => createLines(rows, groups, open), [rows, groups, open]);
	return {
		lines,
		toggle({ value, isOpen }: Fold): void {
			const next = new Set(open);
			if (isOpen) next.delete(value);
			else next.add(value);
			setState({ group, open: next });
		},
		openAll: () => setState({ group, open: new Set(groups?.values) }),
		closeAll: () => setState({ group, open: NONE }),
	};
}
