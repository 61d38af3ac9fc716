/** Rows, and post-processors as a query has them. */
import type { PostProcessor } from "@weft/contracts";
import { readPostProcessors } from "../../src/areas/queries/flow/rules/validation.ts";
import { createProcessorChain } from "../../src/areas/runs/pipelines/rules/post-processors/index.ts";
import type { Row } from "../../src/core/rows/rows.ts";

export const parseProcessors = (...list: unknown[]): PostProcessor[] => {
	const result = readPostProcessors(list);
	if (!result.ok) throw new Error(JSON.stringify(result.errors));
	return result.value;
};

export const createBridgeDomain = (dn: string, more: Record<string, string> = {}, children?: Row[]): Row => ({
	fvBD: { attributes: { dn, ...more }, ...(children ? { children } : {}) },
});
/** A child of a class in its row. */
export const createChild = (className: string, attributes: Record<string, string>): Row => ({
	[className]: { attributes },
});

export const postProcess = (rows: readonly Row[], processors: PostProcessor[]): Row[] => {
	const { each, all } = createProcessorChain(processors);
	const made = rows.flatMap(each);
	return all ? [...all(made)] : made;
};
export const runProcessor = (rows: readonly Row[], type: string, config: object): Row[] =>
	postProcess(rows, parseProcessors({ type, config }));
export const listDns = (rows: readonly Row[]): string[] =>
	rows.map((row) => (row.fvBD as { attributes: { dn: string } }).attributes.dn);
