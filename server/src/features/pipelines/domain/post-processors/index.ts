/**
 * Post-processors: what happens to rows between the controller and the reader. None of them changes the rows it is
 * given. `row` processors work on each row by itself, so a runner can apply them page by page; `all` ones need them all.
 * docs/post-processors.md describes each for users.
 */
import type { PostProcessor } from "@weft/contracts";
import type { Row } from "../rows.ts";
import { aggregate, arraySort } from "./collect.ts";
import { filterRows, patternFilter } from "./select.ts";
import { fieldExtract, flatten } from "./shape.ts";
import { dnExtract, mapTransform, regexTransform, textOperations } from "./values.ts";

export type Processor =
	| { kind: "row"; apply: (row: Row) => Row[] }
	| { kind: "all"; apply: (rows: readonly Row[]) => Row[] };

function processorOf(processor: PostProcessor): Processor {
	switch (processor.type) {
		case "filter_rows":
			return { kind: "row", apply: filterRows(processor.config) };
		case "pattern-filter":
			return { kind: "row", apply: patternFilter(processor.config) };
		case "dn-extract":
			return { kind: "row", apply: dnExtract(processor.config) };
		case "regex-transform":
			return { kind: "row", apply: regexTransform(processor.config) };
		case "map-transform":
			return { kind: "row", apply: mapTransform(processor.config) };
		case "text-operations":
			return { kind: "row", apply: textOperations(processor.config) };
		case "field-extract":
			return { kind: "row", apply: fieldExtract(processor.config) };
		case "flatten":
			return { kind: "row", apply: flatten(processor.config) };
		case "array-sort":
			return { kind: "all", apply: arraySort(processor.config) };
		case "aggregate":
			return { kind: "all", apply: aggregate(processor.config) };
	}
}

export interface ProcessorChain {
	/** The processors up to the first that needs all rows: apply these page by page. */
	page: (rows: readonly Row[]) => Row[];
	/** The rest, over all rows that `page` left. Undefined when there is nothing left to do. */
	rest: ((rows: readonly Row[]) => Row[]) | undefined;
}

/** The enabled processors, compiled once. */
export function processorChain(processors: readonly PostProcessor[]): ProcessorChain {
	const compiled = processors.filter(({ enabled }) => enabled !== false).map(processorOf);
	const split = compiled.findIndex(({ kind }) => kind === "all");
	const run = (list: readonly Processor[]) => (rows: readonly Row[]) =>
		list.reduce<Row[]>((kept, { kind, apply }) => (kind === "row" ? kept.flatMap(apply) : apply(kept)), [...rows]);
	if (split < 0) return { page: run(compiled), rest: undefined };
	return { page: run(compiled.slice(0, split)), rest: run(compiled.slice(split)) };
}

/** All enabled processors over all rows. */
export function postProcess(rows: readonly Row[], processors: readonly PostProcessor[]): Row[] {
	const { page, rest } = processorChain(processors);
	return rest ? rest(page(rows)) : page(rows);
}
