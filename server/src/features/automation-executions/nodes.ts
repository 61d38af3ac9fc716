/** Workflows: the state of each node, and the output of its job. */
import type { AutomationDriver, AutomationTarget, ServerJobType, ServerNode } from "../../ports/automation-server.ts";
import { AutomationError } from "../../ports/automation-server.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Store } from "../../ports/store.ts";
import type { Watched } from "./contents.ts";
import { textOf } from "./domain/output.ts";
import { isFinal, readStatus } from "./domain/status.ts";
import { type Ingest, piecesOf } from "./ingest.ts";
import type { ExecutionRow } from "./repo.ts";
import type { StreamRepo, StreamRow } from "./repo-streams.ts";
import { countsOf, type Seen } from "./seen.ts";

/** Output of what has no events; more of it is not kept. */
const OUTPUT_BYTES = 2 * 1_048_576;
const EVENTS_MS = 120_000;
/** Have output that is read as a whole once they are over. */
const PLAIN: readonly ServerJobType[] = ["project_update", "inventory_update", "system_job", "ad_hoc_command"];

export interface NodesDeps {
	readonly store: Store;
	readonly clock: Clock;
	readonly log: Log;
	readonly automation: AutomationDriver;
	readonly streams: StreamRepo;
	readonly ingest: Ingest;
}

export function createNodes({ store, clock, log, automation, streams, ingest }: NodesDeps) {
	const over = (node: ServerNode): boolean => {
		const status = node.status === null ? null : readStatus(node.status);
		return status !== null && isFinal(status);
	};

	/** Events of one node's job; answers the stream as it is then. */
	async function jobOf(
		target: AutomationTarget,
		execution: ExecutionRow,
		node: ServerNode,
		stream: StreamRow,
		watched: Watched,
	): Promise<{ stream: StreamRow; more: boolean; task: string | null }> {
		let stored = false;
		if (over(node)) {
			const detail = await automation.job(target, "job", stream.job_id);
			const finalSeen = stream.final_seen_at ?? new Date(clock.now());
			if (stream.final_seen_at === null) {
				await store.transaction((tx) => streams.advance(tx, stream, { final_seen_at: finalSeen }));
			}
			const patient = clock.now() - finalSeen.getTime() < EVENTS_MS;
			stored = detail === null || detail.eventsStored !== false || !patient;
		}
		const taken = await ingest(target, execution, stream, watched, stored);
		if (stored && !taken.more && !taken.gap) {
			await store.transaction((tx) => streams.advance(tx, taken.stream, { done: true }));
			return { ...taken, stream: { ...taken.stream, done: true } };
		}
		return taken;
	}

	async function plainOf(
		target: AutomationTarget,
		execution: ExecutionRow,
		type: ServerJobType,
		stream: StreamRow,
		watched: Watched,
	): Promise<StreamRow> {
		const said = await automation.output(target, type, stream.job_id, OUTPUT_BYTES).catch((error: unknown) => {
			if (!(error instanceof AutomationError) || error.retryable) throw error;
			log.warn(
				{ execution: execution.id, job: stream.job_id, reason: error.kind },
				"the output of a node cannot be read",
			);
			return "";
		});
		const text = textOf({ stdout: said.replace(/\n$/, "") }, watched.mask);
		const values = { length: text.length, done: true };
		await store.transaction(async (tx) => {
			if (!(await streams.advance(tx, stream, values))) return;
			await streams.write(tx, stream, piecesOf(0, text));
		});
		return { ...stream, ...values };
	}

	/** One look at all nodes and at the output of their jobs. */
	async function look(target: AutomationTarget, execution: ExecutionRow, watched: Watched): Promise<Seen> {
		const found = await automation.nodes(target, execution.job_id ?? 0);
		await store.transaction(async (tx) => {
			await streams.setNodes(
				tx,
				execution.id,
				found.map((node) => rowOf(node, found)),
			);
			for (const { jobId, jobType } of found) {
				if (jobId !== null && jobType !== null && hasOutput(jobType)) {
					await streams.ensure(tx, execution.id, jobId, jobType);
				}
			}
		});
		const all = new Map((await streams.of(store.db, [execution.id])).map((stream) => [stream.job_id, stream]));
		let more = false;
		let task: string | null = null;
		for (const node of found) {
			const stream = node.jobId === null ? undefined : all.get(node.jobId);
			if (stream === undefined || stream.done || node.status === "pending" || node.status === "waiting") continue;
			if (node.jobType === "job") {
				const taken = await jobOf(target, execution, node, stream, watched);
				all.set(stream.job_id, taken.stream);
				more ||= taken.more;
				if (taken.task !== null) task = `${node.name} : ${taken.task}`;
			} else if (over(node) && node.jobType !== null) {
				all.set(stream.job_id, await plainOf(target, execution, node.jobType, stream, watched));
			}
		}
		const streamsNow = [...all.values()];
		const waits = streamsNow.some(({ done }) => !done);
		return { counts: countsOf(streamsNow), task, more, gap: false, waits, nodes: found };
	}

	return { look };
}
export type NodeFollower = ReturnType<typeof createNodes>;

const hasOutput = (type: ServerJobType): boolean => type === "job" || PLAIN.includes(type);

/** As it is kept: the state of its job, or why it has none. */
function rowOf(node: ServerNode, all: readonly ServerNode[]) {
	const status = node.status === null ? null : (readStatus(node.status) ?? node.status);
	return {
		node_id: node.id,
		identifier: node.identifier,
		job_id: node.jobId,
		job_type: node.jobType,
		name: node.name,
		status: status ?? (node.doNotRun ? "skipped" : "pending"),
		elapsed: node.elapsed,
		depends_on: all.filter(({ next }) => next.includes(node.id)).map(({ id }) => id),
	};
}
