/**
 * Splits a canvas into what decides the result of the query and what only an editor reads, so that
 * moving a node does not touch the lines that a reviewer reads.
 */
import { type Canvas, describeLongNodeType, NODE_FIELDS } from "@weft/contracts";

type Fields = Readonly<Record<string, unknown>>;

/** Nodes have `id`, `type` and `data`; edges `source`, `target`, `data` and perhaps an `id`. */
interface FlowPart {
	readonly nodes: readonly Fields[];
	readonly edges: readonly Fields[];
}

/** The flow of a file, whose elements are unchecked. */
interface UncheckedFlow {
	readonly nodes: readonly unknown[];
	readonly edges: readonly unknown[];
}

/** Nodes and edges by their ids, and other fields of the canvas such as `viewport`. */
type LayoutPart = Fields;

const EDGE_FIELDS: readonly string[] = ["edgeType", "extractField", "injectAs", "injectProperty"];
const BY_TYPE: Readonly<Record<string, readonly string[]>> = NODE_FIELDS;

const isRecord = (value: unknown): value is Fields =>
	typeof value === "object" && value !== null && !Array.isArray(value);
const readRecord = (value: unknown): Fields => (isRecord(value) ? value : {});
const getList = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isRecord) : []);

/** Drawing tools name most edges after their ends. Such an id is not written into files. */
const buildUsualEdgeId = ({ source, target }: Fields): string => `${String(source)}-${String(target)}`;

export function splitLayout({ nodes, edges, ...canvas }: Canvas): { flow: FlowPart; layout: LayoutPart } {
	const nodeLayouts: [string, Fields][] = [];
	const flowNodes = getList(nodes).map(({ id, type, data, ...rest }) => {
		const [read, drawn] = partitionFields(readRecord(data), getFields(type));
		addLayout(nodeLayouts, id, rest, drawn);
		return { id, type, ...getData(read) };
	});
	const edgeLayouts: [string, Fields][] = [];
	const flowEdges = getList(edges).map(({ id, source, target, data, ...rest }) => {
		const [read, drawn] = partitionFields(readRecord(data), EDGE_FIELDS);
		addLayout(edgeLayouts, id, rest, drawn);
		return { ...(id === buildUsualEdgeId({ source, target }) ? {} : { id }), source, target, ...getData(read) };
	});
	const layout = {
		...canvas,
		...(nodeLayouts.length > 0 ? { nodes: Object.fromEntries(nodeLayouts) } : {}),
		...(edgeLayouts.length > 0 ? { edges: Object.fromEntries(edgeLayouts) } : {}),
	};
	return { flow: { nodes: flowNodes, edges: flowEdges }, layout };
}

/** The canvas of both parts. Layout of nodes and edges that the flow does not have is left out. */
export function joinLayout({ nodes, edges }: UncheckedFlow, layout: LayoutPart): Canvas {
	const { nodes: nodeLayouts, edges: edgeLayouts, ...canvas } = layout;
	return {
		...canvas,
		nodes: nodes.map((node) =>
			isRecord(node) ? joinOne(node, getLayout(nodeLayouts, node.id), getFields(node.type)) : node,
		),
		edges: edges.map((edge) => {
			if (!isRecord(edge)) return edge;
			const { id = buildUsualEdgeId(edge), ...rest } = edge;
			return joinOne({ id, ...rest }, getLayout(edgeLayouts, id), EDGE_FIELDS);
		}),
	};
}

/** The canvas with the layout that another one has for the same nodes and edges. */
export const keepLayout = (canvas: Canvas, drawn: Canvas): Canvas =>
	joinLayout(splitLayout(canvas).flow, splitLayout(drawn).layout);

/** Layout never adds a field that decides the result. */
function joinOne(part: Fields, { data: drawn, ...rest }: Fields, fields: readonly string[]): Fields {
	const [, shown] = partitionFields(readRecord(drawn), fields);
	const isUnreadable = part.data !== undefined && part.data !== null && !isRecord(part.data);
	return { ...rest, ...part, ...(isUnreadable ? {} : getData({ ...shown, ...readRecord(part.data) })) };
}

function getLayout(layouts: unknown, id: unknown): Fields {
	const all = readRecord(layouts);
	return typeof id === "string" && Object.hasOwn(all, id) ? readRecord(all[id]) : {};
}

const getFields = (type: unknown): readonly string[] => {
	const name = describeLongNodeType(String(type));
	return Object.hasOwn(BY_TYPE, name) ? (BY_TYPE[name] ?? []) : [];
};

function partitionFields(fields: Fields, names: readonly string[]): [Fields, Fields] {
	const entries = Object.entries(fields);
	return [
		Object.fromEntries(entries.filter(([name]) => names.includes(name))),
		Object.fromEntries(entries.filter(([name]) => !names.includes(name))),
	];
}

function addLayout(layouts: [string, Fields][], id: unknown, rest: Fields, drawn: Fields): void {
	const layout = { ...rest, ...getData(drawn) };
	if (Object.keys(layout).length > 0) layouts.push([String(id), layout]);
}

const getData = (data: Fields): { data?: Fields } => (Object.keys(data).length > 0 ? { data } : {});
