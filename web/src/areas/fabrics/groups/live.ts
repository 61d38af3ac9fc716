/** A group run that is under way: its socket says how each connection's run stands. */
import type { GroupExecution } from "@weft/contracts";
import { groupExecutionChannel, groupExecutionRoutes } from "@weft/contracts/browser";
import { useEffect, useState } from "react";
import { getAnswer, useAnswer } from "../../../platform/call.ts";
import { useChannel } from "../../../platform/sockets.ts";
import { queries } from "../../../platform/weft.ts";
import { withRunStatus } from "./order.ts";

const LIVE_MS = 5_000;
const POLLING_MS = 1_500;

export function useLiveGroupRun(id: string) {
	const [isLive, setLive] = useState(false);
	const input = { params: { id } };
	const answer = useAnswer(groupExecutionRoutes.detail, input, { staleTime: 0 });
	const { refetch } = answer;
	const underWay = answer.data?.status === "running";
	useChannel(groupExecutionChannel, underWay ? { id } : null, {
		frame(frame) {
			if (frame.type === "group_complete") void refetch();
			else {
				// A frame for each connection: asking again after each would be too many calls.
				queries.setQueryData<GroupExecution>(getAnswer(groupExecutionRoutes.detail, input).queryKey, (before) =>
					before === undefined ? before : withRunStatus(before, frame.data),
				);
			}
		},
		state: ({ kind }) => setLive(kind === "live"),
	});
	useEffect(() => {
		if (!underWay) return;
		const timer = setInterval(() => document.hidden || void refetch(), isLive ? LIVE_MS : POLLING_MS);
		return () => clearInterval(timer);
	}, [underWay, isLive, refetch]);
	return { execution: answer.data, error: answer.error, refetch: () => void refetch() };
}
