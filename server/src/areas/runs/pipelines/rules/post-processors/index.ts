/**
 * Post-processors change the rows between the controller and the reader; they never modify the rows
 * they are given. `row` processors take each row by itself and can be applied page by page; `all`
 * processors need all rows at once. docs/post-processors.md describes each for users.
 */
import type { PostProcessor } from "@weft/contracts";
import type { Row } from "../../../../../core/rows/rows.ts";
import { builtInNames, type NameReader } from "../dn-names.ts";
import { limitList, limitRow } from "./bounds.ts";
import { createCalculation, createOverlap } from "./calculate.ts";
import { createAggregator, createArraySort } from "./collect.ts";
import { createJoin, type Subclasses } from "./join.ts";
import { createPatternFilter, filterRows } from "./select.ts";
import { createFieldExtract, createFlattener } from "./shape.ts";
import { createDnExtract, createRegexTransform, createTextOperations, mapTransform } from "./values.ts";

type Processor =
	| { kind: "row"; apply: (row: Row) => Row[] }
	| { kind: "all"; apply: (rows: readonly Row[]) => Iterable<Row> };

function buildProcessor(processor: PostProcessor, names: NameReader, subclasses: Subclasses): Processor {
	switch (processor.type) {
		case "filter_rows":
			return { kind: "row", apply: filterRows(processor.config) };
		case "pattern-filter":
			return { kind: "row", apply: createPatternFilter(processor.config) };
		case "dn-extract":
			return { kind: "row", apply: createDnExtract(processor.config, names) };
		case "regex-transform":
			return { kind: "row", apply: createRegexTransform(processor.config) };
		case "map-transform":
			return { kind: "row", apply: mapTransform(processor.config) };
		case "text-operations":
			return { kind: "row", apply: createTextOperations(processor.config) };
		case "field-extract":
			return { kind: "row", apply: createFieldExtract(processor.config) };
		case "flatten":
			return { kind: "row", apply: createFlattener(processor.config) };
		case "array-sort":
			return { kind: "all", apply: createArraySort(processor.config) };
		case "aggregate":
			return { kind: "all", apply: createAggregator(processor.config) };
		case "calculate": {
			const { config } = processor;
			return config.operation === "overlap"
				? { kind: "all", apply: createOverlap(config) }
				: { kind: "row", apply: createCalculation(config) };
		}
		case "join":
			return { kind: "all", apply: createJoin(processor.config, subclasses) };
	}
}

export interface ProcessorChain {
	/** The rows that the processors before the first that needs all rows make of one row. */
	each(row: Row): readonly Row[];
	/** The others, over all rows that `each` returned; undefined when there are none. */
	readonly all: ((rows: readonly Row[]) => Iterable<Row>) | undefined;
}

/** Whether a processor reads the values of relative names. */
export const readsNames = ({ type, config, enabled }: PostProcessor): boolean =>
	enabled !== false && type === "dn-extract" && config.part === "value";

const ALL_ROWS: readonly PostProcessor["type"][] = ["array-sort", "aggregate", "join"];
const needsAllRows = ({ type, config }: PostProcessor): boolean =>
	ALL_ROWS.includes(type) || (type === "calculate" && config.operation === "overlap");

/** The enabled processors: those that work row by row, and those from the first that does not. */
export function splitProcessors(processors: readonly PostProcessor[]): {
	readonly each: readonly PostProcessor[];
	readonly all: readonly PostProcessor[];
} {
	const enabled = processors.filter(({ enabled }) => enabled !== false);
	const firstOfAll = enabled.findIndex(needsAllRows);
	const split = firstOfAll < 0 ? enabled.length : firstOfAll;
	return { each: enabled.slice(0, split), all: enabled.slice(split) };
}

/**
 * The enabled processors, compiled once. They throw ProcessorError where rows grow too long.
 * @param names reads the values of relative names
 * @param subclasses of classes that joins name
 */
export function createProcessorChain(
	processors: readonly PostProcessor[],
	names = builtInNames,
	subclasses: Subclasses = {},
): ProcessorChain {
	const { each, all } = splitProcessors(processors);
	const compile = (processor: PostProcessor) => buildProcessor(processor, names, subclasses);
	const apply = applyRowByRow(each.map(compile));
	return { each: apply, all: all.length === 0 ? undefined : applyToAll(all.map(compile)) };
}

/** Row by row, so that only the rows made of one row are in memory. */
const applyRowByRow =
	(list: readonly Processor[]) =>
	(row: Row): readonly Row[] => {
		let rows: readonly Row[] = [row];
		for (const { kind, apply } of list) rows = kind === "row" ? rows.flatMap(apply) : [...apply(rows)];
		for (const made of rows) if (made !== row) limitRow(made);
		return rows;
	};

/**
 * The first processor needs all rows. Rows that no later one collects are made one after another.
 */
function applyToAll(list: readonly Processor[]): (rows: readonly Row[]) => Iterable<Row> {
	const [first, ...others] = list;
	const nextOfAll = others.findIndex(({ kind }) => kind === "all");
	const single = applyRowByRow(nextOfAll < 0 ? others : others.slice(0, nextOfAll));
	const later = nextOfAll < 0 ? undefined : applyToAll(others.slice(nextOfAll));
	const collect = first?.kind === "all" ? first.apply : (rows: readonly Row[]) => rows;

	function* getRows(rows: readonly Row[]): Generator<Row> {
		for (const row of collect(rows)) yield* single(row);
	}

	return (rows) => (later === undefined ? getRows(rows) : later(limitList(getRows(rows))));
}
