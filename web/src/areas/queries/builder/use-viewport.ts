/** The part of the canvas that is in sight: everything at first, then as the user moves it. */
import { useReactFlow, type Viewport } from "@xyflow/react";
import { type RefObject, useCallback, useEffect, useRef } from "react";
import { type CanvasNode, getNode, NODE_WIDTH } from "./model/canvas.ts";
import { useBuilder, useBuilderStore, useDoc } from "./store.ts";

/** Text stays legible: a canvas that does not fit scrolls. */
const LEAST_ZOOM = 0.8;
/** Around everything, in pixels. */
const MARGIN = 32;

/** @returns functions that bring everything, or one node, into sight */
export function useViewport(frame: RefObject<HTMLElement | null>) {
	const store = useBuilderStore();
	const doc = useDoc();
	const flow = useReactFlow();
	/** Where the canvas was put without the user. */
	const settled = useRef<Viewport | null>(null);
	/** Everything in sight, but not smaller than legible: then it begins at the left. */
	const settle = () => {
		const box = frame.current;
		if (box === null || doc.nodes.length === 0) return;
		const { x, y, width, height } = flow.getNodesBounds(doc.nodes.map(({ id }) => id));
		const fits = Math.min((box.clientWidth - 2 * MARGIN) / width, (box.clientHeight - 2 * MARGIN) / height);
		const zoom = Math.max(LEAST_ZOOM, Math.min(1, fits));
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

	// Beside the results there is less room. A view that the user has moved stays.
	useEffect(() => {
		const box = frame.current;
		if (box === null) return;
		const watch = new ResizeObserver(() => {
			const [now, last] = [flow.getViewport(), settled.current];
			if (last !== null && now.x === last.x && now.y === last.y && now.zoom === last.zoom) settleNow.current();
		});
		watch.observe(box);
		return () => watch.disconnect();
	}, [flow, frame]);

	const reveal = useBuilder((state) => state.reveal);
	const showNode = useCallback(
		({ position: { x, y } }: CanvasNode) => {
			if (!isSeen(flow.flowToScreenPosition({ x, y }), frame.current))
				void flow.setCenter(x + NODE_WIDTH / 2, y + 40, { zoom: flow.getZoom() });
		},
		[flow, frame],
	);
	useEffect(() => {
		const node = getNode(store.getState().history.now, reveal?.id);
		if (node) showNode(node);
	}, [reveal, store, showNode]);

	return { settle, showNode };
}

function isSeen({ x, y }: { x: number; y: number }, frame: HTMLElement | null): boolean {
	const box = frame?.getBoundingClientRect();
	return box !== undefined && x > box.left && x < box.right - 190 && y > box.top && y < box.bottom - 80;
}
