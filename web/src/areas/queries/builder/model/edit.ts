/** Changes of a canvas: each takes a document and gives another one. */
import {
	type CanvasEdge,
	type CanvasNode,
	type Data,
	type Doc,
	freeId,
	getNode,
	isPipeline,
	type Kind,
} from "./canvas.ts";
import { buildDrawing } from "./chips.ts";

const STEP = { x: 240, y: 120 };

/** A node of a kind beside another one (or at the end), joined to it where that makes sense. */
export function addNode(
	doc: Doc,
	kind: Kind,
	data: Data,
	wish: string,
	after: string | null,
): { doc: Doc; id: string } {
	const id = freeId(doc, wish);
	const from = getNode(doc, after);
	const node: CanvasNode = { id, type: kind, position: freePlace(doc, from), data, rest: {} };
	const others = kind === "outputNode" ? doc.nodes : moveOutputs(doc, node.position.x);
	const added = { ...doc, nodes: [...others, node] };
	const joins = from !== undefined && findEdgeProblem(added, from.id, id) === null;
	return { doc: joins ? connectNodes(added, from.id, id) : added, id };
}

/** Adds a filter to a class: a node below it, which the canvas shows as a chip in the class. */
export function addFilter(doc: Doc, classId: string, data: Data): { doc: Doc; id: string } {
	const id = freeId(doc, "filter");
	const { x = 0, y = 0 } = getNode(doc, classId)?.position ?? {};
	const node: CanvasNode = { id, type: "filterNode", position: { x: x + 24, y: y + STEP.y }, data, rest: {} };
	return { doc: connectNodes({ ...doc, nodes: [...doc.nodes, node] }, classId, id), id };
}

/** Adds a class above another one, between it and the start. */
export function addParent(doc: Doc, childId: string, className: string): { doc: Doc; id: string } {
	const id = freeId(doc, className);
	const position = getNode(doc, childId)?.position ?? { x: 0, y: 0 };
	const node: CanvasNode = { id, type: "classNode", position, data: { className }, rest: {} };
	// The child and what follows it make room.
	const nodes = doc.nodes.map((each) =>
		each.position.x >= position.x ? { ...each, position: { ...each.position, x: each.position.x + STEP.x } } : each,
	);
	const edges = doc.edges.map((edge) =>
		edge.target === childId && getNode(doc, edge.source)?.type === "startNode" ? { ...edge, target: id } : edge,
	);
	return { doc: connectNodes({ ...doc, nodes: [...nodes, node], edges }, id, childId), id };
}

/** Adds the first class of a canvas, between the start and the output. */
export function beginWithClass(doc: Doc, className: string): { doc: Doc; id: string } {
	const start = doc.nodes.find(({ type }) => type === "startNode");
	const { doc: added, id } = addNode(doc, "classNode", { className }, className, start?.id ?? null);
	const output = added.nodes.find(({ type }) => type === "outputNode");
	return { doc: output === undefined ? added : connectNodes(added, id, output.id), id };
}

/** Connects a class to the outputs of the class above it. */
export function connectOutputs(doc: Doc, parentId: string, id: string): Doc {
	const outputs = doc.edges.filter(
		({ source, target }) => source === parentId && getNode(doc, target)?.type === "outputNode",
	);
	return outputs.reduce(
		(next, { target }) => (findEdgeProblem(next, id, target) === null ? connectNodes(next, id, target) : next),
		doc,
	);
}

/**
 * A node between the ends of an edge, where both new edges can be; else like `addNode` after the
 * edge's source. Values that the edge passes on are passed on from the new node.
 */
export function insertNode(doc: Doc, edge: CanvasEdge, kind: Kind, data: Data, wish: string): { doc: Doc; id: string } {
	const without = { ...doc, edges: doc.edges.filter(({ id }) => id !== edge.id) };
	const added = addNode(without, kind, data, wish, edge.source);
	const isJoined = added.doc.edges.length > without.edges.length;
	if (!isJoined || findEdgeProblem(added.doc, added.id, edge.target) !== null)
		return addNode(doc, kind, data, wish, edge.source);
	return { ...added, doc: { ...added.doc, edges: [...added.doc.edges, { ...edge, source: added.id }] } };
}

/** A free position to the right of a node, below existing nodes. */
function freePlace(doc: Doc, from: CanvasNode | undefined): { x: number; y: number } {
	const right = Math.max(
		-STEP.x,
		...doc.nodes.filter(({ type }) => type !== "outputNode").map(({ position }) => position.x),
	);
	const place = from ? { x: from.position.x + STEP.x, y: from.position.y } : { x: right + STEP.x, y: 120 };
	const taken = (x: number, y: number) =>
		doc.nodes.some(({ position }) => Math.abs(position.x - x) < 200 && Math.abs(position.y - y) < 90);
	while (taken(place.x, place.y)) place.y += STEP.y;
	return place;
}

/** Moves outputs to the right of a column, so that no wire of a new node runs back to one. */
const moveOutputs = ({ nodes }: Doc, column: number): readonly CanvasNode[] =>
	nodes.map((node) =>
		node.type === "outputNode" && node.position.x < column + STEP.x
			? { ...node, position: { ...node.position, x: column + STEP.x } }
			: node,
	);

export function connectNodes(doc: Doc, source: string, target: string, data: Data = {}): Doc {
	const edge: CanvasEdge = { id: freeId(doc, `${source}-${target}`), source, target, data, rest: {} };
	return { ...doc, edges: [...doc.edges, edge] };
}

/** Passes values of one field on to a next stage, which reads the objects with these DNs. */
export function turnToFollow(doc: Doc, edgeId: string, field: "tDn" | "dn"): Doc {
	const injectAs = field === "tDn" ? "filter_values" : "dn_scope";
	const inject = field === "tDn" ? { injectProperty: "dn" } : {};
	return setData(doc, edgeId, { edgeType: "pipeline", extractField: field, injectAs, ...inject });
}

/**
 * Adds the class that a relation leads to: the relation's class below `from`, and behind it a stage
 * that reads the objects which its `tDn` names, with an output of its own.
 */
export function followRelation(
	doc: Doc,
	from: string,
	{ relation, target }: { readonly relation: string; readonly target: string },
): { doc: Doc; id: string } {
	const isThere = getNode(doc, from)?.data.className === relation;
	const via = isThere ? { doc, id: from } : addNode(doc, "classNode", { className: relation }, relation, from);
	const end = addNode(via.doc, "classNode", { className: target }, target, via.id);
	const edge = end.doc.edges.find((each) => each.source === via.id && each.target === end.id);
	const followed = edge === undefined ? end.doc : turnToFollow(end.doc, edge.id, "tDn");
	return { doc: addNode(followed, "outputNode", {}, "output", end.id).doc, id: end.id };
}

/** The class that a node stands below or is itself; null where there is none. */
export function findClassAt(doc: Pick<Doc, "nodes" | "edges">, id: string | undefined): CanvasNode | null {
	const seen = new Set<string>();
	for (let node = getNode(doc, id); node !== undefined && !seen.has(node.id); ) {
		const { id: at, type } = node;
		if (type === "startNode" || type === "outputNode") return null;
		if (type === "classNode") return node;
		seen.add(at);
		node = getNode(doc, doc.edges.find((edge) => edge.target === at && !isPipeline(edge))?.source);
	}
	return null;
}

/** Replaces a name that the class model does not have: the class's, or a property's of a filter. */
export function replaceName(doc: Doc, id: string, from: string | null, to: string): Doc {
	if (from === null) return setData(doc, id, { className: to });
	// A property may be written with its class in front of it.
	const renamed = (name: unknown): unknown =>
		name === from
			? to
			: typeof name === "string" && name.endsWith(`.${from}`)
				? name.slice(0, -from.length) + to
				: name;
	const node = getNode(doc, id);
	const groups = node?.data.patternGroups;
	if (!Array.isArray(groups)) return setData(doc, id, { property: renamed(node?.data.property) });
	const patternGroups = groups.map((group: { patterns?: { property?: unknown }[] }) => ({
		...group,
		patterns: group.patterns?.map((pattern) => ({ ...pattern, property: renamed(pattern.property) })),
	}));
	return setData(doc, id, { patternGroups });
}

/** Takes nodes and edges away; a chain stays joined where a node in its middle goes. */
export function removeElements(doc: Doc, ids: ReadonlySet<string>): Doc {
	let edges = doc.edges.filter(({ id }) => !ids.has(id));
	for (const node of doc.nodes) {
		if (!ids.has(node.id)) continue;
		const into = edges.filter(({ target }) => target === node.id);
		const out = edges.filter(({ source }) => source === node.id);
		edges = edges.filter(({ source, target }) => source !== node.id && target !== node.id);
		if (into.length !== 1 || out.length !== 1 || into[0] === undefined || out[0] === undefined) continue;
		const [{ source }, { target }] = [into[0], out[0]];
		const known = edges.some((edge) => edge.source === source && edge.target === target);
		if (!known && !ids.has(source) && !ids.has(target)) edges = [...edges, { ...out[0], source }];
	}
	return { ...doc, nodes: doc.nodes.filter(({ id }) => !ids.has(id)), edges };
}

export function setData(doc: Doc, id: string, change: Data): Doc {
	const merge = (data: Data): Data =>
		Object.fromEntries(Object.entries({ ...data, ...change }).filter(([, value]) => value !== undefined));
	return {
		...doc,
		nodes: doc.nodes.map((node) => (node.id === id ? { ...node, data: merge(node.data) } : node)),
		edges: doc.edges.map((edge) => (edge.id === id ? { ...edge, data: merge(edge.data) } : edge)),
	};
}

/** Replaces a node's data. */
export function replaceData(doc: Doc, id: string, data: Data): Doc {
	return { ...doc, nodes: doc.nodes.map((node) => (node.id === id ? { ...node, data } : node)) };
}

export function moveNodes(doc: Doc, places: ReadonlyMap<string, { readonly x: number; readonly y: number }>): Doc {
	return {
		...doc,
		nodes: doc.nodes.map((node) => {
			const position = places.get(node.id);
			return position ? { ...node, position } : node;
		}),
	};
}

/**
 * Edges into outputs that both stages of a pipeline edge share, from the later stage. Such an
 * output makes one stage of the two. Empty if the edge has no such problem.
 */
export function findSharedOutputs(doc: Pick<Doc, "nodes" | "edges">, edgeId: string): CanvasEdge[] {
	const edge = doc.edges.find(({ id }) => id === edgeId);
	if (edge === undefined || !isPipeline(edge)) return [];
	const isOutput = (id: string) => getNode(doc, id)?.type === "outputNode";
	const plain = doc.edges.filter((each) => !isPipeline(each));
	const getStage = (start: string): Set<string> => {
		const found = new Set([start]);
		for (const id of found)
			for (const { source, target } of plain) {
				if (isOutput(target)) continue;
				if (source === id) found.add(target);
				if (target === id) found.add(source);
			}
		return found;
	};
	const [before, after] = [getStage(edge.source), getStage(edge.target)];
	if (before.has(edge.target)) return [];
	const outputs = new Set(
		plain.filter(({ source, target }) => isOutput(target) && before.has(source)).map(({ target }) => target),
	);
	return plain.filter(({ source, target }) => outputs.has(target) && after.has(source));
}

/** Gives the stage that a pipeline edge leads to an output of its own. */
export function separateOutputs(doc: Doc, edgeId: string): Doc {
	const shared = findSharedOutputs(doc, edgeId);
	const [first] = shared;
	if (first === undefined) return doc;
	const { doc: added, id } = addNode(doc, "outputNode", {}, "output", first.source);
	const moved = new Set(shared.map((edge) => edge.id));
	return {
		...added,
		edges: added.edges
			// `addNode` has joined the new output to the first of them already.
			.filter((edge) => edge.id !== first.id)
			.map((edge) => (moved.has(edge.id) ? { ...edge, target: id } : edge)),
	};
}

/** Nodes and the edges among them, for the clipboard. */
export function copyNodes(doc: Doc, ids: ReadonlySet<string>) {
	return {
		nodes: doc.nodes.filter(({ id }) => ids.has(id)),
		edges: doc.edges.filter(({ source, target }) => ids.has(source) && ids.has(target)),
	};
}

/** Puts copied nodes a little beside where they came from, under ids of their own. */
export function pasteNodes(doc: Doc, copied: Pick<Doc, "nodes" | "edges">): { doc: Doc; ids: string[] } {
	let next = doc;
	const names = new Map<string, string>();
	for (const node of copied.nodes) {
		const id = freeId(next, node.id);
		names.set(node.id, id);
		const position = { x: node.position.x + 40, y: node.position.y + 60 };
		next = { ...next, nodes: [...next.nodes, { ...node, id, position }] };
	}
	for (const edge of copied.edges) {
		const [source, target] = [names.get(edge.source), names.get(edge.target)];
		if (source === undefined || target === undefined) continue;
		next = { ...next, edges: [...next.edges, { ...edge, id: freeId(next, `${source}-${target}`), source, target }] };
	}
	return { doc: next, ids: [...names.values()] };
}

/** Why an edge cannot be drawn, or null. For immediate feedback; the service decides. */
export function findEdgeProblem(doc: Pick<Doc, "nodes" | "edges">, source: string, target: string): string | null {
	const [from, to] = [getNode(doc, source), getNode(doc, target)];
	if (from === undefined || to === undefined) return "One of the nodes no longer exists.";
	if (source === target) return "An edge cannot connect a node to itself.";
	if (to.type === "startNode") return "The start has no inputs.";
	if (from.type === "outputNode") return "The output has no successors.";
	if (from.type === "startNode" && to.type !== "classNode") return "A query starts with a class.";
	const isDrawn = [...doc.edges, ...buildDrawing(doc).edges].some(
		(edge) => edge.source === source && edge.target === target,
	);
	if (isDrawn) return "These nodes are already connected.";
	if (isReachable(doc, target, source)) return "This edge would close a cycle.";
	return null;
}

function isReachable(doc: Pick<Doc, "edges">, from: string, to: string): boolean {
	const seen = new Set([from]);
	const stack = [from];
	for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
		if (id === to) return true;
		for (const edge of doc.edges) {
			if (edge.source !== id || seen.has(edge.target)) continue;
			seen.add(edge.target);
			stack.push(edge.target);
		}
	}
	return false;
}
