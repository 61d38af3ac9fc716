/** The arrangement of the columns, which this browser keeps for the scope. */
import { useCallback, useMemo, useState } from "react";
import { type Arrangement, arrangeColumns, keepArrangement, readArrangement } from "./layout.ts";
import type { ColumnInfo } from "./protocol.ts";

/**
 * @param filled keys of the columns that have a value in the view
 * @param first keys of the columns that stand before those that name an object
 */
export function useArrangement(
	scope: string,
	columns: readonly ColumnInfo[],
	filled: readonly string[],
	first: readonly string[],
) {
	const [arrangement, setArrangement] = useState(() => readArrangement(scope, first));
	// Most views fill the same columns: the layout stays the same object for them.
	const filledKey = JSON.stringify(filled);
	const laidOut = useMemo(
		() => arrangeColumns(columns, arrangement, new Set(JSON.parse(filledKey) as string[])),
		[columns, arrangement, filledKey],
	);
	const keys = useMemo(() => laidOut.map(({ key }) => key), [laidOut]);
	const arrange = useCallback(
		(next: Partial<Arrangement>) => {
			setArrangement((before) => {
				const after = { ...before, ...next };
				keepArrangement(scope, after);
				return after;
			});
		},
		[scope],
	);
	return { arrangement, arrange, laidOut, keys };
}
