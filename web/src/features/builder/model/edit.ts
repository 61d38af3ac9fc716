/** Changes of a canvas: each takes a document and gives another one. */
import { type CanvasEdge, type CanvasNode, type Data, type Doc, freeId, type Kind, nodeOf } from "./canvas.ts";

const STEP = { x: 240, y: 110 };

/** A node of a kind beside another one (or at the end), joined to it where that makes sense. */
export function addNode(
	doc: Doc,
	kind: Kind,
	data: Data,
	wish: string,
	after: string | null,
): { doc: Doc; id: string } {
	const id = freeId(doc, wish);
	const from = nodeOf(doc, after);
	const node: CanvasNode = { id, type: kind, position: freePlace(doc, from), data, rest: {} };
	const added = { ...doc, nodes: [...doc.nodes, node] };
	const joins = from !== undefined && problemOfEdge(added, from.id, id) === null;
	return { doc: joins ? connect(added, from.id, id) : added, id };
}

/** Right of a node, below what is there already. */
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

export function connect(doc: Doc, source: string, target: string, data: Data = {}): Doc {
	const edge: CanvasEdge = { id: freeId(doc, `${source}-${target}`), source, target, data, rest: {} };
	return { ...doc, edges: [...doc.edges, edge] };
}

/** Takes nodes and edges away; a chain stays joined where a node in its middle goes. */
export function remove(doc: Doc, ids: ReadonlySet<string>): Doc {
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

/** Puts other data in the place of what was there. */
export function replaceData(doc: Doc, id: string, data: Data): Doc {
	return { ...doc, nodes: doc.nodes.map((node) => (node.id === id ? { ...node, data } : node)) };
}

export function move(doc: Doc, places: ReadonlyMap<string, { readonly x: number; readonly y: number }>): Doc {
	return {
		...doc,
		nodes: doc.nodes.map((node) => {
			const position = places.get(node.id);
			return position ? { ...node, position } : node;
		}),
	};
}

/** Nodes and the edges among them, for the clipboard. */
export function copyOf(doc: Doc, ids: ReadonlySet<string>) {
	return {
		nodes: doc.nodes.filter(({ id }) => ids.has(id)),
		edges: doc.edges.filter(({ source, target }) => ids.has(source) && ids.has(target)),
	};
}

/** Puts copied nodes a little beside where they came from, under ids of their own. */
export function paste(doc: Doc, copied: Pick<Doc, "nodes" | "edges">): { doc: Doc; ids: string[] } {
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

/** Why an edge cannot be drawn; null when it can. The service has the last word: this is for answering at once. */
export function problemOfEdge(doc: Pick<Doc, "nodes" | "edges">, source: string, target: string): string | null {
	const [from, to] = [nodeOf(doc, source), nodeOf(doc, target)];
	if (from === undefined || to === undefined) return "One of the two is no longer there.";
	if (source === target) return "An edge cannot join a node to itself.";
	if (to.type === "startNode") return "Nothing leads to the start.";
	if (from.type === "outputNode") return "Nothing follows the output.";
	if (from.type === "startNode" && to.type !== "classNode") return "A query starts with a class.";
	if (doc.edges.some((edge) => edge.source === source && edge.target === target))
		return "These two are joined already.";
	if (reaches(doc, target, source)) return "This edge would close a cycle.";
	return null;
}

function reaches(doc: Pick<Doc, "edges">, from: string, to: string): boolean {
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
