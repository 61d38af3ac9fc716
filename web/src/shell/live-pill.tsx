/** Whether the view is up to date. */
import { useEffect, useState } from "react";
import type { ChannelState } from "../platform/channel.ts";
import { useLink } from "../platform/fetch-with-retry.ts";
import { useSockets } from "../platform/sockets.ts";
import { joinClasses } from "../ui/classes.ts";

interface Shown {
	readonly word: string;
	readonly tone: "ok" | "warn" | "bad";
	readonly title: string;
}

const CONNECTING: ChannelState = { kind: "connecting" };

export function LivePill() {
	const sockets = useSockets(({ states }) => states);
	const states = sockets === null ? [CONNECTING] : Object.values(sockets);
	const { reachable, waitingUntil } = useLink();
	const waiting = states.find((state) => state.kind === "waiting");
	const until = waitingUntil ?? (waiting?.kind === "waiting" ? waiting.at : null);
	const seconds = useCountdown(until);
	const { word, tone, title } = describeState(states, reachable, waitingUntil !== null, seconds);
	const looks = { ok: "bg-ok-soft text-ok", warn: "bg-warn-soft text-warn", bad: "bg-bad-soft text-bad" };
	return (
		<span
			role="status"
			title={title}
			className={joinClasses(
				"flex h-5 shrink-0 items-center gap-1.5 rounded-full px-2 font-medium text-xs",
				looks[tone],
			)}
		>
			<span
				className={joinClasses("size-1.5 bg-current", tone === "ok" ? "rounded-full" : "rotate-45")}
				aria-hidden="true"
			/>
			{word}
		</span>
	);
}

function describeState(
	states: readonly ChannelState[],
	reachable: boolean,
	throttled: boolean,
	seconds: number,
): Shown {
	if (throttled) {
		return {
			word: `Slowed, ${seconds} s`,
			tone: "warn",
			title: "Too many requests. Waiting ones go on.",
		};
	}
	if (!reachable) return { word: "Offline", tone: "bad", title: "Weft is unreachable. This page may be out of date." };
	const waiting = states.find((state) => state.kind === "waiting");
	if (waiting?.kind === "waiting") {
		return {
			word: waiting.refusal === null ? `Reconnecting in ${seconds} s` : "No live updates",
			tone: "warn",
			title: `${waiting.refusal ?? "Live updates are interrupted."} The page polls.`,
		};
	}
	if (states.some((state) => state.kind === "silent")) {
		return {
			word: "Not answering",
			tone: "bad",
			title: "Weft does not answer. This page may be out of date.",
		};
	}
	if (states.some((state) => state.kind === "connecting")) {
		return { word: "Connecting", tone: "warn", title: "Connecting live updates." };
	}
	return { word: "Live", tone: "ok", title: "Live updates are connected." };
}

/** Whole seconds until then, counted down. */
function useCountdown(until: number | null): number {
	const [now, setNow] = useState(Date.now);
	useEffect(() => {
		if (until === null) return;
		setNow(Date.now());
		const timer = setInterval(() => setNow(Date.now()), 1_000);
		return () => clearInterval(timer);
	}, [until]);
	return until === null ? 0 : Math.max(0, Math.ceil((until - now) / 1000));
}
