/** A group run that is under way: its socket says when to ask again. */
import { groupExecutionChannel, groupExecutionRoutes } from "@weft/contracts";
import { useEffect, useState } from "react";
import { useAnswer } from "../../platform/call.ts";
import { useChannel } from "../../platform/sockets.ts";

const LIVE_MS = 5_000;
const POLLING_MS = 1_500;

export function useLiveGroupRun(id: string) {
	const [isLive, setLive] = useState(false);
	const answer = useAnswer(groupExecutionRoutes.detail, { params: { id } }, { staleTime: 0 });
	const { refetch } = answer;
	const underWay = answer.data?.status === "running";
	useChannel(groupExecutionChannel, underWay ? { id } : null, {
		frame: () => void refetch(),
		state: ({ kind }) => setLive(kind === "live"),
	});
	useEffect(() => {
		if (!underWay) return;
		const timer = setInterval(() => document.hidden || void refetch(), isLive ? LIVE_MS : POLLING_MS);
		return () => clearInterval(timer);
	}, [underWay, isLive, refetch]);
	return { execution: answer.data, error: answer.error, refetch: () => void refetch() };
}
