/**
 * What happens to the rows of a stage after they were read: post-processors change them on a worker
 * thread, then they are stored, sampled, and their values passed on. Rows for processors that need
 * all of them are held as JSON until the last was read.
 */
import type { PostProcessor } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Row } from "../../../core/rows/rows.ts";
import type { createFeeds } from "./rules/feeds.ts";
import type { StageInput } from "./rules/plan.ts";
import { splitProcessors } from "./rules/post-processors/index.ts";
import type { Subclasses } from "./rules/post-processors/join.ts";
import type { createSample } from "./rules/sample.ts";
import { reserveMemory, type StageReading } from "./stage-reading.ts";
import { iterateJsonParts, type Writer } from "./stage-writer.ts";
import type { ProcessAnswer } from "./workers/tasks.ts";
import { type NameFacts, processRows } from "./workers/work.ts";

/** The parts of a stage's execution that its rows go through. */
export interface OutputScope {
	readonly facts: NameFacts;
	readonly feeds: Pick<ReturnType<typeof createFeeds>, "take" | "add">;
	readonly sample: ReturnType<typeof createSample>;
	readonly reading: StageReading;
}

export interface OutputOptions {
	readonly processors: readonly PostProcessor[];
	/** Edges that lead out of the stage. */
	readonly feeding: readonly StageInput[];
	readonly writer: Pick<Writer, "addJson" | "addRows">;
}

export interface StageOutput {
	/** No processor is enabled. */
	readonly isUnprocessed: boolean;
	/** Takes rows as JSON objects with commas between them, for the processors. */
	addJson(json: Uint8Array): Promise<void>;
	/** `json`: the same rows as they were received. */
	addRows(rows: readonly Row[], json?: Uint8Array | null): Promise<void>;
	/**
	 * Resolves when all rows are with the writer.
	 * @param subclasses other classes of the rows that classes of joins were read as
	 */
	finish(subclasses?: Subclasses): Promise<void>;
}

export function createStageOutput(
	{ pipelinePool }: Context,
	{ facts, reading, feeds, sample }: OutputScope,
	{ processors, feeding, writer }: OutputOptions,
): StageOutput {
	const { signal } = reading;
	const { each, all } = splitProcessors(processors);
	const isUnprocessed = each.length + all.length === 0;
	const fields = feeding
		.filter(({ sourceNode }) => sourceNode === undefined)
		.map(({ edgeId, extractField }) => [edgeId, extractField] as const);
	const held: Uint8Array[] = [];

	async function storeAnswer({ parts, sample: rows, values }: ProcessAnswer): Promise<void> {
		sample.take(rows);
		for (const [edgeId, found] of values) feeds.add(edgeId, found);
		for (const { json, count } of parts) await writer.addJson(json, count);
	}

	async function holdJson(json: Uint8Array): Promise<void> {
		await reserveMemory(reading, json.length);
		held.push(json);
	}

	async function addJson(json: Uint8Array): Promise<void> {
		if (json.length === 0) return;
		if (each.length === 0) return holdJson(json);
		const last = all.length === 0;
		for (let from: number | null = 0; from !== null; ) {
			const wanted = { room: last ? sample.room() : 0, fields: last ? fields : [] };
			const answer: ProcessAnswer = await processRows(
				pipelinePool,
				facts,
				{ processors: each, part: "each", rows: [json], from, ...wanted },
				signal,
			);
			if (last) await storeAnswer(answer);
			else for (const part of answer.parts) await holdJson(part.json);
			from = answer.next;
		}
	}

	return {
		isUnprocessed,
		addJson,
		async addRows(rows, json = null) {
			if (isUnprocessed) {
				feeds.take(rows, ({ sourceNode }) => sourceNode === undefined);
				sample.take(rows);
				return json ? writer.addJson(json, rows.length) : writer.addRows(rows);
			}
			for (const part of iterateJsonParts(rows)) await addJson(part.json);
		},
		async finish(subclasses = {}) {
			if (all.length === 0) return;
			const rows = held.splice(0);
			await storeAnswer(
				await processRows(
					pipelinePool,
					facts,
					{ processors: all, subclasses, part: "all", rows, from: 0, room: sample.room(), fields },
					signal,
				),
			);
		},
	};
}
