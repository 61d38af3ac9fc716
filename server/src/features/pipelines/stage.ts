/**
 * One stage: asks the controller, keeps what belongs to the answer, and stores it. The rows of one query whose
 * processors work row by row go straight from the controller into the store; everything else is put together in memory.
 */
import { type Fetched, nodeRows, stageRows } from "./domain/finish.ts";
import type { Keeper } from "./domain/keep.ts";
import type { Branch, Fetch, StageInput, StagePlan } from "./domain/plan.ts";
import { type InputValues, type RequestOptions, type Requests, stepsOf } from "./domain/requests.ts";
import { dnOf, type Row } from "./domain/rows.ts";
import { imdataOf } from "./envelope.ts";
import { createFeeds } from "./feeds.ts";
import type { Processing } from "./processing.ts";
import { createReading, type ReadingDeps } from "./reading.ts";
import { createSample } from "./sample.ts";
import type { Writer, Written } from "./writer.ts";

export interface StageJob {
	readonly stage: StagePlan;
	readonly processing: Processing;
	/** Values that the pipeline edges bring in. */
	readonly values: InputValues;
	/** Edges that take values out of this stage. */
	readonly feeding: readonly StageInput[];
	readonly writer: Writer;
	/** 0 to 1, as far as it is known. */
	progress(fraction: number): void;
	/** All rows of a class node were read, and there are others that are not. */
	nodeDone(node: NodeRows): Promise<void>;
}

/** How many rows a class node has. */
export interface NodeRows {
	readonly nodeId: string;
	readonly rowCount: number;
}

export interface StageOutcome extends Written {
	/** The node that was read last, which `nodeDone` was not told of. */
	readonly last: NodeRows;
	readonly sample: Row[];
	readonly feeds: Record<string, string[]>;
	readonly requests: number;
	readonly queries: string[];
}

export async function runStage(deps: ReadingDeps, job: StageJob): Promise<StageOutcome> {
	const { stage, processing, feeding, writer } = job;
	const reading = createReading(deps);
	const feeds = createFeeds(feeding, deps.limits.values);
	const sample = createSample();
	const counts: Record<string, number> = {};

	async function requestsOf(branch: Branch): Promise<{ nodeId: string; requests: Requests }> {
		let dns: string[] = [];
		for (let at = 0; ; at++) {
			const prepare = (options: RequestOptions) => stepsOf(branch, stage, job.values, options);
			let step = prepare({ counts })[at];
			if (step === undefined) throw new Error("a branch has no last step");
			let requests = step.requests(dns);
			if (requests.probe !== undefined && counts[requests.probe] === undefined) {
				counts[requests.probe] = await reading.count(step.nodeId, `/api/class/${requests.probe}.json`);
				step = prepare({ counts })[at] ?? step;
				requests = step.requests(dns);
			}
			if (step.kind !== "gate") return { nodeId: step.nodeId, requests };
			const parts = await reading.all(step.nodeId, requests);
			dns = [...new Set(parts.flatMap(({ rows }) => rows.flatMap((row) => dnOf(row) ?? [])))];
		}
	}

	/** Page by page, in the order of the controller. */
	async function stream(branch: Branch, nodeId: string, fetch: Fetch, keeper: Keeper): Promise<NodeRows> {
		const unseen = branch.options.scope === undefined || branch.options.scope === "self" ? null : new Set<string>();
		const unread = processing.idle && feeding.length === 0;
		const held: Row[] = [];
		let read = 0;
		let kept = 0;
		for await (const part of reading.pages(nodeId, fetch, keeper, { unseen, unread })) {
			const { page, count, whole } = part;
			read += page.rowCount;
			kept += count;
			const json = whole && processing.idle && page.raw ? imdataOf(page.raw) : null;
			if (unread && json !== null) {
				if (sample.room() > 0) sample.take(page.first(sample.room()));
				await writer.addJson(json, count);
			} else {
				const rows = part.rows();
				feeds.take(rows, (edge) => edge.sourceNode === branch.nodeId);
				const out = processing.page(rows);
				if (processing.rest) {
					reading.hold(page);
					for (const row of out) held.push(row);
				} else await store(out, json);
			}
			job.progress(page.totalCount ? read / page.totalCount : 0);
		}
		if (processing.rest) await store(processing.rest(held));
		return { nodeId: branch.nodeId, rowCount: kept };
	}

	/** `json`: the same rows as they came. */
	async function store(rows: readonly Row[], json: Uint8Array | null = null): Promise<void> {
		feeds.take(rows, (edge) => edge.sourceNode === undefined);
		sample.take(rows);
		await (json ? writer.addJson(json, rows.length) : writer.addRows(rows));
	}

	/** Node by node, then all of them together. */
	async function gather(first: { branch: Branch; nodeId: string; requests: Requests } | undefined): Promise<NodeRows> {
		const rowsOf = new Map<string, Row[]>();
		let last: NodeRows = { nodeId: "", rowCount: 0 };
		for (const nodeId of new Set(stage.branches.map((branch) => branch.nodeId))) {
			if (rowsOf.size > 0) await job.nodeDone(last);
			const fetched: Fetched[] = [];
			for (const branch of stage.branches.filter((other) => other.nodeId === nodeId)) {
				const { nodeId: asked, requests } = first?.branch === branch ? first : await requestsOf(branch);
				for (const part of await reading.all(asked, requests)) fetched.push(part);
			}
			const rows = nodeRows(stage, nodeId, fetched);
			rowsOf.set(nodeId, rows);
			feeds.take(rows, (edge) => edge.sourceNode === nodeId);
			last = { nodeId, rowCount: rows.length };
			job.progress(rowsOf.size / (stage.branches.length + 1));
		}
		const rows = processing.page(stageRows(stage, (nodeId) => rowsOf.get(nodeId) ?? []));
		await store(processing.rest ? processing.rest(rows) : rows);
		return last;
	}

	const [branch] = stage.branches;
	const prepared = stage.branches.length === 1 && branch ? { branch, ...(await requestsOf(branch)) } : undefined;
	const [fetch] = prepared?.requests.fetches ?? [];
	const direct =
		prepared?.branch.answer === true &&
		prepared.requests.fetches.length === 1 &&
		fetch !== undefined &&
		fetch.count !== true &&
		prepared.branch.options.supplementalData?.countOnly !== true;
	const last = direct
		? await stream(prepared.branch, prepared.nodeId, fetch, prepared.requests)
		: await gather(prepared);
	const written = await writer.finish();
	return {
		...written,
		last,
		sample: sample.rows,
		feeds: feeds.done(),
		requests: reading.requests(),
		queries: reading.queries,
	};
}
