/** A group run that is under way: its socket says how each connection's run stands. */
import type { GroupExecution } from "@weft/contracts";
import { groupExecutionChannel, groupExecutionRoutes } from "@weft/contracts/browser";
import { useEffect, useState } from "react";
import { getAnswer, useAnswer } from "../../../platform/call.ts";
import { useChannel } from "../../../platform/sockets.ts";
import { queries } from "../../../platform/weft.ts";
import { withRunStatus } from "./order.ts";

/** Milliseconds between refetches while the socket is live. */
const LIVE_MS = 5_000;
/** Milliseconds between refetches while it is not. */
const POLLING_MS = 1_500;

export function useLiveGroupRun(id: string) {
	const [isLive, setLive] = useState(false);
	const input = { params: { id } };
	const answer = useAnswer(groupExecutionRoutes.detail, input, { staleTime: 0 });
	const { refetch } = answer;
	const isRunning = answer.data?.status === "running";
	useChannel(groupExecutionChannel, isRunning ? { id } : null, {
		frame(frame) {
			if (frame.type === "group_complete") void refetch();
			else {
				// Each connection sends frames, so the cached answer is updated instead of refetched.
				queries.setQueryData<GroupExecution>(getAnswer(groupExecutionRoutes.detail, input).queryKey, (before) =>
					before === undefined ? before : withRunStatus(before, frame.data),
				);
			}
		},
		state: ({ kind }) => setLive(kind === "live"),
	});
	useEffect(() => {
		if (!isRunning) return;
		const timer = setInterval(() => document.hidden || void refetch(), isLive ? LIVE_MS : POLLING_MS);
		return () => clearInterval(timer);
	}, [isRunning, isLive, refetch]);
	return { execution: answer.data, error: answer.error, refetch: () => void refetch() };
}
