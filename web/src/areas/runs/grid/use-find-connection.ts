/** The connection of a row: that of all rows, or the one that the row names. */
import { useCallback } from "react";
import { useConnections } from "../../../platform/target.ts";

/** @param controller id of the connection of all rows; null for rows that name theirs */
export function useFindConnection(controller: string | null): (name: unknown) => string | null {
	const all = useConnections().data?.results;
	return useCallback(
		(name) => {
			if (controller !== null) return controller;
			const named = all?.filter((connection) => connection.name === name) ?? [];
			// Two users may have given the same name.
			return named.length === 1 ? (named[0]?.id ?? null) : null;
		},
		[all, controller],
	);
}
