/** The part of the canvas that is in sight: everything at first, then as the user moves it. */
import { useNodesInitialized, useReactFlow, type Viewport } from "@xyflow/react";
import { type RefObject, useCallback, useEffect, useRef } from "react";
import { type CanvasNode, type Doc, getNode, getNodeWidth, NODE_WIDTH } from "./model/canvas.ts";
import { buildDrawing } from "./model/chips.ts";
import { useBuilder, useBuilderStore, useDoc } from "./store.ts";

/** Text of 12 pixels stays at 11 or more: what does not fit is arranged in rows. */
const LEAST_ZOOM = 0.92;
/** Around everything, in pixels. */
const MARGIN = 32;

/** @returns functions that bring everything, or one node, into sight */
export function useViewport(frame: RefObject<HTMLElement | null>) {
	const store = useBuilderStore();
	const doc = useDoc();
	const flow = useReactFlow();
	/** Where the canvas was put without the user. */
	const settled = useRef<Viewport | null>(null);
	const isMeasured = useNodesInitialized();
	/** Whether the nodes of the query as it was opened have been measured and placed. */
	const isOpened = useRef(false);
	/** Saved places may be for a wider screen. */
	const arrange = async (box: HTMLElement) => {
		const { computeLayout } = await import("./model/layout.ts");
		const places = computeLayout(buildDrawing(store.getState().history.now), createSizeReader(doc), computeRoom(box));
		store.getState().arrange(places);
		store.setState(({ fits }) => ({ fits: fits + 1 }));
	};
	/** Everything in sight, but not smaller than legible: then it begins at the left. */
	const settle = () => {
		const box = frame.current;
		if (box === null || doc.nodes.length === 0) return;
		const drawn = flow.getNodes();
		if (drawn.length === 0) return;
		const { x, y, width, height } = flow.getNodesBounds(drawn);
		const fits = Math.min((box.clientWidth - 2 * MARGIN) / width, (box.clientHeight - 2 * MARGIN) / height);
		const zoom = Math.max(LEAST_ZOOM, Math.min(1, fits));
		if (isMeasured && !isOpened.current) {
			isOpened.current = true;
			if ((box.clientWidth - 2 * MARGIN) / width < LEAST_ZOOM) void arrange(box);
		}
		const place = (size: number, room: number, start: number) =>
			(size * zoom + 2 * MARGIN > room ? MARGIN : (room - size * zoom) / 2) - start * zoom;
		settled.current = { x: place(width, box.clientWidth, x), y: place(height, box.clientHeight, y), zoom };
		void flow.setViewport(settled.current);
	};

	const fits = useBuilder((state) => state.fits);
	const settleNow = useRef(settle);
	settleNow.current = settle;
	// biome-ignore lint/correctness/useExhaustiveDependencies: once for each wish, when the nodes are in their places
	useEffect(() => {
		const frameId = requestAnimationFrame(() => settleNow.current());
		return () => cancelAnimationFrame(frameId);
	}, [fits]);

	useEffect(() => {
		if (!isMeasured || isOpened.current) return;
		const frameId = requestAnimationFrame(() => settleNow.current());
		return () => cancelAnimationFrame(frameId);
	}, [isMeasured]);

	/** Settles again, unless the user has moved the view. */
	const settleUnmoved = useCallback(() => {
		const [now, last] = [flow.getViewport(), settled.current];
		if (last !== null && now.x === last.x && now.y === last.y && now.zoom === last.zoom) settleNow.current();
	}, [flow]);

	// Beside the results there is less room.
	useEffect(() => {
		const box = frame.current;
		if (box === null) return;
		const watch = new ResizeObserver(settleUnmoved);
		watch.observe(box);
		return () => watch.disconnect();
	}, [settleUnmoved, frame]);

	const reveal = useBuilder((state) => state.reveal);
	const showNode = useCallback(
		({ position: { x, y } }: CanvasNode) => {
			if (!isSeen(flow.flowToScreenPosition({ x, y }), frame.current))
				void flow.setCenter(x + NODE_WIDTH / 2, y + 40, { zoom: flow.getZoom() });
		},
		[flow, frame],
	);
	// A new node may have moved others out of sight.
	useEffect(() => {
		const { now } = store.getState().history;
		const node = getNode(now, buildDrawing(now).owners.get(reveal?.id ?? "") ?? reveal?.id);
		if (!node) return;
		const frameId = requestAnimationFrame(() => {
			settleUnmoved();
			showNode(node);
		});
		return () => cancelAnimationFrame(frameId);
	}, [reveal, store, showNode, settleUnmoved]);

	return { settle, showNode };
}

/** Width in pixels of the canvas that one row of nodes may take. */
export const computeRoom = (frame: Element): number => (frame.clientWidth - 2 * MARGIN) / LEAST_ZOOM;

/** Reads the sizes of nodes as they are drawn, in pixels. */
export function createSizeReader({ nodes }: Pick<Doc, "nodes">) {
	const drawn = document.querySelectorAll<HTMLElement>(".react-flow__node");
	const heights = new Map([...drawn].map((node) => [node.dataset.id, node.offsetHeight]));
	const types = new Map(nodes.map(({ id, type }) => [id, type]));
	return (id: string) => ({ width: getNodeWidth(types.get(id) ?? "classNode"), height: heights.get(id) ?? 80 });
}

function isSeen({ x, y }: { x: number; y: number }, frame: HTMLElement | null): boolean {
	const box = frame?.getBoundingClientRect();
	return box !== undefined && x > box.left && x < box.right - 190 && y > box.top && y < box.bottom - 80;
}
