/**
 * A WebSocket channel that reconnects: a new ticket per attempt, backoff from one to thirty
 * seconds, a timeout for the service's pings, and an end when retrying is pointless. Has no DOM
 * dependency, so tests inject sockets and a clock.
 */
export type ChannelState =
	| { readonly kind: "connecting" }
	| { readonly kind: "live" }
	/** `at`: when it is tried again, in milliseconds since 1970. */
	| { readonly kind: "waiting"; readonly at: number }
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
	close(): void;
}

/** Derived from a method to make its parameter bivariant: implementations declare wider events. */
type Listener<Event> = { listen(event: Event): void }["listen"] | null;

export interface ChannelDeps {
	ticket(): Promise<string>;
	open(ticket: string): Socket;
	onFrame(frame: ChannelFrame): void;
	onState(state: ChannelState): void;
	now(): number;
	later(ms: number, run: () => void): () => void;
}

/** The service pings every 30 seconds. */
export const SILENCE_MS = 60_000;
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
const NORMAL = 1000;
const TICKET = 4001;
/** Not allowed, not there: asking again would answer the same. */
const FINAL = [NORMAL, 4003, 4004];

export function keepOpen({ ticket, open, onFrame, onState, now, later }: ChannelDeps): { close(): void } {
	let socket: Socket | null = null;
	let stopped = false;
	let wait = FIRST_MS;
	let ticketRefused = false;
	let cancelRetry = () => {};
	let cancelWatch = () => {};

	function watch(): void {
		cancelWatch();
		cancelWatch = later(SILENCE_MS, () => lost(0, "silent"));
	}

	async function connect(): Promise<void> {
		onState({ kind: "connecting" });
		try {
			const given = await ticket();
			if (stopped) return;
			const opened = open(given);
			socket = opened;
			watch();
			opened.onopen = () => onState({ kind: "live" });
			opened.onmessage = ({ data }) => {
				if (socket !== opened) return;
				wait = FIRST_MS;
				ticketRefused = false;
				watch();
				const frame = JSON.parse(String(data)) as ChannelFrame;
				if (frame.type !== "ping") onFrame(frame);
			};
			opened.onclose = ({ code, reason }) => {
				if (socket === opened) lost(code, reason);
			};
		} catch {
			lost(0, "no ticket");
		}
	}

	function lost(code: number, reason: string): void {
		if (stopped) return;
		cancelWatch();
		const old = socket;
		socket = null;
		old?.close();
		// A ticket may have aged on its way; a second refusal in a row means something else.
		if (FINAL.includes(code) || (code === TICKET && ticketRefused)) {
			stopped = true;
			onState({ kind: "ended", code, reason });
			return;
		}
		if (code === TICKET) {
			ticketRefused = true;
			void connect();
			return;
		}
		const ms = wait;
		wait = Math.min(LONGEST_MS, wait * 2);
		onState({ kind: "waiting", at: now() + ms });
		cancelRetry = later(ms, () => void connect());
	}

	void connect();
	return {
		close() {
			stopped = true;
			cancelRetry();
			cancelWatch();
			const old = socket;
			socket = null;
			old?.close();
		},
	};
}
