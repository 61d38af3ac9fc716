/** Workflows, nested ones too: the state of each node, and the output of its job. */
import { type Context, getNow } from "../../../../context.ts";
import type { Mask } from "../../../../core/mask.ts";
import type {
	AutomationError,
	AutomationTarget,
	ServerJobType,
	ServerNode,
} from "../../../../integrations/awx/port.ts";
import type { PreparedContent } from "../launch/content-cache.ts";
import { isLost } from "../rules/explanation.ts";
import { formatStoredText } from "../rules/masked-words.ts";
import { joinOutput } from "../rules/output.ts";
import { isFinalExecution, readServerStatus } from "../rules/states.ts";
import type { ExecutionRow, NodeRow } from "../sql/executions.ts";
import {
	advanceStream,
	ensureStream,
	listStreams,
	type StreamRow,
	setWorkflowNodes,
	writeStreamPieces,
} from "../sql/streams.ts";
import { isJobError, readIfShown } from "./hidden-jobs.ts";
import { ingestEvents, splitPieces } from "./ingest-events.ts";
import { EVENTS_MS, type PollResult, sumStreamCounts } from "./poll-result.ts";

/** Upper bound of the output of a job without events, in bytes. */
const OUTPUT_BYTES = 2 * 1_048_576;
/** Levels of workflows in workflows that are followed. */
const NESTED_DEPTH = 5;
/** Nested workflows of one execution that are followed: each costs a request per look. */
const NESTED_WORKFLOWS = 100;
/** Upper bound of the nodes of one workflow; with more, no further nested workflow is followed. */
const NODES_MAX = 2_000;
/** Have output that is read as a whole once they are over. */
const PLAIN: readonly ServerJobType[] = ["project_update", "inventory_update", "system_job", "ad_hoc_command"];

const isNodeOver = (node: ServerNode): boolean => {
	const status = node.status === null ? null : readServerStatus(node.status);
	return status !== null && isFinalExecution(status);
};

/**
 * Events of one node's job; answers the stream as it is then, and the job's status. Jobs of a
 * cancelled workflow say that they are cancelled while they go on: until its events are complete,
 * a job is shown as running.
 */
async function followNodeJob(
	ctx: Context,
	target: AutomationTarget,
	execution: ExecutionRow,
	node: ServerNode,
	stream: StreamRow,
	prepared: PreparedContent,
): Promise<{ stream: StreamRow; more: boolean; task: string | null; status: string | null }> {
	let stored = false;
	let { status } = node;
	if (isNodeOver(node)) {
		const detail = await ctx.automation.job(target, "job", stream.job_id);
		const finalSeen = stream.final_seen_at ?? getNow(ctx);
		if (stream.final_seen_at === null) {
			await ctx.store.transaction((tx) => advanceStream(tx, stream, { final_seen_at: finalSeen }));
		}
		const patient = !isLost(detail?.explanation ?? "") && ctx.clock.now() - finalSeen.getTime() < EVENTS_MS;
		stored = detail === null || detail.eventsStored !== false || detail.started === null || !patient;
		status = stored ? (detail?.status ?? status) : "running";
	}
	const taken = await ingestEvents(ctx, target, execution, stream, prepared, stored);
	if (stored && !taken.more && !taken.gap) {
		await ctx.store.transaction((tx) => advanceStream(tx, taken.stream, { done: true }));
		return { ...taken, status, stream: { ...taken.stream, done: true } };
	}
	return { ...taken, status };
}

async function storeNodeOutput(
	ctx: Context,
	target: AutomationTarget,
	type: ServerJobType,
	stream: StreamRow,
	prepared: PreparedContent,
): Promise<StreamRow> {
	const said = await ctx.automation.output(target, type, stream.job_id, OUTPUT_BYTES);
	const text = joinOutput([{ stdout: said.replace(/\n$/, "") }], prepared.mask);
	const values = { length: text.length, done: true };
	await ctx.store.transaction(async (tx) => {
		if (!(await advanceStream(tx, stream, values))) return;
		await writeStreamPieces(tx, stream, splitPieces(0, text));
	});
	return { ...stream, ...values };
}

/** Ends the output of a job that the server refuses to show, with a line that gives the reason. */
async function endUnreadOutput(
	ctx: Context,
	stream: StreamRow,
	error: AutomationError,
	{ mask }: PreparedContent,
): Promise<StreamRow> {
	const { execution_id, job_id } = stream;
	ctx.log.warn({ err: error, execution: execution_id, job: job_id }, "the output of a node cannot be read");
	const reason = formatStoredText(error.message, mask);
	const text = joinOutput([{ stdout: `[Weft: the output of this job could not be read. ${reason}]` }], mask);
	const values = { length: stream.length + text.length, done: true, unread: true };
	return ctx.store.transaction(async (tx) => {
		if (!(await advanceStream(tx, stream, values))) return stream;
		await writeStreamPieces(tx, stream, splitPieces(stream.length, text));
		return { ...stream, ...values };
	});
}

/** The nodes of a workflow, and of workflows in it, level by level. */
async function collectNodes(ctx: Context, target: AutomationTarget, workflowId: number, mask: Mask) {
	const nodes: ServerNode[] = [];
	const rows: Omit<NodeRow, "execution_id">[] = [];
	const followed = new Set([workflowId]);
	/** Ids of nodes whose nested workflow the server refuses to show. */
	const hidden = new Set<number>();
	let isCut = false;
	let level: { readonly id: number; readonly parent: number | null }[] = [{ id: workflowId, parent: null }];
	for (let depth = 0; level.length > 0; depth++) {
		const next: typeof level = [];
		for (const { id, parent } of level) {
			if (depth > NESTED_DEPTH || followed.size > NESTED_WORKFLOWS || nodes.length >= NODES_MAX) {
				isCut = true;
				break;
			}
			const reading = ctx.automation.nodes(target, id, NODES_MAX + 1);
			const all = parent === null ? await reading : await readIfShown(reading);
			if (all === null) {
				if (parent !== null) hidden.add(parent);
				continue;
			}
			if (all.length > NODES_MAX) isCut = true;
			const found = all.slice(0, NODES_MAX);
			const predecessors = mapPredecessors(found);
			nodes.push(...found);
			rows.push(...found.map((node) => ({ ...buildNodeRow(node, predecessors, mask), parent_id: parent })));
			for (const node of found) {
				if (node.jobType !== "workflow_job" || node.jobId === null || followed.has(node.jobId)) continue;
				followed.add(node.jobId);
				next.push({ id: node.jobId, parent: node.id });
			}
		}
		level = next;
	}
	return { nodes, rows, hidden, isCut };
}

/** Polls all nodes and the output of their jobs. */
export async function pollNodes(
	ctx: Context,
	target: AutomationTarget,
	execution: ExecutionRow,
	prepared: PreparedContent,
): Promise<PollResult> {
	const collected = await collectNodes(ctx, target, execution.job_id ?? 0, prepared.mask);
	const { nodes: found, rows, hidden, isCut } = collected;
	await ctx.store.transaction(async (tx) => {
		for (const { jobId, jobType } of found) {
			if (jobId !== null && jobType !== null && hasOutput(jobType)) {
				await ensureStream(tx, execution.id, jobId, jobType);
			}
		}
	});
	const all = new Map((await listStreams(ctx.store.db, [execution.id])).map((stream) => [stream.job_id, stream]));
	let more = false;
	let task: string | null = null;
	const statuses = new Map<number, string | null>();
	for (const node of found) {
		const stream = node.jobId === null ? undefined : all.get(node.jobId);
		if (stream === undefined || stream.done || node.status === "pending" || node.status === "waiting") continue;
		try {
			if (node.jobType === "job") {
				const taken = await followNodeJob(ctx, target, execution, node, stream, prepared);
				all.set(stream.job_id, taken.stream);
				statuses.set(node.id, taken.status);
				more ||= taken.more;
				if (taken.task !== null) task = `${node.name} : ${taken.task}`;
			} else if (isNodeOver(node) && node.jobType !== null) {
				all.set(stream.job_id, await storeNodeOutput(ctx, target, node.jobType, stream, prepared));
			}
		} catch (error) {
			if (!isJobError(error)) throw error;
			// A node that is not over is read again by the next poll.
			if (isNodeOver(node)) all.set(stream.job_id, await endUnreadOutput(ctx, stream, error, prepared));
		}
	}
	const unread = rows.filter(
		({ node_id, job_id }) => hidden.has(node_id) || (job_id !== null && all.get(job_id)?.unread === true),
	);
	const shown = rows.map((row) => {
		const status = statuses.get(row.node_id);
		return status == null ? row : { ...row, status: formatStatus(status, prepared.mask) };
	});
	await ctx.store.transaction((tx) => setWorkflowNodes(tx, execution.id, shown));
	const streamsNow = [...all.values()];
	const waits = streamsNow.some(({ done }) => !done);
	return {
		counts: sumStreamCounts(streamsNow),
		task,
		more,
		gap: false,
		hasEvents: true,
		waits,
		nodes: found,
		unread: unread.map(({ name }) => name),
		isCut,
	};
}

/** Reads the artifacts of the nodes' jobs, without jobs that are gone or hidden. */
export async function readNodeArtifacts(
	ctx: Context,
	target: AutomationTarget,
	found: readonly ServerNode[],
): Promise<unknown[]> {
	const published: unknown[] = [];
	for (const { jobId, jobType } of found) {
		if (jobType !== "job" || jobId === null) continue;
		published.push((await readIfShown(ctx.automation.job(target, "job", jobId)))?.artifacts);
	}
	return published;
}

const hasOutput = (type: ServerJobType): boolean => type === "job" || PLAIN.includes(type);

const formatStatus = (status: string, mask: Mask): string => readServerStatus(status) ?? formatStoredText(status, mask);

/** Maps the id of each node to the ids of the nodes that lead to it. */
function mapPredecessors(nodes: readonly ServerNode[]): ReadonlyMap<number, readonly number[]> {
	const byNode = new Map<number, number[]>();
	for (const { id, next } of nodes) {
		for (const successor of next) {
			const known = byNode.get(successor);
			if (known === undefined) byNode.set(successor, [id]);
			else if (known.at(-1) !== id) known.push(id);
		}
	}
	return byNode;
}

/** The stored status of a node: the state of its job, or the reason for a missing one. */
function buildNodeRow(node: ServerNode, predecessors: ReadonlyMap<number, readonly number[]>, mask: Mask) {
	const status = node.status === null ? null : formatStatus(node.status, mask);
	return {
		node_id: node.id,
		identifier: formatStoredText(node.identifier, mask),
		job_id: node.jobId,
		job_type: node.jobType,
		name: formatStoredText(node.name, mask),
		status: status ?? (node.doNotRun ? "skipped" : "pending"),
		elapsed: node.elapsed,
		depends_on: [...(predecessors.get(node.id) ?? [])],
	};
}
