/**
 * The canvas. React Flow draws and drags; the store owns nodes and changes. It is one tab stop:
 * arrows move between nodes, Shift+arrows move the node, C connects, Delete removes.
 */
import "@xyflow/react/dist/base.css";
import { Background, type Connection, MiniMap, Panel, ReactFlow, ReactFlowProvider, useReactFlow } from "@xyflow/react";
import { Maximize, Minus, Plus } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useCallback, useId, useRef } from "react";
import { IconButton } from "../../../ui/button.tsx";
import { WeftEdge } from "./edge.tsx";
import { joinNodes } from "./join.ts";
import { type CanvasNode, type Doc, getNode } from "./model/canvas.ts";
import { buildDrawing } from "./model/chips.ts";
import { sayNode } from "./model/describe.ts";
import { findEdgeProblem, moveNodes } from "./model/edit.ts";
import { type Direction, findNextNode } from "./model/walk.ts";
import { WeftNode } from "./node.tsx";
import { type BuilderStore, useBuilder, useBuilderStore, useDoc } from "./store.ts";
import { CROWDED, useFlowElements } from "./use-flow-elements.ts";
import { useViewport } from "./use-viewport.ts";

const NODE_TYPES = { weft: WeftNode };
const EDGE_TYPES = { weft: WeftEdge };
const NUDGE = 20;
const MANY = 14;

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
	const said = useBuilder((state) => state.said);
	const flow = useReactFlow();
	const help = useId();
	const frame = useRef<HTMLDivElement>(null);
	const { nodes, edges, onNodesChange, onEdgesChange } = useFlowElements();
	const { settle, showNode } = useViewport(frame);

	const join = useCallback(
		({ source, target }: Connection) => {
			joinNodes(store, source, target);
		},
		[store],
	);
	return (
		<div
			ref={frame}
			role="application"
			aria-label="Canvas"
			aria-describedby={help}
			// biome-ignore lint/a11y/noNoninteractiveTabindex: the canvas is one stop of the tab key, with arrows inside
			tabIndex={0}
			className="relative h-full w-full outline-offset-[-2px]"
			onKeyDown={(event) => handleCanvasKey(event, { store, showNode, onConnect, onRemove, onOpen })}
		>
			<p id={help} className="sr-only">
				Arrow keys go from node to node and through the filters of a class, with Shift they move a node. Enter opens it
				in the inspector, A adds a node, C joins it to another one, Delete removes it. The list view shows the same
				query as text.
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
				onEdgesChange={onEdgesChange}
				onNodeDragStop={(_event, _node, dragged) => {
					const places = new Map(dragged.map(({ id, position }) => [id, position]));
					store.getState().edit((now) => moveNodes(now, roundPositions(places)));
				}}
				onConnect={join}
				isValidConnection={({ source, target }) =>
					findEdgeProblem(store.getState().history.now, source, target) === null
				}
				onConnectEnd={(event, { isValid, fromNode, fromHandle, toNode }) => {
					if (isValid || !fromNode || fromNode.id === toNode?.id) return;
					const { history, say } = store.getState();
					if (toNode) say(findEdgeProblem(history.now, fromNode.id, toNode.id) ?? "");
					else if (fromHandle?.type === "source")
						store.setState({ adding: { after: fromNode.id, at: flow.screenToFlowPosition(getPoint(event)) } });
				}}
				connectOnClick={false}
				connectionDragThreshold={6}
				onPaneClick={() => store.getState().select([])}
				onlyRenderVisibleElements={doc.nodes.length >= CROWDED}
				nodesFocusable={false}
				edgesFocusable={false}
				deleteKeyCode={null}
				selectionKeyCode="Shift"
				multiSelectionKeyCode={["Control", "Meta"]}
				disableKeyboardA11y
				minZoom={0.25}
				maxZoom={1.6}
				onInit={settle}
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
						onClick={() => void flow.fitView({ padding: 0.08, maxZoom: 1 })}
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

interface KeyVerbs extends Omit<CanvasViewProps, "children"> {
	readonly store: BuilderStore;
	/** Brings a node into sight. */
	showNode(node: CanvasNode): void;
}

function handleCanvasKey(event: KeyboardEvent, { store, showNode, onConnect, onRemove, onOpen }: KeyVerbs): void {
	if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
	const direction = ARROWS[event.key];
	const { history, selection, select } = store.getState();
	const current = getNode(history.now, [...selection][0]);
	if (direction !== undefined) {
		event.preventDefault();
		if (event.shiftKey && current) nudgeNode(store, current, direction);
		else walkOn(store, current, direction, showNode);
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
}

function nudgeNode(store: BuilderStore, { id, position }: CanvasNode, direction: Direction): void {
	const [dx, dy] = NUDGES[direction];
	const place = { x: position.x + dx, y: position.y + dy };
	store.getState().edit((now) => moveNodes(now, new Map([[id, place]])), `move:${id}`);
}

/** Selects the nearest node in a direction, or the first node. */
function walkOn(
	store: BuilderStore,
	current: CanvasNode | undefined,
	direction: Direction,
	showNode: (node: CanvasNode) => void,
): void {
	const { history, select, say } = store.getState();
	const next = current ? findNextNode(history.now, current, direction) : history.now.nodes[0];
	if (next === undefined) say("Nothing further in this direction");
	else {
		select([next.id]);
		say(sayNode(history.now, next));
		const owner = buildDrawing(history.now).owners.get(next.id);
		showNode(getNode(history.now, owner) ?? next);
	}
}

const getPoint = (event: MouseEvent | TouchEvent) => {
	const { clientX, clientY } = "clientX" in event ? event : (event.changedTouches[0] ?? { clientX: 0, clientY: 0 });
	return { x: clientX, y: clientY };
};

const roundPositions = (places: ReadonlyMap<string, Doc["nodes"][number]["position"]>) =>
	new Map([...places].map(([id, { x, y }]) => [id, { x: Math.round(x), y: Math.round(y) }]));
