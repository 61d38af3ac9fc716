/**
 * The canvas. React Flow draws and drags; the store owns nodes and changes. It is one tab stop:
 * arrows move between nodes, Shift+arrows move the node, C connects, Delete removes.
 */
import "@xyflow/react/dist/base.css";
import {
	Background,
	type Connection,
	type EdgeChange,
	MiniMap,
	type NodeChange,
	Panel,
	ReactFlow,
	ReactFlowProvider,
	useNodesState,
	useReactFlow,
	type Viewport,
} from "@xyflow/react";
import { Maximize, Minus, Plus } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useId, useMemo, useRef } from "react";
import { formatCount } from "../../platform/format.ts";
import { IconButton } from "../../ui/button.tsx";
import type { NodeRuns } from "../runs/frames.ts";
import { type FlowEdge, WeftEdge } from "./edge.tsx";
import { joinNodes } from "./join.ts";
import { type CanvasEdge, type Doc, getNode, isPipeline, NODE_WIDTH } from "./model/canvas.ts";
import { sayNode } from "./model/describe.ts";
import { moveNodes, problemOfEdge } from "./model/edit.ts";
import type { Box } from "./model/route.ts";
import { type Direction, findNearestNode } from "./model/walk.ts";
import { type FlowNode, WeftNode } from "./node.tsx";
import { useBuilder, useBuilderStore, useDoc } from "./store.ts";

const NODE_TYPES = { weft: WeftNode };
const EDGE_TYPES = { weft: WeftEdge };
/** Text stays legible: a canvas that does not fit scrolls. */
const LEAST_ZOOM = 0.8;
/** Around everything, in pixels. */
const MARGIN = 32;
const NUDGE = 20;
const MANY = 14;
/** Above this many nodes only visible ones are drawn, and edges go straight. */
const CROWDED = 60;

interface CanvasViewProps {
	/** Over the top left corner. */
	readonly children: ReactNode;
	/** Wanted by key: C on a node. */
	onConnect(from: string): void;
	onRemove(): void;
	/** Enter: on to the inspector. */
	onOpen(): void;
}

export function CanvasView(props: CanvasViewProps) {
	return (
		<ReactFlowProvider>
			<Canvas {...props} />
		</ReactFlowProvider>
	);
}

function Canvas({ children, onConnect, onRemove, onOpen }: CanvasViewProps) {
	const store = useBuilderStore();
	const doc = useDoc();
	const selection = useBuilder((state) => state.selection);
	const runs = useBuilder((state) => state.runs);
	const said = useBuilder((state) => state.said);
	const [nodes, setNodes, applyChanges] = useNodesState<FlowNode>([]);
	const flow = useReactFlow();
	const help = useId();
	const frame = useRef<HTMLDivElement>(null);

	// Syncs nodes from the document and keeps their measured sizes.
	useEffect(() => {
		setNodes((before) => {
			const old = new Map(before.map((node) => [node.id, node]));
			return doc.nodes.map((node): FlowNode => {
				const known = old.get(node.id);
				const selected = selection.has(node.id);
				if (known?.data.node === node && known.selected === selected) return known;
				return { ...known, id: node.id, type: "weft", position: { ...node.position }, data: { node }, selected };
			});
		});
	}, [doc, selection, setNodes]);

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
	}, [flow]);

	const reveal = useBuilder((state) => state.reveal);
	useEffect(() => {
		const node = getNode(store.getState().history.now, reveal?.id);
		if (node && !isSeen(flow.flowToScreenPosition(node.position), frame.current))
			void flow.setCenter(node.position.x + NODE_WIDTH / 2, node.position.y + 40, { zoom: flow.getZoom() });
	}, [reveal, store, flow]);

	const problems = useBuilder((state) => state.problems);
	const boxes = useMemo(() => (nodes.length >= CROWDED ? NO_BOXES : nodes.map(getBox)), [nodes]);
	const edges = useMemo(
		() => doc.edges.map((edge) => buildFlowEdge(edge, boxes, selection, runs, problems.byId.get(edge.id))),
		[doc.edges, boxes, selection, runs, problems],
	);

	const choose = useCallback(
		(changes: readonly (NodeChange<FlowNode> | EdgeChange)[]) => {
			const { selection: before, select } = store.getState();
			const next = new Set(before);
			for (const change of changes) {
				if (change.type !== "select") continue;
				if (change.selected) next.add(change.id);
				else next.delete(change.id);
			}
			if (next.size !== before.size || [...next].some((id) => !before.has(id))) select(next);
		},
		[store],
	);
	const onNodesChange = useCallback(
		(changes: NodeChange<FlowNode>[]) => {
			// The store owns the selection; React Flow owns sizes, and positions while dragging.
			choose(changes);
			applyChanges(changes.filter(({ type }) => type === "dimensions" || type === "position"));
		},
		[applyChanges, choose],
	);
	const join = useCallback(
		({ source, target }: Connection) => {
			joinNodes(store, source, target);
		},
		[store],
	);
	const onKeyDown = (event: KeyboardEvent) => {
		if (event.target !== frame.current || event.ctrlKey || event.metaKey || event.altKey) return;
		const direction = ARROWS[event.key];
		const { history, selection: chosen, select, edit, say } = store.getState();
		const current = getNode(history.now, [...chosen][0]);
		if (direction !== undefined) {
			event.preventDefault();
			if (event.shiftKey && current) {
				const [dx, dy] = NUDGES[direction];
				const place = { x: current.position.x + dx, y: current.position.y + dy };
				edit((now) => moveNodes(now, new Map([[current.id, place]])), `move:${current.id}`);
				return;
			}
			const next = current ? findNearestNode(history.now.nodes, current, direction) : history.now.nodes[0];
			if (!next) return say("Nothing further in this direction");
			select([next.id]);
			say(sayNode(history.now, next));
			const { x, y } = next.position;
			if (!isSeen(flow.flowToScreenPosition({ x, y }), frame.current))
				void flow.setCenter(x + NODE_WIDTH / 2, y + 40, { zoom: flow.getZoom() });
		} else if (event.key === "Delete" || event.key === "Backspace") {
			event.preventDefault();
			onRemove();
		} else if (event.key === "Enter" && current) {
			event.preventDefault();
			onOpen();
		} else if (event.key === "c" && current) {
			event.preventDefault();
			onConnect(current.id);
		} else if (event.key === "Escape") select([]);
	};
	return (
		<div
			ref={frame}
			role="application"
			aria-label="Canvas"
			aria-describedby={help}
			// biome-ignore lint/a11y/noNoninteractiveTabindex: the canvas is one stop of the tab key, with arrows inside
			tabIndex={0}
			className="relative h-full w-full outline-offset-[-2px]"
			onKeyDown={onKeyDown}
		>
			<p id={help} className="sr-only">
				Arrow keys go from node to node, with Shift they move it. Enter opens it in the inspector, A adds a node, C
				joins it to another one, Delete removes it. The list view shows the same query as text.
			</p>
			<div className="sr-only" role="status">
				{said}
			</div>
			<ReactFlow
				nodes={nodes}
				edges={edges}
				nodeTypes={NODE_TYPES}
				edgeTypes={EDGE_TYPES}
				onNodesChange={onNodesChange}
				onEdgesChange={choose}
				onNodeDragStop={(_event, _node, dragged) => {
					const places = new Map(dragged.map(({ id, position }) => [id, position]));
					store.getState().edit((now) => moveNodes(now, roundPositions(places)));
				}}
				onConnect={join}
				isValidConnection={({ source, target }) => problemOfEdge(store.getState().history.now, source, target) === null}
				onConnectEnd={(_event, { isValid, fromNode, toNode }) => {
					if (isValid || !fromNode || !toNode) return;
					store.getState().say(problemOfEdge(store.getState().history.now, fromNode.id, toNode.id) ?? "");
				}}
				onlyRenderVisibleElements={doc.nodes.length >= CROWDED}
				nodesFocusable={false}
				edgesFocusable={false}
				deleteKeyCode={null}
				selectionKeyCode="Shift"
				multiSelectionKeyCode={["Control", "Meta"]}
				disableKeyboardA11y
				minZoom={0.25}
				maxZoom={1.6}
				onInit={() => settle()}
				attributionPosition="bottom-right"
				proOptions={{ hideAttribution: false }}
			>
				<Background gap={20} size={1} color="var(--line-strong)" />
				{doc.nodes.length >= MANY && (
					<MiniMap
						pannable
						ariaLabel="Overview of the canvas"
						bgColor="var(--surface)"
						nodeColor="var(--heat-2)"
						maskColor="transparent"
					/>
				)}
				<Panel position="top-left">{children}</Panel>
				<Panel position="bottom-left" className="flex gap-1">
					<IconButton label="Zoom in" icon={Plus} onClick={() => void flow.zoomIn()} />
					<IconButton label="Zoom out" icon={Minus} onClick={() => void flow.zoomOut()} />
					<IconButton
						label="Show everything"
						icon={Maximize}
						onClick={() => void flow.fitView({ padding: 0.12, maxZoom: 1 })}
					/>
				</Panel>
			</ReactFlow>
		</div>
	);
}

const ARROWS: Readonly<Record<string, Direction>> = {
	ArrowLeft: "left",
	ArrowRight: "right",
	ArrowUp: "up",
	ArrowDown: "down",
};
const NUDGES: Readonly<Record<Direction, readonly [number, number]>> = {
	left: [-NUDGE, 0],
	right: [NUDGE, 0],
	up: [0, -NUDGE],
	down: [0, NUDGE],
};

const NO_BOXES: readonly Box[] = [];
const getBox = ({ position, measured }: FlowNode): Box => ({
	...position,
	width: measured?.width ?? NODE_WIDTH,
	height: measured?.height ?? 0,
});

/** An edge labelled with its rows so far, or marked as invalid. */
function buildFlowEdge(
	edge: CanvasEdge,
	boxes: readonly Box[],
	selection: ReadonlySet<string>,
	runs: NodeRuns,
	problem: string | undefined,
): FlowEdge {
	const selected = selection.has(edge.id);
	const reading = runs[edge.target]?.state === "reading";
	const rows = runs[edge.source]?.rows ?? null;
	const pipeline = isPipeline(edge);
	const label = [
		problem === undefined ? "" : "⚠",
		pipeline ? `${String(edge.data.extractField ?? "dn")} →` : "",
		rows === null ? "" : formatCount(rows),
	]
		.filter(Boolean)
		.join(" ");
	return {
		id: edge.id,
		source: edge.source,
		target: edge.target,
		type: "weft",
		data: { boxes },
		selected,
		...(label === "" ? {} : { label }),
		...(problem === undefined ? {} : { ariaLabel: problem }),
		className: [pipeline && "weft-pipeline", reading && "weft-reading", problem !== undefined && "weft-wrong"]
			.filter(Boolean)
			.join(" "),
	};
}

const roundPositions = (places: ReadonlyMap<string, Doc["nodes"][number]["position"]>) =>
	new Map([...places].map(([id, { x, y }]) => [id, { x: Math.round(x), y: Math.round(y) }]));

function isSeen({ x, y }: { x: number; y: number }, frame: HTMLElement | null): boolean {
	const box = frame?.getBoundingClientRect();
	return box !== undefined && x > box.left && x < box.right - 190 && y > box.top && y < box.bottom - 80;
}
