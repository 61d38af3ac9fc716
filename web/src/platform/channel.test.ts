/** A channel that stays open: tickets, back-off, silence, and where it gives up. */
import { describe, expect, it } from "vitest";
import { type ChannelState, keepOpen, PING_MS, PONG_MS, SILENCE_MS, type Socket } from "./channel.ts";
import { UnreachableError } from "./failures.ts";

function createTestChannel(
	options: { ticketFails?: () => Error | null; ticketHangs?: () => boolean; isVisible?: () => boolean } = {},
) {
	let now = 0;
	const timers = new Set<{ at: number; run: () => void }>();
	const sockets: (Socket & { closed: boolean; ticket: string })[] = [];
	const states: ChannelState[] = [];
	const frames: string[] = [];
	const sent: string[] = [];
	let tickets = 0;
	const channel = keepOpen({
		async ticket() {
			const failure = options.ticketFails?.() ?? null;
			if (failure !== null) throw failure;
			if (options.ticketHangs?.()) return new Promise<string>(() => {});
			return `t${++tickets}`;
		},
		open(ticket) {
			const socket = {
				ticket,
				closed: false,
				onopen: null,
				onmessage: null,
				onclose: null,
				send: (text: string) => void sent.push(text),
				close() {},
			} as (typeof sockets)[number];
			socket.close = () => {
				socket.closed = true;
			};
			sockets.push(socket);
			return socket;
		},
		onFrame: ({ type }) => frames.push(type),
		onState: (state) => states.push(state),
		isVisible: options.isVisible ?? (() => true),
		now: () => now,
		later(ms, run) {
			const timer = { at: now + ms, run };
			timers.add(timer);
			return () => timers.delete(timer);
		},
	});
	return {
		channel,
		sockets,
		states,
		frames,
		sent,
		settle: () => new Promise((resolve) => setImmediate(resolve)),
		say: (type: string) => sockets.at(-1)?.onmessage?.({ data: JSON.stringify({ type, timestamp: "", data: {} }) }),
		end: (code: number, reason = "") => sockets.at(-1)?.onclose?.({ code, reason }),
		async advance(ms: number) {
			now += ms;
			for (const timer of [...timers]) {
				if (timer.at > now || !timers.delete(timer)) continue;
				timer.run();
			}
			await this.settle();
		},
		last: () => states.at(-1),
	};
}

describe("a channel", () => {
	it("opens with a ticket, and tells frames but not pings", async () => {
		const w = createTestChannel();
		await w.settle();
		w.sockets[0]?.onopen?.({});
		expect(w.last()).toEqual({ kind: "live" });
		w.say("ping");
		w.say("node_start");
		expect(w.frames).toEqual(["node_start"]);
	});

	it("is silent while no ticket comes, and asks for another after a minute", async () => {
		let hangs = true;
		const w = createTestChannel({ ticketHangs: () => hangs });
		await w.advance(PING_MS + PONG_MS);
		expect(w.last()).toEqual({ kind: "silent" });
		hangs = false;
		await w.advance(SILENCE_MS);
		expect(w.last()?.kind).toBe("waiting");
		await w.advance(1_000);
		w.sockets[0]?.onopen?.({});
		expect(w.last()).toEqual({ kind: "live" });
	});

	it("tries again after 1, 2, 4 … 30 seconds, with a new ticket each time, and begins anew once it was heard", async () => {
		const w = createTestChannel();
		await w.settle();
		const waits: number[] = [];
		let at = 0;
		for (let i = 0; i < 7; i++) {
			w.end(1006);
			const state = w.last();
			if (state?.kind !== "waiting") throw new Error("it does not wait");
			waits.push(state.at - at);
			at = state.at;
			await w.advance(waits[i] ?? 0);
		}
		expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
		expect(new Set(w.sockets.map(({ ticket }) => ticket)).size).toBe(8);
		w.say("node_start");
		w.end(1011);
		expect(w.last()).toEqual({ kind: "waiting", at: at + 1_000, refusal: null });
	});

	it("retries after a quota of sockets that is used up", async () => {
		const w = createTestChannel();
		await w.settle();
		w.end(4003, "sockets_max: Your quota of live connections (1) is used up.");
		expect(w.last()).toMatchObject({ kind: "waiting", refusal: "Your quota of live connections (1) is used up." });
	});

	it("is given up where the service says that it is over, forbidden or not there", async () => {
		for (const code of [1000, 4003, 4004]) {
			const w = createTestChannel();
			await w.settle();
			w.end(code);
			expect(w.last()).toEqual({ kind: "ended", code, reason: "" });
			await w.advance(120_000);
			expect(w.sockets).toHaveLength(1);
		}
	});

	it("fetches one more ticket at once where the first was too old, and gives up on the second refusal", async () => {
		const w = createTestChannel();
		await w.settle();
		w.end(4001);
		await w.settle();
		expect(w.sockets).toHaveLength(2);
		w.end(4001);
		expect(w.last()?.kind).toBe("ended");
	});

	it("counts a silent socket as lost", async () => {
		const w = createTestChannel();
		await w.settle();
		await w.advance(SILENCE_MS - 1);
		w.say("ping");
		await w.advance(SILENCE_MS - 1);
		expect(w.sockets[0]?.closed).toBe(false);
		await w.advance(1);
		expect(w.sockets[0]?.closed).toBe(true);
		expect(w.last()?.kind).toBe("waiting");
	});

	it("waits too when there is no ticket to be had", async () => {
		let fails = true;
		const w = createTestChannel({ ticketFails: () => (fails ? new UnreachableError("no connection") : null) });
		await w.settle();
		expect(w.last()).toEqual({ kind: "waiting", at: 1_000, refusal: null });
		fails = false;
		await w.advance(1_000);
		expect(w.sockets).toHaveLength(1);
	});

	it("stops being live within nine seconds of silence, stays open, and is live again with the next answer", async () => {
		const w = createTestChannel();
		await w.settle();
		w.sockets[0]?.onopen?.({});
		await w.advance(PING_MS);
		expect(w.sent).toEqual(["ping"]);
		w.say("pong");
		expect(w.frames).toEqual([]);
		await w.advance(PING_MS);
		await w.advance(PONG_MS - 1);
		expect(w.last()).toEqual({ kind: "live" });
		await w.advance(1);
		expect(w.last()).toEqual({ kind: "silent" });
		expect(w.sockets[0]?.closed).toBe(false);
		expect(PING_MS + PONG_MS).toBeLessThan(9_000);
		w.say("pong");
		expect(w.last()).toEqual({ kind: "live" });
		expect(w.sockets).toHaveLength(1);
	});

	it("sends no pings from a page in the background, and one at once when it comes to the front", async () => {
		let visible = false;
		const w = createTestChannel({ isVisible: () => visible });
		await w.settle();
		w.sockets[0]?.onopen?.({});
		for (let i = 0; i < 5; i++) await w.advance(PING_MS);
		expect(w.sent).toEqual([]);
		expect(w.last()).toEqual({ kind: "live" });
		visible = true;
		w.channel.ping();
		expect(w.sent).toEqual(["ping"]);
		await w.advance(PONG_MS);
		expect(w.last()).toEqual({ kind: "silent" });
	});

	it("is not called silent for an answer that a page in the background reads late", async () => {
		let visible = true;
		const w = createTestChannel({ isVisible: () => visible });
		await w.settle();
		w.sockets[0]?.onopen?.({});
		await w.advance(PING_MS);
		visible = false;
		await w.advance(PONG_MS);
		expect(w.last()).toEqual({ kind: "live" });
	});

	it("does nothing more once it is closed", async () => {
		const w = createTestChannel();
		await w.settle();
		w.end(1006);
		w.channel.close();
		await w.advance(60_000);
		expect(w.sockets).toHaveLength(1);
	});
});
