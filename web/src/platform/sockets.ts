/** Open channels of this tab: one socket per channel, shared by its listeners, and its state. */
import type { ChannelPath } from "@weft/contracts";
import { authRoutes } from "@weft/contracts/browser";
import type { FrameOf } from "@weft/sdk";
import { useEffect, useRef } from "react";
import { create } from "zustand";
import { type Channel, type ChannelFrame, type ChannelState, keepOpen } from "./channel.ts";
import { readOpeningPart } from "./opening.ts";
import { client, session } from "./weft.ts";

/** `states` by path; null before the first channel of a session. */
export const useSockets = create<{ readonly states: Readonly<Record<string, ChannelState>> | null }>(() => ({
	states: null,
}));

interface Shared {
	readonly listeners: Set<Listener>;
	readonly frames: ChannelFrame[];
	readonly connection: Channel;
}
interface Listener {
	frame(frame: ChannelFrame): void;
	state(state: ChannelState): void;
}

const open = new Map<string, Shared>();
/** Frames replayed to a late listener of a socket; no channel has more. */
const REMEMBERED = 5_000;

function subscribeChannel<C extends ChannelPath>(
	channel: C,
	params: Readonly<Record<string, string>>,
	on: { frame(frame: FrameOf<C>): void; state?(state: ChannelState): void },
): () => void {
	const path = channel.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
	const listener: Listener = { frame: (frame) => on.frame(frame as FrameOf<C>), state: (state) => on.state?.(state) };
	let shared = open.get(path);
	if (shared === undefined) {
		const listeners = new Set<Listener>();
		const frames: ChannelFrame[] = [];
		shared = { listeners, frames, connection: openConnection(path, listeners, frames) };
		open.set(path, shared);
	}
	for (const frame of shared.frames) deliverFrame(listener, frame);
	shared.listeners.add(listener);
	const mine = shared;
	return () => {
		mine.listeners.delete(listener);
		if (mine.listeners.size > 0 || open.get(path) !== mine) return;
		open.delete(path);
		mine.connection.close();
		setState(path, null);
	};
}

/** A listener that fails does not keep the frame from the others. */
function deliverFrame(listener: Listener, frame: ChannelFrame): void {
	try {
		listener.frame(frame);
	} catch (error) {
		reportError(error);
	}
}

function openConnection(path: string, listeners: Set<Listener>, frames: ChannelFrame[]) {
	return keepOpen({
		ticket: async () => (await readOpeningPart("ws_ticket", () => client.call(authRoutes.wsTicket))).ticket,
		open: (ticket) => new WebSocket(`${client.baseUrl.replace(/^http/, "ws")}${path}?ticket=${ticket}`),
		onFrame(frame) {
			frames.push(frame);
			if (frames.length > REMEMBERED) frames.shift();
			for (const listener of listeners) deliverFrame(listener, frame);
		},
		onState(state) {
			setState(path, state);
			// After a reconnection the service tells everything again.
			if (state.kind === "connecting") frames.length = 0;
			for (const listener of listeners) listener.state(state);
		},
		isVisible: () => document.visibilityState === "visible",
		now: Date.now,
		later(ms, run) {
			const timer = setTimeout(run, ms);
			return () => clearTimeout(timer);
		},
	});
}

function setState(path: string, state: ChannelState | null): void {
	const { [path]: _, ...rest } = useSockets.getState().states ?? {};
	useSockets.setState({ states: state === null || state.kind === "ended" ? rest : { ...rest, [path]: state } });
}

/** Frames of a channel as long as the component is there; nothing while `params` is null. */
export function useChannel<C extends ChannelPath>(
	channel: C,
	params: Readonly<Record<string, string>> | null,
	on: { frame(frame: FrameOf<C>): void; state?(state: ChannelState): void },
): void {
	const latest = useRef(on);
	latest.current = on;
	const key = params === null ? null : JSON.stringify(params);
	useEffect(() => {
		if (key === null) return;
		return subscribeChannel(channel, JSON.parse(key), {
			frame: (frame) => latest.current.frame(frame),
			state: (state) => latest.current.state?.(state),
		});
	}, [channel, key]);
}

// A page that comes to the front does not wait for its next ping.
document.addEventListener("visibilitychange", () => {
	if (document.visibilityState !== "visible") return;
	for (const { connection } of open.values()) connection.ping();
});

// Signing out closes the sockets.
session.subscribe(() => {
	if (session.state().status !== "out") return;
	for (const { connection } of open.values()) connection.close();
	open.clear();
	useSockets.setState({ states: null });
});
