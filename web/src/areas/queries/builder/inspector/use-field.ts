/** A field of a node or an edge. */
import { setData } from "../model/edit.ts";
import { useBuilderStore } from "../store.ts";

/** Changes a field of a node or an edge; strokes in one field are one step of undo. */
export function useField(id: string) {
	const store = useBuilderStore();
	return (name: string, value: unknown) =>
		store.getState().edit((doc) => setData(doc, id, { [name]: value === "" ? undefined : value }), `${id}:${name}`);
}

export const formatValue = (value: unknown): string => (value === undefined || value === null ? "" : String(value));
