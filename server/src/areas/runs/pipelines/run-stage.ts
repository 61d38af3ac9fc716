/**
 * Executes one stage: queries the controller, checks and processes the rows, and stores them. Rows
 * of a single query with processors that work row by row are streamed into the store; all others
 * are collected in memory, within the memory of all runs.
 */
import type { PostProcessor } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { getDn, type Row, readManagedObject } from "../../../core/rows/rows.ts";
import type { MemoryShare } from "./memory-budget.ts";
import { getImdata } from "./rules/envelope.ts";
import { createFeeds } from "./rules/feeds.ts";
import type { Branch, Fetch, InputValues, StageInput, StagePlan } from "./rules/plan.ts";
import type { Subclasses } from "./rules/post-processors/join.ts";
import { buildSteps, type Requests } from "./rules/requests.ts";
import { createSample } from "./rules/sample.ts";
import { type Fetched, mergeStageRows, readNodeRows } from "./rules/stage-rows.ts";
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
interface NodeRows {
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
	/** Values that pipeline edges carry inside the stage. */
	readonly innerFeeds: ReturnType<typeof createFeeds>;
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
	const innerFeeds = createFeeds(stage.innerInputs, scope.limits.values);
	const sample = createSample();
	const output = createStageOutput(ctx, { facts: scope.facts, reading, feeds, sample }, execution);
	const attempt: StageAttempt = { execution, reading, feeds, innerFeeds, sample, output, counts: {} };

	const [branch] = stage.branches;
	const prepared = stage.branches.length === 1 && branch ? await listRequests(ctx, attempt, branch) : undefined;
	const last = await readStage(ctx, attempt, prepared, onNode);
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

function readStage(
	ctx: Context,
	attempt: StageAttempt,
	prepared: BranchRequests | undefined,
	onNode: OnNode,
): Promise<NodeRows> {
	const { stage } = attempt.execution;
	if (stage.joins.length > 0 && !canStreamJoin(stage)) return collectRows(ctx, attempt, prepared, onNode);
	const fetch = prepared && findDirectFetch(prepared);
	if (fetch) return streamRows(ctx, attempt, prepared, fetch);
	if (stage.joins.length > 0) return streamClasses(ctx, attempt, prepared, onNode);
	return collectRows(ctx, attempt, prepared, onNode);
}

/** The only query of a branch, if its rows are the answer: they need not be collected. */
function findDirectFetch({ branch, requests }: BranchRequests): Fetch | undefined {
	const [fetch, ...others] = requests.fetches;
	const isDirect = branch.answer === true && others.length === 0 && fetch?.count !== true;
	return isDirect && branch.options.supplementalData?.countOnly !== true ? fetch : undefined;
}

async function listRequests(ctx: Context, attempt: StageAttempt, branch: Branch): Promise<BranchRequests> {
	const { execution, reading, counts } = attempt;
	const values = new Map([...execution.values, ...Object.entries(attempt.innerFeeds.done())]);
	let dns: string[] = [];
	for (const step of buildSteps(branch, execution.stage, values, { counts })) {
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
	attempt: StageAttempt,
	prepared: BranchRequests,
	fetch: Fetch,
): Promise<NodeRows> {
	const last = await streamBranch(ctx, attempt, prepared, fetch, { at: 0, count: 1 });
	await attempt.output.finish();
	return last;
}

/** The place of a branch among those of its stage that are read one after another. */
interface BranchShare {
	readonly at: number;
	readonly count: number;
}

/** Passes the rows of one query on while they are read. */
async function streamBranch(
	ctx: Context,
	attempt: StageAttempt,
	{ branch, nodeId, requests }: BranchRequests,
	fetch: Fetch,
	share: BranchShare,
): Promise<NodeRows> {
	const { execution, reading, feeds, sample, output } = attempt;
	const { feeding, stage, writer } = execution;
	const seenDns = branch.options.scope === undefined || branch.options.scope === "self" ? null : new Set<string>();
	const unread = (output.isUnprocessed || stage.joins.length > 0) && feeding.length === 0;
	const source = { fetch, keeper: requests };
	let read = 0;
	let kept = 0;
	for await (const part of readKeptPages(ctx, reading, nodeId, source, { seenDns, unread })) {
		const { page, count, whole } = part;
		read += page.rowCount;
		kept += count;
		const json = whole && page.raw ? getImdata(page.raw) : null;
		if (output.isUnprocessed && feeding.length === 0 && json !== null) {
			if (sample.room() > 0) sample.take(page.first(sample.room()));
			await writer.addJson(json, count);
		} else {
			const fromNode = (edge: StageInput) => edge.sourceNode === branch.nodeId;
			if (feeding.some(fromNode)) feeds.take(part.rows(), fromNode);
			if (json !== null && !output.isUnprocessed) await output.addJson(json);
			else await output.addRows(part.rows(), json);
		}
		setBranchFraction(attempt, share, page.totalCount ? read / page.totalCount : 0);
	}
	return { nodeId: branch.nodeId, rowCount: kept };
}

/** Sets the progress of the stage to that of one of its branches. */
function setBranchFraction({ reading }: StageAttempt, { at, count }: BranchShare, fraction: number): void {
	if (reading.progress) setFraction(reading.progress, (at + fraction) / count);
}

/**
 * Whether no object can be in the rows of two class nodes, so that joined classes need not be
 * compared before the join.
 */
function canStreamJoin({ joins, branches, innerInputs }: StagePlan): boolean {
	const names = new Set(branches.map(({ options }) => options.className));
	const isSeparate = branches.every(({ concrete, options }) => concrete && (options.scope ?? "self") === "self");
	return joins.length > 0 && innerInputs.length === 0 && isSeparate && names.size === branches.length;
}

/** Passes the rows of the classes of a join on, one class after another, while they are read. */
async function streamClasses(
	ctx: Context,
	attempt: StageAttempt,
	first: BranchRequests | undefined,
	onNode: OnNode,
): Promise<NodeRows> {
	const { execution, reading, feeds, output } = attempt;
	const { branches } = execution.stage;
	let last: NodeRows = { nodeId: "", rowCount: 0 };
	for (const [at, branch] of branches.entries()) {
		if (at > 0) await onNode(last);
		const share = { at, count: branches.length };
		const prepared = first?.branch === branch ? first : await listRequests(ctx, attempt, branch);
		const fetch = findDirectFetch(prepared);
		if (fetch !== undefined) last = await streamBranch(ctx, attempt, prepared, fetch, share);
		else {
			const { nodeId } = branch;
			const fetched = await fetchAll(ctx, reading, prepared.nodeId, prepared.requests);
			const rows = readNodeRows(execution.stage, nodeId, fetched);
			feeds.take(rows, (edge) => edge.sourceNode === nodeId);
			if (branch.answer) await output.addRows(rows);
			last = { nodeId, rowCount: rows.length };
			setBranchFraction(attempt, share, 1);
		}
	}
	await output.finish();
	return last;
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
	const { execution, reading, feeds, innerFeeds, output } = attempt;
	const { stage } = execution;
	const innerSources = new Map(stage.innerInputs.map(({ edgeId, sourceNodes }) => [edgeId, sourceNodes]));
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
		innerFeeds.take(rows, ({ edgeId }) => innerSources.get(edgeId)?.includes(nodeId) === true);
		last = { nodeId, rowCount: rows.length };
		if (reading.progress) setFraction(reading.progress, rowsByNode.size / (stage.branches.length + 1));
	}
	await output.addRows(mergeStageRows(stage, (nodeId) => rowsByNode.get(nodeId) ?? []));
	await output.finish(stage.joins.length > 0 ? listSubclasses(stage, rowsByNode) : {});
	return last;
}

/** Classes of the rows of each class that is abstract or has subclasses, besides its own name. */
function listSubclasses({ branches }: StagePlan, rowsByNode: ReadonlyMap<string, readonly Row[]>): Subclasses {
	const found = new Map<string, Set<string>>();
	for (const { nodeId, options } of branches) {
		const { className, scope = "self" } = options;
		// A wider scope has objects of other classes, which are no subclasses.
		if (scope !== "self") continue;
		const names = found.get(className) ?? new Set();
		for (const row of rowsByNode.get(nodeId) ?? []) names.add(readManagedObject(row)?.className ?? className);
		names.delete(className);
		found.set(className, names);
	}
	return Object.fromEntries([...found].map(([className, names]) => [className, [...names]]));
}
