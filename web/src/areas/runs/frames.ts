/** What a run's frames, and at its end its stages, say of each node. Pure. */
import type { chainExecutionChannel, PipelineJob, PipelineStage } from "@weft/contracts";
import type { FrameOf } from "@weft/sdk";

interface NodeRun {
	/** `stopped`: the run ended before this node did. */
	readonly state: "reading" | "done" | "failed" | "stopped";
	readonly rows: number | null;
	readonly ms: number | null;
}
export type NodeRuns = Readonly<Record<string, NodeRun>>;

type Frame = FrameOf<typeof chainExecutionChannel>;

/** Idempotent, because all frames are sent again after a reconnect. */
export function withFrame(runs: NodeRuns, frame: Frame): NodeRuns {
	switch (frame.type) {
		case "node_start": {
			const { node_id } = frame.data;
			return node_id in runs ? runs : { ...runs, [node_id]: { state: "reading", rows: null, ms: null } };
		}
		case "node_result": {
			const { node_id, row_count } = frame.data;
			const before = runs[node_id] ?? { state: "reading", ms: null };
			return { ...runs, [node_id]: { ...before, rows: row_count } };
		}
		case "node_complete": {
			const { node_id, duration_ms } = frame.data;
			return { ...runs, [node_id]: { rows: runs[node_id]?.rows ?? null, state: "done", ms: duration_ms } };
		}
		case "execution_failed": {
			const { failed_node } = frame.data;
			const ended = Object.entries(runs).map(([id, run]): [string, NodeRun] => [
				id,
				run.state === "reading" && failed_node === null ? { ...run, state: "failed" } : run,
			]);
			const failed =
				failed_node === null
					? {}
					: { [failed_node]: { rows: null, ms: null, ...runs[failed_node], state: "failed" } as const };
			return { ...Object.fromEntries(ended), ...failed };
		}
		default:
			return runs;
	}
}

/** The part of a run's detail that tells of its nodes. */
interface EndedRun extends Pick<PipelineJob, "errors"> {
	readonly stages: readonly Pick<PipelineStage, "index" | "status" | "node_ids" | "execution_time_ms">[];
	readonly node_results: readonly { readonly node_id: string; readonly row_count: number }[];
}

/**
 * Final node states of an ended run. Frames that nobody heard are not needed for them. Nodes of
 * stages that did not start have none.
 * @param classNodes of the canvas, by id
 */
export function readRunsOfStages(
	{ stages, errors, node_results }: EndedRun,
	classNodes: ReadonlySet<string>,
): NodeRuns {
	const rows = new Map(node_results.map(({ node_id, row_count }) => [node_id, row_count]));
	const named = new Set(errors.map(({ node_id }) => node_id));
	const runs: Record<string, NodeRun> = {};
	for (const { status, node_ids, execution_time_ms } of stages) {
		if (status === "pending" || status === "skipped") continue;
		const classes = node_ids.filter((id) => classNodes.has(id));
		const isNamed = classes.some((id) => named.has(id));
		for (const id of classes) {
			const state =
				status === "completed" ? "done" : status === "failed" && (!isNamed || named.has(id)) ? "failed" : "stopped";
			runs[id] = { state, rows: rows.get(id) ?? null, ms: execution_time_ms };
		}
	}
	return runs;
}
