/** Addresses of the pages of objects, for the DNs in a grid. */
import { useRouter } from "@tanstack/react-router";
import { useCallback } from "react";
import { useMay } from "../../../platform/profile.ts";
import type { Origin } from "./object-links.tsx";
import { useFindConnection } from "./use-find-connection.ts";

/** The column that names the fabric of a row, where rows of several fabrics stand in one grid. */
export const CONNECTION = "connection";

/** @param keys keys of the columns, in the order of a row's cells */
export function useAddresses({ controller }: Pick<Origin, "controller">, keys: readonly string[]) {
	const router = useRouter();
	const canView = useMay()("view_snapshot");
	const findConnection = useFindConnection(controller);
	const at = keys.indexOf(CONNECTION);
	const getAddress = useCallback(
		(dn: string, values: readonly string[]): string | null => {
			const connection = findConnection(values[at]);
			if (!canView || connection === null) return null;
			return router.buildLocation({ to: "/objects", search: { connection, dn } }).publicHref;
		},
		[router, canView, findConnection, at],
	);
	const openAddress = useCallback((address: string) => router.history.push(address), [router]);
	return { getAddress, openAddress };
}
