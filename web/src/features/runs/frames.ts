/** What a run's frames say of each node. Pure. */
import type { chainExecutionChannel, PipelineStage } from "@weft/contracts";
import type { FrameOf } from "@weft/sdk";

export interface NodeRun {
	readonly state: "reading" | "done" | "failed";
	readonly rows: number | null;
	readonly ms: number | null;
}
export type NodeRuns = Readonly<Record<string, NodeRun>>;

type Frame = FrameOf<typeof chainExecutionChannel>;

/** The same frame told twice changes nothing: after a reconnection all of them come again. */
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

/**
 * What the stages of a run that has ended tell: its frames are gone when a socket comes too late for them. Rows are known
 * where a stage asks for one class only.
 * @param classNodes of the canvas, by id
 */
export function runsOfStages(stages: readonly PipelineStage[], classNodes: ReadonlySet<string>): NodeRuns {
	const runs: Record<string, NodeRun> = {};
	for (const { status, node_ids, outputs, execution_time_ms } of stages) {
		const state = status === "completed" ? "done" : status === "failed" ? "failed" : null;
		if (state === null) continue;
		const classes = node_ids.filter((id) => classNodes.has(id));
		for (const id of classes) {
			const only = classes.length === 1;
			runs[id] = {
				state,
				rows: only && state === "done" ? outputs.result_count : null,
				ms: only ? execution_time_ms : null,
			};
		}
	}
	return runs;
}
