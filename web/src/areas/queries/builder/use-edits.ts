/** Changes of the canvas that start from the selection. */
import { useRef } from "react";
import { copyText } from "../../../ui/copy.tsx";
import { showToast } from "../../../ui/toast.tsx";
import type { Addition } from "./add-node.tsx";
import { type Doc, NODE_WIDTH, writeCanvas } from "./model/canvas.ts";
import {
	addNode,
	copyNodes,
	findClassAt,
	followRelation,
	insertNode,
	moveNodes,
	pasteNodes,
	removeElements,
} from "./model/edit.ts";
import { useBuilder, useBuilderStore, useDoc } from "./store.ts";
import type { Follow } from "./use-class-choices.ts";

export type Edits = ReturnType<typeof useEdits>;

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
		add({ kind, data, wish }: Addition) {
			const from = chosen !== undefined && doc.nodes.some(({ id }) => id === chosen) ? chosen : null;
			revealNew(
				onEdge === undefined ? addNode(doc, kind, data, wish, from) : insertNode(doc, onEdge, kind, data, wish),
			);
		},
		follow(relation: Follow) {
			if (below !== null) revealNew(followRelation(doc, below.id, relation));
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
			const heights = measureNodes();
			const getSize = (id: string) => ({ width: NODE_WIDTH, height: heights.get(id) ?? 80 });
			edit((now) => moveNodes(now, computeLayout(now, getSize)));
			store.setState(({ fits }) => ({ fits: fits + 1 }));
		},
	};
}

/** Heights of the drawn nodes in pixels, by id. */
function measureNodes(): ReadonlyMap<string | undefined, number> {
	const nodes = document.querySelectorAll<HTMLElement>(".react-flow__node");
	return new Map([...nodes].map((node) => [node.dataset.id, node.offsetHeight]));
}
