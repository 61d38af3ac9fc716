/** A change window that is read again when its socket says so, or by polling. */
import type { ChangeWindow } from "@weft/contracts";
import { changeWindowChannel, changeWindowRoutes } from "@weft/contracts/browser";
import { useEffect, useRef, useState } from "react";
import { invalidateAreas, useAnswer } from "../../platform/call.ts";
import { useChannel } from "../../platform/sockets.ts";
import { isOver } from "./window-states.ts";

const LIVE_MS = 10_000;
const POLLING_MS = 2_000;
/** Frames of one change, and those of a new socket, arrive together: one read follows them. */
const FRAMES_MS = 200;

export function useLiveWindow(id: string) {
	const [isLive, setLive] = useState(false);
	const answer = useAnswer(changeWindowRoutes.detail, { params: { id } }, { staleTime: 0 });
	const { data, refetch } = answer;
	const isMoving = data !== undefined && !isOver(data.state);
	const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
	const readSoon = () => {
		timer.current ??= setTimeout(() => {
			timer.current = undefined;
			void refetch();
		}, FRAMES_MS);
	};
	const latest = useRef<ChangeWindow | undefined>(undefined);
	// Findings and lists are read again after each read of another verdict, or of the end.
	useEffect(() => {
		const earlier = latest.current;
		latest.current = data;
		if (data === undefined || earlier?.id !== data.id) return;
		if (findVerdict(earlier) !== findVerdict(data)) void invalidateAreas("change_windows");
	}, [data]);
	useEffect(() => () => clearTimeout(timer.current), []);
	useChannel(changeWindowChannel, isMoving ? { id } : null, {
		frame: readSoon,
		state: ({ kind }) => setLive(kind === "live"),
	});
	useEffect(() => {
		if (!isMoving) return;
		const polling = setInterval(() => document.hidden || void refetch(), isLive ? LIVE_MS : POLLING_MS);
		return () => clearInterval(polling);
	}, [isMoving, isLive, refetch]);
	return answer;
}

/** Changes with each verdict and at the end of the window. */
const findVerdict = ({ verdicts, state }: ChangeWindow): string => `${verdicts.length} ${isOver(state)}`;
