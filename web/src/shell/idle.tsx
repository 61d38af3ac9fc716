/** Ends an idle session after one minute's warning. Activity in any tab counts for all. */
import { authRoutes } from "@weft/contracts/browser";
import { useEffect, useState } from "react";
import { callRoute, useAnswer } from "../platform/call.ts";
import { session } from "../platform/weft.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

const KEY = "weft.active";
const WARNING_MS = 60_000;
/** How exact the noted time of the last activity is. */
const NOTE_MS = 5_000;
/** After the page has what it shows. */
const LATER_MS = 10_000;

export function IdleWatch() {
	const [asked, setAsked] = useState(false);
	useEffect(() => {
		const timer = setTimeout(() => setAsked(true), LATER_MS);
		return () => clearTimeout(timer);
	}, []);
	const { data } = useAnswer(authRoutes.sessionTimeout, undefined, { enabled: asked, staleTime: 10 * 60_000 });
	const minutes = data?.session_timeout_minutes ?? 0;
	return minutes > 0 ? <Watch limitMs={minutes * 60_000} /> : null;
}

function Watch({ limitMs }: { limitMs: number }) {
	const [left, setLeft] = useState(limitMs);
	const warning = left <= WARNING_MS;
	useEffect(() => {
		noteActivity(true);
		const look = () => {
			const rest = limitMs - (Date.now() - readLastActive());
			setLeft(rest);
			if (rest <= 0) void session.end("idle");
		};
		const timer = setInterval(look, 1_000);
		return () => clearInterval(timer);
	}, [limitMs]);
	useEffect(() => {
		// While the question is on the screen only its answer counts.
		if (warning) return;
		const active = () => noteActivity(false);
		const events = ["pointerdown", "keydown", "wheel"] as const;
		for (const event of events) window.addEventListener(event, active, { passive: true });
		return () => {
			for (const event of events) window.removeEventListener(event, active);
		};
	}, [warning]);
	const stay = () => {
		noteActivity(true);
		setLeft(limitMs);
		// The service counts by itself: it has to hear it too.
		void callRoute(authRoutes.sessionTimeout).catch(() => {});
	};
	return (
		<Dialog
			open={warning}
			title="Are you still there?"
			description={`You will be signed out in ${Math.max(0, Math.ceil(left / 1000))} seconds. The canvas is kept as a draft.`}
			onClose={stay}
			actions={
				<>
					<Button onClick={() => void session.end("left")}>Sign out now</Button>
					<Button variant="primary" onClick={stay}>
						Stay signed in
					</Button>
				</>
			}
		>
			{null}
		</Dialog>
	);
}

let noted = 0;

function noteActivity(always: boolean): void {
	const now = Date.now();
	if (!always && now - noted < NOTE_MS) return;
	noted = now;
	localStorage.setItem(KEY, String(now));
}

const readLastActive = (): number => Number(localStorage.getItem(KEY) ?? Date.now());
