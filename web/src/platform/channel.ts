/**
 * A WebSocket channel that reconnects: a new ticket per attempt, backoff from one to thirty
 * seconds, and an end when retrying is pointless. While the page is visible it pings the service,
 * which answers with a pong, so that a service that hangs is noticed within nine seconds. Has no
 * DOM dependency, so tests inject sockets and a clock.
 */
import { closeCode } from "@weft/contracts/browser";
import { findQuotaReason, isProgramError } from "./problem.ts";

export type ChannelState =
	| { readonly kind: "connecting" }
	| { readonly kind: "live" }
	/** Not opened in time, or the latest ping has had no answer in time. */
	| { readonly kind: "silent" }
	/**
	 * `at`: when it is tried again, in milliseconds since 1970. `refusal`: the service's words where
	 * a quota is used up, else null.
	 */
	| { readonly kind: "waiting"; readonly at: number; readonly refusal: string | null }
	| { readonly kind: "ended"; readonly code: number; readonly reason: string };

export interface ChannelFrame {
	readonly type: string;
	readonly timestamp: string;
	readonly data: unknown;
}

/** The part of the standard WebSocket that is used. */
export interface Socket {
	onopen: Listener<unknown>;
	onmessage: Listener<{ data: unknown }>;
	onclose: Listener<{ code: number; reason: string }>;
	send(text: string): void;
	close(): void;
}

/** Derived from a method to make its parameter bivariant: implementations declare wider events. */
type Listener<Event> = { listen(event: Event): void }["listen"] | null;

interface ChannelParts {
	ticket(): Promise<string>;
	open(ticket: string): Socket;
	onFrame(frame: ChannelFrame): void;
	onState(state: ChannelState): void;
	/** Whether the page can be seen. Pages in the background send no pings. */
	isVisible(): boolean;
	now(): number;
	later(ms: number, run: () => void): () => void;
}

/** The service pings every 30 seconds. A socket without any frame for so long is lost. */
export const SILENCE_MS = 60_000;
/** Time from the start, or from an answer, to the next ping of the page. */
export const PING_MS = 4_000;
/** Upper bound for the answer to a ping. Together with PING_MS it is below nine seconds. */
export const PONG_MS = 4_000;
/** Frames that only show that the other side is there. */
const KEEPALIVE = ["ping", "pong"];
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** Not allowed, not there: asking again would answer the same. */
const FINAL: readonly number[] = [closeCode.normal, closeCode.forbidden, closeCode.notFound];

export interface Channel {
	/** Pings at once, for a page that becomes visible. */
	ping(): void;
	close(): void;
}

export function keepOpen({ ticket, open, onFrame, onState, isVisible, now, later }: ChannelParts): Channel {
	let socket: Socket | null = null;
	let stopped = false;
	let wait = FIRST_MS;
	let ticketRefused = false;
	let attempts = 0;
	let cancelRetry = () => {};
	let cancelWatch = () => {};
	let cancelPing = () => {};
	/** The state of the open socket; null while there is none. */
	let heard: "live" | "silent" | null = null;

	function restartSilenceTimer(): void {
		cancelWatch();
		cancelWatch = later(SILENCE_MS, () => dropConnection(0, "silent"));
	}

	/** The service has just been heard: the next ping is due later. */
	function noticeActivity(): void {
		if (heard !== "live") onState({ kind: "live" });
		heard = "live";
		schedulePing();
	}

	function schedulePing(): void {
		cancelPing();
		cancelPing = later(PING_MS, sendPing);
	}

	/** The socket stays open without an answer: a slow service is not asked for a new one. */
	function sendPing(): void {
		if (heard === null || socket === null) return;
		if (!isVisible()) {
			schedulePing();
			return;
		}
		socket.send("ping");
		cancelPing();
		cancelPing = later(PONG_MS, noticeSilence);
	}

	function noticeSilence(): void {
		// A page in the background runs its timers late: the answer may just not be read yet.
		if (isVisible()) {
			if (heard !== "silent") onState({ kind: "silent" });
			heard = "silent";
		}
		sendPing();
	}

	async function openSocket(): Promise<void> {
		const attempt = ++attempts;
		onState({ kind: "connecting" });
		restartSilenceTimer();
		cancelPing = later(PING_MS + PONG_MS, () => onState({ kind: "silent" }));
		let given: string;
		try {
			given = await ticket();
		} catch (error) {
			if (isProgramError(error)) throw error;
			if (attempt === attempts) dropConnection(0, findQuotaReason(error) ?? "no ticket");
			return;
		}
		// A later attempt has begun while this ticket was on its way.
		if (stopped || attempt !== attempts) return;
		const opened = open(given);
		socket = opened;
		restartSilenceTimer();
		opened.onopen = () => {
			if (socket === opened) noticeActivity();
		};
		opened.onmessage = ({ data }) => {
			if (socket !== opened) return;
			wait = FIRST_MS;
			ticketRefused = false;
			restartSilenceTimer();
			noticeActivity();
			const frame = JSON.parse(String(data)) as ChannelFrame;
			if (!KEEPALIVE.includes(frame.type)) onFrame(frame);
		};
		opened.onclose = ({ code, reason }) => {
			if (socket === opened) dropConnection(code, reason);
		};
	}

	function dropConnection(code: number, reason: string): void {
		if (stopped) return;
		cancelWatch();
		cancelPing();
		heard = null;
		const old = socket;
		socket = null;
		old?.close();
		// A ticket may have aged on its way; a second refusal in a row means something else. A quota
		// that is used up (`sockets_max: …`) has room again when another tab closes.
		const refusal = reason.split("_max: ")[1] ?? null;
		if ((FINAL.includes(code) && refusal === null) || (code === closeCode.ticket && ticketRefused)) {
			stopped = true;
			onState({ kind: "ended", code, reason });
			return;
		}
		if (code === closeCode.ticket) {
			ticketRefused = true;
			void openSocket();
			return;
		}
		const ms = wait;
		wait = Math.min(LONGEST_MS, wait * 2);
		onState({ kind: "waiting", at: now() + ms, refusal });
		cancelRetry = later(ms, () => void openSocket());
	}

	void openSocket();
	return {
		ping: sendPing,
		close() {
			stopped = true;
			cancelRetry();
			cancelWatch();
			cancelPing();
			heard = null;
			const old = socket;
			socket = null;
			old?.close();
		},
	};
}
