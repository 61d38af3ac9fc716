/** Runs the query, or one node of it, on the chosen controller. */
import type { PipelineJob, PreviewAnswer, SavedQuery } from "@weft/contracts";
import { backgroundRunRoutes, pipelineRoutes, planningRoutes } from "@weft/contracts/browser";
import { useEffect, useState } from "react";
import { callRoute, useAction } from "../../../platform/call.ts";
import { UserError } from "../../../platform/failures.ts";
import { keepTarget, NO_TARGET, useTarget } from "../../../platform/target.ts";
import { showToast } from "../../../ui/toast.tsx";
import { readRunsOfStages } from "../../runs/frames.ts";
import { useLiveRun } from "../../runs/live.ts";
import { type Doc, getContent, writeCanvas } from "./model/canvas.ts";
import { useBuilderStore, useDoc } from "./store.ts";

const findClasses = ({ nodes }: Doc): Set<string> =>
	new Set(nodes.filter(({ type }) => type === "classNode").map(({ id }) => id));

export type Run = ReturnType<typeof useRun>;

/** @param unchanged the saved query, where the canvas is the same; it is logged as its run */
export function useRun(unchanged: SavedQuery | null) {
	const store = useBuilderStore();
	const doc = useDoc();
	const target = useTarget();
	const [isDocked, setDocked] = useState(false);
	const [preview, setPreview] = useState<PreviewAnswer | null>(null);
	const [runId, setRunId] = useState<string | null>(null);
	const { job, nodes, underWay } = useLiveRun(runId);

	// At the end the run itself tells the final states: frames may be missing, or stop at a failure.
	const ended = job !== undefined && !underWay ? job : undefined;
	useEffect(() => {
		const { history } = store.getState();
		store.setState({ runs: ended === undefined ? nodes : readRunsOfStages(ended, findClasses(history.now)) });
	}, [store, nodes, ended]);

	const begin = useAction(
		async (values: Record<string, string> | null): Promise<PipelineJob> => {
			if (target === undefined) throw new UserError(NO_TARGET);
			keepTarget(target.id);
			const asked = { controller_connection_id: target.id, variable_values: values };
			// An unchanged saved query runs as such and is logged; a changed canvas runs ad hoc.
			if (unchanged !== null) {
				return callRoute(backgroundRunRoutes.start, { params: { id: unchanged.id }, body: asked });
			}
			return callRoute(pipelineRoutes.create, { body: { ...getContent(doc), ...asked } });
		},
		{
			stale: ["pipelines"],
			onSuccess(started) {
				setRunId(started.id);
				setPreview(null);
				setDocked(true);
			},
		},
	);
	const look = useAction(
		async (nodeId: string) => {
			if (target === undefined) throw new UserError(NO_TARGET);
			const body = {
				flow_data: writeCanvas(doc),
				variables: [...doc.variables],
				node_id: nodeId,
				connection_id: target.id,
			};
			return callRoute(planningRoutes.preview, { body });
		},
		{
			onSuccess(answer) {
				setPreview(answer);
				setDocked(true);
			},
		},
	);
	const stop = useAction((id: string) => callRoute(pipelineRoutes.cancel, { params: { id } }), {
		stale: ["pipelines"],
		onSuccess: () => showToast("Stopping: requests under way finish, later stages do not start"),
	});
	return {
		begin,
		look,
		stop,
		stopNow: () => runId && stop.mutate(runId),
		underWay,
		/** The results below the canvas; null: they are closed. */
		results: isDocked
			? { job, preview, soFar: Object.values(nodes).reduce((sum, { rows }) => sum + (rows ?? 0), 0) }
			: null,
		closeResults() {
			setDocked(false);
			setPreview(null);
		},
	};
}
