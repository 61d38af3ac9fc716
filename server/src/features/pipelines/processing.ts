/** A stage's post-processors as the runner needs them: page by page as far as that gives the right answer. */
import type { PostProcessor } from "@weft/contracts";
import { processorChain } from "./domain/post-processors/index.ts";
import type { Row } from "./domain/rows.ts";

export interface Processing {
	/** Nothing is done to any row. */
	readonly idle: boolean;
	/** What can be done to each page by itself. Without processors the list is given back as it is. */
	page(rows: readonly Row[]): readonly Row[];
	/** What needs all rows that `page` left; undefined when nothing does. */
	readonly rest: ((rows: readonly Row[]) => readonly Row[]) | undefined;
}

export function processingOf(processors: readonly PostProcessor[]): Processing {
	const { page, rest } = processorChain(processors);
	const idle = processors.every(({ enabled }) => enabled === false);
	return { idle, page: idle ? (rows) => rows : page, rest };
}
