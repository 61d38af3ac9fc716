/** A picture as plain SVG that scrolls and zooms, with keys too, and marks nodes of a search. */
import type { PictureNode, TopologyPicture } from "@weft/contracts";
import { Maximize, ZoomIn, ZoomOut } from "lucide-react";
import { type KeyboardEvent, memo, type RefObject, useEffect, useRef, useState } from "react";
import { IconButton } from "../../../ui/button.tsx";
import { type Layout, SIZE } from "./layout.ts";
import { type Colour, describeMarks, getEdgeLook, getLook, KIND_NAMES, NAMED_ONLY } from "./looks.ts";

const LEAST = 0.1;
const MOST = 3;
const STEP = 1.25;
/** Scale below which labels are hard to read. */
const LEGIBLE = 0.9;
/** A picture that fits only below this scale is opened whole: a legible part shows too little. */
const WHOLE_BELOW = 0.3;
/** Characters of a label that a node has room for. */
const ROOM = 17;
/** Pixels between the picture and its frame when all of it is shown. */
const FRAME = 4;

interface CanvasProps {
	readonly label: string;
	readonly picture: Pick<TopologyPicture, "nodes" | "edges">;
	readonly layout: Layout;
	readonly colour: Colour;
	/** Nodes that a search found, the one to show first. */
	readonly found: readonly PictureNode[];
	/** Index in `found` of the node to show. */
	readonly at: number;
	readonly svg: RefObject<SVGSVGElement | null>;
	/** The address of the page of an object. */
	getHref(dn: string): string;
	onOpen(dn: string): void;
}

export function Canvas({ label, picture, layout, colour, found, at, svg, getHref, onOpen }: CanvasProps) {
	const frame = useRef<HTMLElement>(null);
	const [scale, setScale] = useState<number | null>(null);
	const { width, height } = layout;
	const fit = () => setScale(computeFit(frame.current, layout));
	// biome-ignore lint/correctness/useExhaustiveDependencies: a picture of another size is opened anew
	useEffect(() => {
		const whole = computeFit(frame.current, layout);
		const opened = whole < WHOLE_BELOW ? whole : Math.max(whole, LEGIBLE);
		setScale(opened);
		requestAnimationFrame(() => {
			if (frame.current !== null) frame.current.scrollLeft = (width * opened - frame.current.clientWidth) / 2;
		});
	}, [width, height]);
	const zoom = (factor: number) => setScale((before) => limitScale((before ?? 1) * factor));
	useWheelZoom(frame, zoom);
	usePan(frame);
	const shown = found[at];
	const shownAt = shown === undefined ? undefined : layout.places[picture.nodes.indexOf(shown)];
	// biome-ignore lint/correctness/useExhaustiveDependencies: a node is centred when another one is shown
	useEffect(() => {
		if (shownAt === undefined || frame.current === null) return;
		const factor = Math.max(scale ?? 1, 1);
		setScale(factor);
		// The new size must be there before the frame can scroll to it.
		requestAnimationFrame(() =>
			frame.current?.scrollTo({
				left: (shownAt.x + SIZE.width / 2) * factor - frame.current.clientWidth / 2,
				top: (shownAt.y + SIZE.height / 2) * factor - frame.current.clientHeight / 2,
			}),
		);
	}, [shownAt]);
	const factor = scale ?? 1;
	return (
		<div className="relative">
			<section
				ref={frame}
				aria-label={label}
				className="h-[62vh] min-h-72 overflow-auto bg-sunken"
				onKeyDown={(event) => moveFocus(event, picture.nodes, layout)}
			>
				{/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be an image */}
				<svg
					ref={svg}
					role="group"
					aria-label={`${label}, drawn`}
					viewBox={`0 0 ${width} ${height}`}
					width={width * factor}
					height={height * factor}
					className="mx-auto block"
					fontFamily="Inter Variable, Inter, system-ui, sans-serif"
				>
					<Parts picture={picture} layout={layout} colour={colour} getHref={getHref} onOpen={onOpen} />
					<Found nodes={picture.nodes} layout={layout} found={found} shown={shown} />
				</svg>
			</section>
			<div className="absolute right-3 bottom-3 flex gap-1 rounded-control bg-surface shadow-overlay">
				<IconButton label="Zoom out" icon={ZoomOut} onClick={() => zoom(1 / STEP)} />
				<IconButton label="Zoom in" icon={ZoomIn} onClick={() => zoom(STEP)} />
				<IconButton label="Show all" icon={Maximize} onClick={fit} />
			</div>
		</div>
	);
}

const limitScale = (scale: number): number => Math.min(MOST, Math.max(LEAST, scale));

function computeFit(frame: HTMLElement | null, { width, height }: Layout): number {
	if (frame === null) return 1;
	const [x, y] = [(frame.clientWidth - FRAME) / width, (frame.clientHeight - FRAME) / height];
	return limitScale(Math.min(1, x, y));
}

/** Zooms by the wheel with Ctrl; without it the frame scrolls. */
function useWheelZoom(frame: RefObject<HTMLElement | null>, zoom: (factor: number) => void): void {
	const latest = useRef(zoom);
	latest.current = zoom;
	useEffect(() => {
		const element = frame.current;
		if (element === null) return;
		const onWheel = (event: WheelEvent) => {
			if (!event.ctrlKey && !event.metaKey) return;
			event.preventDefault();
			latest.current(event.deltaY < 0 ? STEP : 1 / STEP);
		};
		element.addEventListener("wheel", onWheel, { passive: false });
		return () => element.removeEventListener("wheel", onWheel);
	}, [frame]);
}

/** Scrolls by dragging the background of the picture with a mouse. */
function usePan(frame: RefObject<HTMLElement | null>): void {
	useEffect(() => {
		const element = frame.current;
		if (element === null) return;
		const onDown = (event: PointerEvent) => {
			const isNode = event.target instanceof Element && event.target.closest("a") !== null;
			if (event.pointerType !== "mouse" || event.button !== 0 || isNode) return;
			element.setPointerCapture(event.pointerId);
		};
		const onMove = (event: PointerEvent) => {
			if (element.hasPointerCapture(event.pointerId)) element.scrollBy(-event.movementX, -event.movementY);
		};
		element.addEventListener("pointerdown", onDown);
		element.addEventListener("pointermove", onMove);
		return () => {
			element.removeEventListener("pointerdown", onDown);
			element.removeEventListener("pointermove", onMove);
		};
	}, [frame]);
}

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
	ArrowLeft: [-1, 0],
	ArrowRight: [1, 0],
	ArrowUp: [0, -1],
	ArrowDown: [0, 1],
};

/** Moves the focus to the nearest node in the direction of an arrow. Tab reaches one node only. */
function moveFocus(event: KeyboardEvent<HTMLElement>, nodes: readonly PictureNode[], { places }: Layout): void {
	const arrow = ARROWS[event.key];
	const current = event.target instanceof SVGElement ? Number(event.target.dataset.node) : Number.NaN;
	const from = places[current];
	if (arrow === undefined || from === undefined) return;
	event.preventDefault();
	let best: { index: number; far: number } | null = null;
	for (const index of nodes.keys()) {
		const to = places[index];
		if (to === undefined || index === current) continue;
		const [x, y] = [to.x - from.x, to.y - from.y];
		const along = x * arrow[0] + y * arrow[1];
		const across = Math.abs(x * arrow[1]) + Math.abs(y * arrow[0]);
		const far = along + 2 * across;
		if (along > 0 && (best === null || far < best.far)) best = { index, far };
	}
	if (best === null) return;
	const next = event.currentTarget.querySelector<SVGElement>(`[data-node="${best.index}"]`);
	event.target instanceof SVGElement && event.target.setAttribute("tabindex", "-1");
	next?.setAttribute("tabindex", "0");
	next?.focus();
}

type PartsProps = Pick<CanvasProps, "picture" | "layout" | "colour" | "getHref" | "onOpen">;

/** Rendered again only if the picture or its colours change, and not by a zoom or a search. */
const Parts = memo(function Parts({ picture, layout, colour, getHref, onOpen }: PartsProps) {
	const edges = picture.edges.map((edge, index) => ({
		edge,
		path: layout.paths[index] ?? "",
		...getEdgeLook(edge, colour),
	}));
	return (
		<>
			<defs>
				<marker id="picture-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
					<path d="M0 0L8 4L0 8Z" fill="var(--line-strong)" />
				</marker>
			</defs>
			<g fill="none">
				{edges.map(({ edge, path, stroke, dashes, isMarked }) => (
					<path
						key={`${edge.dn} ${edge.from}`}
						d={path}
						stroke={stroke}
						strokeWidth={isMarked ? 2.5 : 1}
						strokeOpacity={isMarked ? 1 : 0.6}
						strokeDasharray={dashes || undefined}
						markerEnd={edge.kind === "provides" ? "url(#picture-arrow)" : undefined}
					>
						<title>{[edge.label || edge.dn, ...describeMarks(edge)].join(", ")}</title>
					</path>
				))}
			</g>
			{picture.nodes.map((node, index) => (
				<Node
					key={node.dn}
					{...{ node, index, colour }}
					place={layout.places[index] ?? { x: 0, y: 0 }}
					href={getHref(node.dn)}
					onOpen={onOpen}
				/>
			))}
		</>
	);
});

interface NodeProps extends Pick<CanvasProps, "colour" | "onOpen"> {
	readonly node: PictureNode;
	readonly index: number;
	readonly place: { readonly x: number; readonly y: number };
	readonly href: string;
}

function Node({ node, index, place: { x, y }, colour, href, onOpen }: NodeProps) {
	const look = getLook(node, colour);
	const kind = node.class_name === null ? `${KIND_NAMES[node.kind]}, ${NAMED_ONLY}` : KIND_NAMES[node.kind];
	const below = node.tenant === null ? kind : `${kind}, ${node.tenant}`;
	const isGone = node.change === "deleted";
	return (
		<g>
			<a
				href={href}
				data-node={index}
				tabIndex={index === 0 ? 0 : -1}
				aria-label={[node.label, kind, ...describeMarks(node)].join(", ")}
				className="outline-none [&:focus-visible>rect]:stroke-(--accent) [&:focus-visible>rect]:[stroke-width:4px]"
				onClick={(event) => {
					if (event.metaKey || event.ctrlKey || event.shiftKey) return;
					event.preventDefault();
					onOpen(node.dn);
				}}
			>
				<title>{node.dn}</title>
				<rect
					x={x}
					y={y}
					width={SIZE.width}
					height={SIZE.height}
					rx={6}
					fill={look.fill}
					stroke={look.stroke}
					strokeWidth={look.sign === "" ? 1 : 2}
					strokeDasharray={isGone || node.class_name === null ? "5 3" : undefined}
				/>
			</a>
			{/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: it takes no focus; the link's name says the same, unshortened */}
			<g aria-hidden="true" pointerEvents="none">
				<text
					x={x + 9}
					y={y + 16}
					fontSize={12}
					fontWeight={600}
					fill="var(--fg)"
					textDecoration={isGone ? "line-through" : undefined}
				>
					{shortenText(node.label, look.sign === "" ? ROOM : ROOM - 2)}
				</text>
				<text x={x + 9} y={y + 30} fontSize={10.5} fill="var(--fg)">
					{shortenText(below, ROOM + 5)}
				</text>
				{look.sign !== "" && (
					<text x={x + SIZE.width - 9} y={y + 17} fontSize={14} fontWeight={700} textAnchor="end" fill={look.stroke}>
						{look.sign}
					</text>
				)}
			</g>
		</g>
	);
}

const shortenText = (text: string, room: number): string =>
	text.length <= room ? text : `${text.slice(0, room - 1)}…`;

interface FoundProps {
	readonly nodes: readonly PictureNode[];
	readonly layout: Layout;
	readonly found: readonly PictureNode[];
	readonly shown: PictureNode | undefined;
}

/** Frames around the nodes that a search found. */
function Found({ nodes, layout, found, shown }: FoundProps) {
	return (
		<g data-screen fill="none" stroke="var(--accent)" pointerEvents="none">
			{found.map((node) => {
				const place = layout.places[nodes.indexOf(node)];
				if (place === undefined) return null;
				return (
					<rect
						key={node.dn}
						x={place.x - 4}
						y={place.y - 4}
						width={SIZE.width + 8}
						height={SIZE.height + 8}
						rx={9}
						strokeWidth={node === shown ? 4 : 2}
						strokeDasharray={node === shown ? undefined : "6 3"}
					/>
				);
			})}
		</g>
	);
}
