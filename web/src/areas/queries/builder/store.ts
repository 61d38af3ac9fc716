/** Canvas, selection and undo history. One store per open query. */
import { createContext, useContext } from "react";
import { createStore, useStore } from "zustand";
import type { NodeRuns } from "../../runs/frames.ts";
import type { CanvasNode, Doc } from "./model/canvas.ts";
import { moveNodes } from "./model/edit.ts";
import { beginHistory, type History, recordChange, redoChange, undoChange } from "./model/history.ts";
import { type CanvasProblems, NONE } from "./model/problems.ts";

type Place = CanvasNode["position"];

export interface ClassCounts {
	/** Name of the connection. */
	readonly fabric: string;
	readonly byClass: Readonly<Record<string, number>>;
}

interface BuilderState {
	readonly history: History;
	/** Nodes and edges, by id. */
	readonly selection: ReadonlySet<string>;
	readonly problems: CanvasProblems;
	readonly runs: NodeRuns;
	/** Said to screen readers. */
	readonly said: string;
	/** Rises when everything shall come into sight. */
	readonly fits: number;
	/** A node that shall come into sight; each wish is an object of its own. */
	readonly reveal: { readonly id: string } | null;
	/** The node after which one is added, and the chosen place on the canvas, if any; null: none. */
	readonly adding: { readonly after: string; readonly at: Place | null } | null;
	/** Places that the canvas was given on opening because the saved ones did not fit; null: none. */
	readonly arrangement: ReadonlyMap<string, Place> | null;
	/** Objects per class on a fabric. */
	readonly counts: ClassCounts | null;
	/** @param group strokes of one group within a moment are one step of undo */
	edit(next: (doc: Doc) => Doc, group?: string): void;
	/** Moves nodes without a step of undo: the canvas is as it was, in other places. */
	arrange(places: ReadonlyMap<string, Place>): void;
	undo(): void;
	redo(): void;
	select(ids: Iterable<string>): void;
	say(text: string): void;
}

export type BuilderStore = ReturnType<typeof createBuilderStore>;

export function createBuilderStore(doc: Doc) {
	return createStore<BuilderState>((set, get) => ({
		history: beginHistory(doc),
		selection: new Set(),
		problems: NONE,
		runs: {},
		said: "",
		fits: 0,
		reveal: null,
		adding: null,
		arrangement: null,
		counts: null,
		edit(next, group) {
			set(({ history }) => ({ history: recordChange(history, next(history.now), group ?? null, Date.now()) }));
		},
		arrange(places) {
			set(({ history }) => ({
				history: { ...history, now: moveNodes(history.now, places) },
				arrangement: places,
			}));
		},
		undo() {
			set(({ history, selection }) => withHistory(undoChange(history), selection));
			get().say("Undone");
		},
		redo() {
			set(({ history, selection }) => withHistory(redoChange(history), selection));
			get().say("Redone");
		},
		select: (ids) => set({ selection: new Set(ids) }),
		say: (said) => set({ said }),
	}));
}

/** Removes deleted nodes and edges from the selection. */
function withHistory(history: History, selection: ReadonlySet<string>): Pick<BuilderState, "history" | "selection"> {
	const { nodes, edges } = history.now;
	const known = new Set([...nodes, ...edges].map(({ id }) => id));
	const left = [...selection].filter((id) => known.has(id));
	return { history, selection: left.length === selection.size ? selection : new Set(left) };
}

export const BuilderContext = createContext<BuilderStore | null>(null);

export function useBuilderStore(): BuilderStore {
	const store = useContext(BuilderContext);
	if (store === null) throw new Error("There is no builder around this.");
	return store;
}

export const useBuilder = <T>(pick: (state: BuilderState) => T): T => useStore(useBuilderStore(), pick);
export const useDoc = (): Doc => useBuilder(({ history }) => history.now);
