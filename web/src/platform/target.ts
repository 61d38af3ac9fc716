/** The controller that runs go to unless something else is said. A default, never a filter. */
import { type ControllerConnection, connectionRoutes } from "@weft/contracts";
import { create } from "zustand";
import { useAnswer } from "./call.ts";
import { opened } from "./opening.ts";

const KEY = "weft.target";
const FRESH_MS = 5 * 60_000;

const useChosen = create<{ readonly id: string | null }>(() => ({ id: localStorage.getItem(KEY) }));

export function chooseTarget(id: string): void {
	localStorage.setItem(KEY, id);
	useChosen.setState({ id });
}

/** Everything the sidebar, the palette and the run buttons need of the connections: one call for all of them. */
export const useConnections = () =>
	useAnswer(
		connectionRoutes.list,
		{ query: { page_size: "200" } },
		{ staleTime: FRESH_MS, through: (call) => opened("connections", call) },
	);

/** The chosen connection, or the first active one. */
export function useTarget(): ControllerConnection | undefined {
	const { data } = useConnections();
	const id = useChosen((chosen) => chosen.id);
	const usable = data?.results.filter((connection) => connection.is_active) ?? [];
	return usable.find((connection) => connection.id === id) ?? usable[0];
}
