/**
 * Joins of a query, and the stages that they make one: a join needs the rows of all its classes in
 * one stage, also of classes that no plain edge connects.
 */
import { type Flow, JOIN_LIMITS, type PostProcessor, type PostProcessorConfig } from "@weft/contracts";
import { addError, type FieldErrors, hasErrors } from "./checked.ts";
import { buildGraph, type Graph, groupBy, sortTopologically } from "./graph.ts";

/** A join that is not paused. */
export interface PlacedJoin {
	readonly config: PostProcessorConfig<"join">;
	/** Its place in the query, such as `post_processors.0.config`. */
	readonly path: string;
	/** The canvas node; undefined for one of the query's own post-processors. */
	readonly nodeId: string | undefined;
}

/** Joins of the canvas, then those of the query's own post-processors. */
export function findJoins(flow: Flow, postProcessors: readonly PostProcessor[]): PlacedJoin[] {
	const drawn = flow.nodes.flatMap(({ id, type, data }, index): PlacedJoin[] => {
		if (type !== "postProcessorNode" || data.isPaused === true || data.processorType !== "join") return [];
		return [{ config: data.config, path: `flow_data.nodes.${index}.data.config`, nodeId: id }];
	});
	const own = postProcessors.flatMap(({ type, config, enabled }, index): PlacedJoin[] =>
		type === "join" && enabled !== false
			? [{ config, path: `post_processors.${index}.config`, nodeId: undefined }]
			: [],
	);
	return [...drawn, ...own];
}

/** Names of the classes that joins read, the base of the first one first. */
export const listClassNames = (joins: readonly Pick<PlacedJoin, "config">[]): string[] => [
	...new Set(joins.flatMap(({ config }) => [config.base, ...config.attach.map((entry) => entry.class)])),
];

/** Indices in `graph.stages`, by new stage in order; each new stage lists its parts in order. */
export type StageParts = readonly (readonly number[])[];

/**
 * Makes one stage of those that a join reads and of those between them. The joins of the query's
 * own post-processors share one stage, because the result is theirs.
 */
export function mergeJoinedStages(graph: Graph, joins: readonly PlacedJoin[]): StageParts {
	const label = graph.stages.map((_, index) => index);
	const indexByNode = indexNodes(graph);
	const drawn = joins.filter(({ nodeId }) => nodeId !== undefined);
	const groups = [...drawn.map((join) => [join]), joins.filter(({ nodeId }) => nodeId === undefined)];
	const wanted = groups.map((group) => findParts(graph, indexByNode, group)).filter(({ size }) => size > 1);
	if (wanted.length === 0) return label.map((part) => [part]);
	const links = graph.pipelines.flatMap(({ source, target }) => {
		const [from, to] = [indexByNode.get(source), indexByNode.get(target)];
		return from === undefined || to === undefined ? [] : [{ from, to }];
	});
	const after = listByKey(
		links,
		({ from }) => from,
		({ to }) => to,
	);
	const before = listByKey(
		links,
		({ to }) => to,
		({ from }) => from,
	);
	const merge = (parts: ReadonlySet<number>): void => {
		const labels = new Set([...parts].map((part) => label[part]));
		const first = Math.min(...parts);
		for (const [part, own] of label.entries()) if (labels.has(own)) label[part] = label[first] ?? first;
	};
	for (const parts of wanted) merge(parts);
	for (let changed = true; changed; ) {
		changed = false;
		for (const parts of wanted) {
			const between = findBetween(label, after, before, label[Math.min(...parts)] ?? 0);
			if (new Set([...between].map((part) => label[part])).size <= 1) continue;
			merge(between);
			changed = true;
		}
	}
	const parts = listByKey(
		[...label.entries()],
		([, own]) => `${own}`,
		([part]) => part,
	);
	const arrows = links.flatMap(({ from, to }) =>
		label[from] === label[to] ? [] : [{ source: `${label[from]}`, target: `${label[to]}` }],
	);
	return sortTopologically([...parts.keys()], arrows).map((own) => parts.get(own) ?? []);
}

function listByKey<T, K, V>(items: readonly T[], getKey: (item: T) => K, getValue: (item: T) => V): Map<K, V[]> {
	return new Map([...groupBy(items, getKey)].map(([key, group]) => [key, group.map(getValue)] as const));
}

const indexNodes = (graph: Graph): Map<string, number> =>
	new Map(graph.stages.flatMap((ids, index) => ids.map((id) => [id, index] as const)));

/** The stages that have a class of these joins, or the joins themselves. */
function findParts(graph: Graph, indexByNode: ReadonlyMap<string, number>, joins: readonly PlacedJoin[]): Set<number> {
	const names = new Set(listClassNames(joins));
	const parts = new Set<number>();
	for (const [id, index] of indexByNode) {
		const node = graph.node(id);
		const isRead = node?.type === "classNode" && names.has(node.data.className);
		if (isRead || joins.some(({ nodeId }) => nodeId === id)) parts.add(index);
	}
	return parts;
}

/** Stages by the stage from which, or to which, pipeline edges lead. */
type Links = ReadonlyMap<number, readonly number[]>;

/** The parts of a merged stage, and all from which it both takes values and passes them on. */
function findBetween(label: readonly number[], after: Links, before: Links, merged: number): Set<number> {
	const members = label.flatMap((own, part) => (own === merged ? [part] : []));
	const above = findReachable(members, before);
	return new Set([...findReachable(members, after)].filter((part) => above.has(part)));
}

function findReachable(from: readonly number[], links: Links): Set<number> {
	const found = new Set(from);
	for (const part of found) for (const next of links.get(part) ?? []) found.add(next);
	return found;
}

/** Why joins cannot be carried out on the canvas, by the place of the join. */
export function findJoinProblems(flow: Flow, postProcessors: readonly PostProcessor[]): FieldErrors {
	const errors: FieldErrors = {};
	const joins = findJoins(flow, postProcessors);
	if (joins.length === 0) return errors;
	for (const { path } of joins.slice(JOIN_LIMITS.joins)) {
		addError(errors, path, `A query can have at most ${JOIN_LIMITS.joins} joins. Remove or pause the others.`);
	}
	if (hasErrors(errors)) return errors;
	const classes = flow.nodes.flatMap((node) => (node.type === "classNode" ? [node.data] : []));
	if (classes.every(({ scope = "self" }) => scope === "self")) {
		const names = new Set(classes.map(({ className }) => className));
		for (const { config, path } of joins) {
			if (!names.has(config.base)) addError(errors, `${path}.base`, formatMissing(config.base));
			for (const [at, entry] of config.attach.entries()) {
				if (!names.has(entry.class)) addError(errors, `${path}.attach.${at}.class`, formatMissing(entry.class));
			}
		}
	}
	const graph = buildGraph(flow);
	for (const parts of mergeJoinedStages(graph, joins)) if (parts.length > 1) checkParts(graph, joins, parts, errors);
	return errors;
}

const formatMissing = (className: string): string =>
	`The canvas has no class ${className}. Add it to the canvas, or choose a class of the canvas.`;

/** A post-processor of one part would change the rows of the others. */
function checkParts(graph: Graph, joins: readonly PlacedJoin[], parts: readonly number[], errors: FieldErrors): void {
	const members = parts.map((part) => graph.stages[part] ?? []);
	const inside = joins.filter(({ nodeId }) => nodeId !== undefined && members.some((ids) => ids.includes(nodeId)));
	const [first = joins.find(({ nodeId }) => nodeId === undefined)] = inside;
	if (first === undefined) return;
	for (const ids of members) {
		if (inside.some(({ nodeId }) => nodeId !== undefined && ids.includes(nodeId))) continue;
		const processor = ids.find((id) => isProcessor(graph, id));
		if (processor === undefined) continue;
		addError(
			errors,
			first.path,
			`The join reads classes of several stages, and the post-processor "${processor}" of the canvas changes the ` +
				"rows of one of them. Move it to the post-processors of the query, after the join.",
		);
	}
	const [home = []] = members.filter((ids) => first.nodeId !== undefined && ids.includes(first.nodeId));
	const all = members.flat();
	for (const { source, target } of graph.pipelines) {
		const isInside = home.includes(source) && all.includes(target);
		if (!isInside || graph.node(source)?.type === "classNode" || graph.node(source)?.type === "filterNode") continue;
		addError(
			errors,
			first.path,
			`The join reads a class that takes values of its own rows, by the pipeline edge from "${source}". Begin that ` +
				"edge at a class.",
		);
	}
}

function isProcessor(graph: Graph, id: string): boolean {
	const node = graph.node(id);
	return node?.type === "postProcessorNode" && node.data.isPaused !== true;
}
