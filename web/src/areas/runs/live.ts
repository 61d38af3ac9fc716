/** A running run: frames of its socket merged with answers of the API. */
import { chainExecutionChannel, pipelineRoutes } from "@weft/contracts/browser";
import { useEffect, useRef, useState } from "react";
import { type AnswerOf, useAnswer } from "../../platform/call.ts";
import { useChannel } from "../../platform/sockets.ts";
import { type NodeRuns, withFrame } from "./frames.ts";

/** A run with its stages. */
export type RunDetail = AnswerOf<typeof pipelineRoutes.detail>;

const LIVE_MS = 3_000;
const POLLING_MS = 1_500;
/** Looks for the snapshot of a run after its end. */
const MOST_LOOKS = 4;

export const isUnderWay = (status: string | undefined): boolean => status === "pending" || status === "running";

/** @param id of the run; null: there is none */
export function useLiveRun(id: string | null) {
	const [nodes, setNodes] = useState<NodeRuns>({});
	const [live, setLive] = useState(false);
	const [ended, setEnded] = useState(false);
	// biome-ignore lint/correctness/useExhaustiveDependencies: another run begins with nothing
	useEffect(() => {
		setNodes({});
		setEnded(false);
	}, [id]);
	const answer = useAnswer(pipelineRoutes.detail, { params: { id: id ?? "" } }, { enabled: id !== null, staleTime: 0 });
	const { refetch } = answer;
	const job = id === null ? undefined : answer.data;
	const underWay = job === undefined ? id !== null : isUnderWay(job.status);
	const isKnownToRun = job !== undefined && isUnderWay(job.status);
	useChannel(chainExecutionChannel, id !== null && isKnownToRun && !ended ? { job_id: id } : null, {
		frame(frame) {
			setNodes((before) => withFrame(before, frame));
			if (frame.type !== "execution_complete" && frame.type !== "execution_failed") return;
			setEnded(true);
			void refetch();
		},
		state: ({ kind }) => setLive(kind === "live"),
	});
	useEffect(() => {
		if (id === null || !underWay) return;
		const timer = setInterval(() => document.hidden || void refetch(), live && !ended ? LIVE_MS : POLLING_MS);
		return () => clearInterval(timer);
	}, [id, underWay, live, ended, refetch]);
	const looks = useRef(MOST_LOOKS);
	const isAwaited = ended && job?.status === "completed" && job.saved_query_id !== null && job.snapshot_id === null;
	useEffect(() => {
		if (!isAwaited) return;
		const timer = setInterval(() => {
			if (--looks.current < 0) clearInterval(timer);
			else void refetch();
		}, POLLING_MS);
		return () => clearInterval(timer);
	}, [isAwaited, refetch]);
	return { job, nodes, underWay: id !== null && underWay, error: answer.error, refetch: () => void refetch() };
}
