/**
 * Applies post-processors to rows, shows the rows of several connections by one property, and turns
 * requests into canvases. Rows come and go as JSON in bytes, so that the process neither walks nor
 * copies them. Patterns of users and large results cost the time and memory of this thread only.
 */
import { brotliDecompressSync } from "node:zlib";
import type { PostProcessor, RequestImportInput } from "@weft/contracts";
import { parseExact } from "@weft/contracts/exact-json";
import type { Row } from "../../../../core/rows/rows.ts";
import { makeDetachable, type TaskAnswer } from "../../../../core/workers/serve.ts";
import { builtInNames, createNameReader } from "../rules/dn-names.ts";
import { type ImportOutcome, importAll } from "../rules/import-all.ts";
import { type PivotPage, type PivotRange, pivotRows } from "../rules/pivot.ts";
import { buildTooLongListError, LIST_BYTES } from "../rules/post-processors/bounds.ts";
import { createProcessorChain, type ProcessorChain } from "../rules/post-processors/index.ts";
import type { Subclasses } from "../rules/post-processors/join.ts";
import { createSample } from "../rules/sample.ts";
import { extractValues } from "../rules/values.ts";

export interface ProcessTask {
	/** JSON of the post-processors, which a thread compiles once for all pages of a stage. */
	readonly processors: string;
	/** JSON of the model's formats of names (`listCompoundFormats`); null: the built-in ones. */
	readonly nameFormats: string | null;
	/** JSON of other classes of the objects that classes of joins were read as (`Subclasses`). */
	readonly subclasses: string;
	/** Whether the processors before the first that needs all rows are applied, or the others. */
	readonly part: "each" | "all";
	/** Rows as JSON objects with commas between them. */
	readonly rows: readonly Uint8Array[];
	/** Index of the first row that is processed; earlier ones are skipped. */
	readonly from: number;
	/** Rows that the stage's sample can still take. */
	readonly room: number;
	/** Fields whose distinct values are passed on, by edge. */
	readonly fields: readonly (readonly [edgeId: string, field: string])[];
}

interface ProcessedRows {
	readonly json: Uint8Array;
	readonly count: number;
}

export interface ProcessAnswer {
	readonly parts: readonly ProcessedRows[];
	/** Index of the first row that was not processed, because the answer is long enough; or null. */
	readonly next: number | null;
	readonly sample: readonly Row[];
	readonly values: readonly (readonly [edgeId: string, values: readonly string[]])[];
}

const PART_BYTES = 512 * 1024;
const PART_ROWS = 1_000;
/** Bytes of an answer after which the other rows are left to the next task. */
const ANSWER_BYTES = 32 * 1024 ** 2;

type Compiled = Pick<ProcessTask, "processors" | "nameFormats" | "subclasses">;
let compiled: (Compiled & { readonly chain: ProcessorChain }) | null = null;

/** Pages of one stage come one after another. */
function buildChain({ processors, nameFormats, subclasses }: Compiled): ProcessorChain {
	const isSame =
		compiled?.processors === processors && compiled.nameFormats === nameFormats && compiled.subclasses === subclasses;
	if (compiled === null || !isSame) {
		const names = nameFormats === null ? builtInNames : createNameReader(JSON.parse(nameFormats) as string[]);
		const chain = createProcessorChain(
			JSON.parse(processors) as PostProcessor[],
			names,
			JSON.parse(subclasses) as Subclasses,
		);
		compiled = { processors, nameFormats, subclasses, chain };
	}
	return compiled.chain;
}

const parseRows = (json: Uint8Array): Row[] =>
	parseExact(`[${Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString("utf8")}]`) as Row[];

/** Serializes rows in parts, and collects what the stage keeps of them. */
function createOutput({ room, fields }: Pick<ProcessTask, "room" | "fields">) {
	const parts: ProcessedRows[] = [];
	const sample = createSample(room);
	const values = fields.map(([edgeId, field]) => ({ edgeId, field, found: new Set<string>() }));
	let texts: string[] = [];
	let length = 0;
	let bytes = 0;

	function flushPart(): void {
		if (texts.length === 0) return;
		const json = Buffer.from(texts.join(","));
		parts.push({ json: makeDetachable(json).bytes, count: texts.length });
		bytes += json.length;
		texts = [];
		length = 0;
	}

	return {
		add(row: Row): void {
			const text = JSON.stringify(row);
			texts.push(text);
			length += text.length;
			sample.take([row]);
			for (const { field, found } of values) for (const value of extractValues([row], field)) found.add(value);
			if (length >= PART_BYTES || texts.length >= PART_ROWS) flushPart();
		},
		size: () => bytes + length,
		answer(next: number | null): TaskAnswer<ProcessAnswer> {
			flushPart();
			const value: ProcessAnswer = {
				parts,
				next,
				sample: sample.rows,
				values: values.map(({ edgeId, found }) => [edgeId, [...found]]),
			};
			return { value, transfer: parts.map(({ json }) => json.buffer as ArrayBuffer) };
		},
	};
}

export interface PivotTask {
	readonly sources: readonly {
		readonly connection: string;
		/** Rows as JSON objects with commas between them, compressed by brotli. */
		readonly packs: readonly Uint8Array[];
	}[];
	readonly property: string;
	readonly range: PivotRange;
}

export const pipelineTasks = {
	importRequests: (input: RequestImportInput): TaskAnswer<ImportOutcome> => ({ value: importAll(input) }),

	/** @throws PivotRefused with its code */
	pivot: ({ sources, property, range }: PivotTask): TaskAnswer<PivotPage> => ({
		value: pivotRows(
			sources.map(({ connection, packs }) => ({
				connection,
				pages: {
					*[Symbol.iterator]() {
						for (const pack of packs) yield parseRows(brotliDecompressSync(pack));
					},
				},
			})),
			property,
			range,
		),
	}),

	/** @throws ProcessorError with its code, where a bound of post-processors is exceeded */
	process(task: ProcessTask): TaskAnswer<ProcessAnswer> {
		const { each, all } = buildChain(task);
		const rows = task.rows.flatMap(parseRows);
		const output = createOutput(task);
		if (task.part === "all") {
			for (const row of all?.(rows) ?? rows) {
				output.add(row);
				if (output.size() > LIST_BYTES) throw buildTooLongListError();
			}
			return output.answer(null);
		}
		for (let at = task.from; at < rows.length; at += 1) {
			for (const row of each(rows[at] as Row)) output.add(row);
			if (output.size() >= ANSWER_BYTES && at + 1 < rows.length) return output.answer(at + 1);
		}
		return output.answer(null);
	},
};
export type PipelineTasks = typeof pipelineTasks;
