/** A change window that is read again when its socket says so, or by polling. */
import { changeWindowChannel, changeWindowRoutes } from "@weft/contracts/browser";
import { useEffect, useState } from "react";
import { invalidateAreas, useAnswer } from "../../platform/call.ts";
import { useChannel } from "../../platform/sockets.ts";
import { isOver } from "./window-states.ts";

const LIVE_MS = 10_000;
const POLLING_MS = 2_000;

export function useLiveWindow(id: string) {
	const [isLive, setLive] = useState(false);
	const answer = useAnswer(changeWindowRoutes.detail, { params: { id } }, { staleTime: 0 });
	const { refetch } = answer;
	const isMoving = answer.data !== undefined && !isOver(answer.data.state);
	useChannel(changeWindowChannel, isMoving ? { id } : null, {
		frame: ({ type }) => void (type === "verdict" || type === "end" ? invalidateAreas("change_windows") : refetch()),
		state: ({ kind }) => setLive(kind === "live"),
	});
	useEffect(() => {
		if (!isMoving) return;
		const timer = setInterval(() => document.hidden || void refetch(), isLive ? LIVE_MS : POLLING_MS);
		return () => clearInterval(timer);
	}, [isMoving, isLive, refetch]);
	return answer;
}
