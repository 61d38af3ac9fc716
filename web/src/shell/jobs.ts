/** The newest runs, from any page. */
import type { PipelineJob } from "@weft/contracts";
import { pipelineRoutes } from "@weft/contracts/browser";
import { useEffect } from "react";
import { callRoute, useAnswer } from "../platform/call.ts";
import { readOpeningPart } from "../platform/opening.ts";
import { useMay } from "../platform/profile.ts";

const BUSY_MS = 3_000;
const IDLE_MS = 30_000;

export const isUnderWay = ({ status }: Pick<PipelineJob, "status">): boolean =>
	status === "pending" || status === "running";
export const formatJobName = (job: PipelineJob): string => job.query_name ?? "Unsaved query";

/** The newest runs: the tray, the overview and the sidebar share this call. */
export function useRecentJobs() {
	const may = useMay();
	const enabled = may("view_pipelineexecution");
	const answer = useAnswer(
		pipelineRoutes.list,
		{ query: { page_size: "20" } },
		{ enabled, every: IDLE_MS, through: (call) => readOpeningPart("pipeline_executions", call) },
	);
	const busy = answer.data?.results.some(isUnderWay) ?? false;
	useEffect(() => {
		if (!busy) return;
		const timer = setInterval(() => document.hidden || void answer.refetch(), BUSY_MS);
		return () => clearInterval(timer);
	}, [busy, answer.refetch]);
	return answer;
}

export const cancelJob = (id: string) => callRoute(pipelineRoutes.cancel, { params: { id } });
