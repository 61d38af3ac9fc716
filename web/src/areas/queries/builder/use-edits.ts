/** Changes of the canvas that start from the selection. */
import { useRef } from "react";
import { copyText } from "../../../ui/copy.tsx";
import { showToast } from "../../../ui/toast.tsx";
import type { Addition } from "./additions.tsx";
import { type Doc, getNode, writeCanvas } from "./model/canvas.ts";
import { buildDrawing } from "./model/chips.ts";
import {
	addFilter,
	addNode,
	addParent,
	beginWithClass,
	connectOutputs,
	copyNodes,
	findClassAt,
	followRelation,
	insertNode,
	moveNodes,
	pasteNodes,
	removeElements,
} from "./model/edit.ts";
import type { History } from "./model/history.ts";
import { useBuilder, useBuilderStore, useDoc } from "./store.ts";
import type { Follow } from "./use-class-choices.ts";
import { computeRoom, createSizeReader } from "./use-viewport.ts";

export type Edits = ReturnType<typeof useEdits>;

/** Moves a node within the last step of undo. */
const movePresent = (history: History, id: string, position: { readonly x: number; readonly y: number }): History => ({
	...history,
	now: moveNodes(history.now, new Map([[id, position]])),
});

export function useEdits() {
	const store = useBuilderStore();
	const doc = useDoc();
	const selection = useBuilder((state) => state.selection);
	const clipboard = useRef<ReturnType<typeof copyNodes> | null>(null);
	const { edit, select } = store.getState();
	const [chosen] = selection;
	const onEdge = selection.size === 1 ? doc.edges.find(({ id }) => id === chosen) : undefined;
	const below = selection.size === 1 ? findClassAt(doc, onEdge?.source ?? chosen) : null;
	const revealNew = ({ doc: next, id }: { readonly doc: Doc; readonly id: string }) => {
		edit(() => next);
		select([id]);
		store.setState({ reveal: { id } });
	};
	return {
		/** The class of the selected node or edge; null: none, or several are selected. */
		below,
		hasSelection: selection.size > 0,
		/** @param after the node that it follows; undefined: the selected node or edge */
		add({ kind, data, wish }: Addition, after?: string) {
			const classes = doc.nodes.filter(({ type }) => type === "classNode");
			const only = classes.length === 1 && selection.size === 0 ? classes[0]?.id : undefined;
			const owner = findClassAt(doc, after ?? onEdge?.source ?? chosen)?.id ?? only;
			if (kind === "filterNode" && owner !== undefined) {
				revealNew(addFilter(doc, owner, data));
				return;
			}
			if (after === undefined && onEdge !== undefined) {
				revealNew(insertNode(doc, onEdge, kind, data, wish));
				return;
			}
			const isFirst = kind === "classNode" && classes.length === 0 && chosen === undefined;
			const start = isFirst ? doc.nodes.find(({ type }) => type === "startNode")?.id : undefined;
			const from = getNode(doc, after ?? chosen ?? start ?? null)?.id ?? null;
			const home = from === null ? null : (buildDrawing(doc).owners.get(from) ?? from);
			const { doc: next, id } = addNode(doc, kind, data, wish, home);
			revealNew({ doc: kind === "classNode" && home !== null ? connectOutputs(next, home, id) : next, id });
		},
		/** Puts the node that was added last at a place of the canvas. */
		placeAt(position: { readonly x: number; readonly y: number }) {
			const [id] = store.getState().selection;
			if (id !== undefined) store.setState(({ history }) => ({ history: movePresent(history, id, position) }));
		},
		begin: (className: string) => revealNew(beginWithClass(doc, className)),
		addAbove: (childId: string, className: string) => revealNew(addParent(doc, childId, className)),
		/** Replaces the canvas, such as by one that was made of a request. */
		replace(next: Doc) {
			edit(() => next);
			select([]);
			store.setState(({ fits }) => ({ fits: fits + 1 }));
		},
		follow(relation: Follow, from: string | undefined = below?.id) {
			if (from !== undefined) revealNew(followRelation(doc, from, relation));
		},
		remove() {
			if (selection.size === 0) return;
			edit((now) => removeElements(now, selection));
			select([]);
			store.getState().say("Removed");
		},
		async copy() {
			clipboard.current = copyNodes(doc, selection);
			await copyText(JSON.stringify(writeCanvas({ ...clipboard.current, rest: {} }), null, 2));
			showToast(`${selection.size === 1 ? "One node" : `${selection.size} nodes`} copied as JSON`);
		},
		paste() {
			if (clipboard.current === null) return;
			const { doc: next, ids } = pasteNodes(doc, clipboard.current);
			edit(() => next);
			select(ids);
		},
		async tidyUp() {
			const { computeLayout } = await import("./model/layout.ts");
			const frame = document.querySelector(".react-flow");
			const room = frame === null ? Number.POSITIVE_INFINITY : computeRoom(frame);
			edit((now) => moveNodes(now, computeLayout(buildDrawing(now), createSizeReader(now), room)));
			store.setState(({ fits }) => ({ fits: fits + 1 }));
		},
	};
}
