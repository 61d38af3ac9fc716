/**
 * Executes one stage: queries the controller, checks and processes the rows, and stores them. Rows
 * of a single query with processors that work row by row are streamed into the store; all others
 * are collected in memory, within the memory of all runs.
 */
import type { PostProcessor } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { getDn, type Row } from "../../../core/rows/rows.ts";
import type { MemoryShare } from "./memory-budget.ts";
import { getImdata } from "./rules/envelope.ts";
import { createFeeds } from "./rules/feeds.ts";
import type { Branch, Fetch, InputValues, StageInput, StagePlan } from "./rules/plan.ts";
import { buildSteps, type Requests } from "./rules/requests.ts";
import { createSample } from "./rules/sample.ts";
import { type Fetched, readNodeRows, stageRows } from "./rules/stage-rows.ts";
import { setFraction } from "./run-progress.ts";
import { createStageOutput, type StageOutput } from "./stage-output.ts";
import {
	countObjects,
	fetchAll,
	isInterrupted,
	openReading,
	type ReadScope,
	readKeptPages,
	type StageReading,
} from "./stage-reading.ts";
import type { Writer, Written } from "./stage-writer.ts";
import type { NameFacts } from "./workers/work.ts";

export interface StageExecution {
	readonly stage: StagePlan;
	readonly processors: readonly PostProcessor[];
	/** Values of the pipeline edges that lead into the stage. */
	readonly values: InputValues;
	/** Edges that lead out of the stage. */
	readonly feeding: readonly StageInput[];
	readonly writer: Writer;
}

/** The number of rows of a class node. */
export interface NodeRows {
	readonly nodeId: string;
	readonly rowCount: number;
}

type OnNode = (node: NodeRows) => Promise<void>;

export interface StageOutcome extends Written {
	/** The node that was read last. */
	readonly last: NodeRows;
	readonly sample: Row[];
	readonly feeds: Record<string, string[]>;
	readonly requests: number;
	readonly queries: string[];
	/** Address of the member that was asked last; null if none was. */
	readonly memberUrl: string | null;
}

export interface StageScope extends Omit<ReadScope, "emptyNodes" | "failedMembers" | "memory"> {
	readonly facts: NameFacts;
	/** The stage's share of the memory of all runs. */
	readonly memory: MemoryShare;
}

/**
 * Begins the stage again, without its rows, when the member of the cluster fails from which they
 * come: at most once for each member.
 * @param onNode called with each class node but the last, once all its rows were read
 */
export async function runStage(
	ctx: Context,
	scope: StageScope,
	execution: StageExecution,
	onNode: OnNode = async () => {},
): Promise<StageOutcome> {
	const failedMembers = new Set<string>();
	for (;;) {
		try {
			return await attemptStage(ctx, { ...scope, failedMembers }, execution, onNode);
		} catch (error) {
			if (!isInterrupted(error)) throw error;
			scope.memory.release();
			await execution.writer.restart();
		}
	}
}

/** One attempt to execute a stage. */
interface StageAttempt {
	readonly execution: StageExecution;
	readonly reading: StageReading;
	readonly feeds: ReturnType<typeof createFeeds>;
	readonly sample: ReturnType<typeof createSample>;
	readonly output: StageOutput;
	/** Objects by class, of classes that were counted to choose the requests. */
	readonly counts: Record<string, number>;
}

/** The requests of a branch's last step, and the class node that they query. */
interface BranchRequests {
	readonly branch: Branch;
	readonly nodeId: string;
	readonly requests: Requests;
}

async function attemptStage(
	ctx: Context,
	scope: StageScope & Pick<ReadScope, "failedMembers">,
	execution: StageExecution,
	onNode: OnNode,
): Promise<StageOutcome> {
	const { stage, feeding, writer } = execution;
	const chainNodes = stage.branches.flatMap(({ chain }) => chain);
	const emptyNodes = new Set(chainNodes.filter(({ mayBeEmpty }) => mayBeEmpty).map(({ nodeId }) => nodeId));
	const reading = openReading({ ...scope, emptyNodes });
	const feeds = createFeeds(feeding, scope.limits.values);
	const sample = createSample();
	const output = createStageOutput(ctx, { facts: scope.facts, reading, feeds, sample }, execution);
	const attempt: StageAttempt = { execution, reading, feeds, sample, output, counts: {} };

	const [branch] = stage.branches;
	const prepared = stage.branches.length === 1 && branch ? await listRequests(ctx, attempt, branch) : undefined;
	const fetch = prepared && findDirectFetch(prepared);
	const last = fetch
		? await streamRows(ctx, attempt, prepared, fetch)
		: await collectRows(ctx, attempt, prepared, onNode);
	const written = await writer.finish();
	return {
		...written,
		last,
		sample: sample.rows,
		feeds: feeds.done(),
		requests: reading.requests,
		queries: reading.queries,
		memberUrl: reading.memberUrl,
	};
}

/** The only query of a branch, if its rows are the answer: they need not be collected. */
function findDirectFetch({ branch, requests }: BranchRequests): Fetch | undefined {
	const [fetch, ...others] = requests.fetches;
	const isDirect = branch.answer === true && others.length === 0 && fetch?.count !== true;
	return isDirect && branch.options.supplementalData?.countOnly !== true ? fetch : undefined;
}

async function listRequests(ctx: Context, attempt: StageAttempt, branch: Branch): Promise<BranchRequests> {
	const { execution, reading, counts } = attempt;
	let dns: string[] = [];
	for (const step of buildSteps(branch, execution.stage, execution.values, { counts })) {
		const { nodeId } = step;
		let requests = step.requests(dns);
		if (requests.probe !== undefined && counts[requests.probe] === undefined) {
			counts[requests.probe] = await countObjects(ctx, reading, nodeId, `/api/class/${requests.probe}.json`);
			requests = step.requests(dns);
		}
		if (step.kind !== "gate") return { branch, nodeId, requests };
		const parts = await fetchAll(ctx, reading, nodeId, requests);
		dns = [...new Set(parts.flatMap(({ rows }) => rows.flatMap((row) => getDn(row) ?? [])))];
	}
	throw new Error("a branch has no last step");
}

/** Streams the rows of one query into the store, in the order of the controller. */
async function streamRows(
	ctx: Context,
	{ execution, reading, feeds, sample, output }: StageAttempt,
	{ branch, nodeId, requests }: BranchRequests,
	fetch: Fetch,
): Promise<NodeRows> {
	const { feeding, writer } = execution;
	const seenDns = branch.options.scope === undefined || branch.options.scope === "self" ? null : new Set<string>();
	const unread = output.isUnprocessed && feeding.length === 0;
	const source = { fetch, keeper: requests };
	let read = 0;
	let kept = 0;
	for await (const part of readKeptPages(ctx, reading, nodeId, source, { seenDns, unread })) {
		const { page, count, whole } = part;
		read += page.rowCount;
		kept += count;
		const json = whole && page.raw ? getImdata(page.raw) : null;
		if (unread && json !== null) {
			if (sample.room() > 0) sample.take(page.first(sample.room()));
			await writer.addJson(json, count);
		} else {
			const fromNode = (edge: StageInput) => edge.sourceNode === branch.nodeId;
			if (feeding.some(fromNode)) feeds.take(part.rows(), fromNode);
			if (json !== null && !output.isUnprocessed) await output.addJson(json);
			else await output.addRows(part.rows(), json);
		}
		if (reading.progress) setFraction(reading.progress, page.totalCount ? read / page.totalCount : 0);
	}
	await output.finish();
	return { nodeId: branch.nodeId, rowCount: kept };
}

/**
 * Collects the rows of each node in memory, then stores all of them.
 * @param first requests of the first branch, if they are known already
 */
async function collectRows(
	ctx: Context,
	attempt: StageAttempt,
	first: BranchRequests | undefined,
	onNode: OnNode,
): Promise<NodeRows> {
	const { execution, reading, feeds, output } = attempt;
	const { stage } = execution;
	const rowsByNode = new Map<string, Row[]>();
	let last: NodeRows = { nodeId: "", rowCount: 0 };
	for (const nodeId of new Set(stage.branches.map((branch) => branch.nodeId))) {
		if (rowsByNode.size > 0) await onNode(last);
		const fetched: Fetched[] = [];
		for (const branch of stage.branches.filter((other) => other.nodeId === nodeId)) {
			const { nodeId: queried, requests } = first?.branch === branch ? first : await listRequests(ctx, attempt, branch);
			for (const part of await fetchAll(ctx, reading, queried, requests)) fetched.push(part);
		}
		const rows = readNodeRows(stage, nodeId, fetched);
		rowsByNode.set(nodeId, rows);
		feeds.take(rows, (edge) => edge.sourceNode === nodeId);
		last = { nodeId, rowCount: rows.length };
		if (reading.progress) setFraction(reading.progress, rowsByNode.size / (stage.branches.length + 1));
	}
	await output.addRows(stageRows(stage, (nodeId) => rowsByNode.get(nodeId) ?? []));
	await output.finish();
	return last;
}
