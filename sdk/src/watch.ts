/** Frames of a WebSocket channel as an async sequence. */
import type { ChannelContract, ChannelContractOf, ChannelPath } from "@weft/contracts";
import { authRoutes } from "@weft/contracts/browser";
import type * as z from "zod";
import type { WeftClient } from "./full-client.ts";

type ContractFrame<C extends ChannelContract> = {
	[Type in keyof C["frames"] & string]: { type: Type; timestamp: string; data: z.output<C["frames"][Type]> };
}[keyof C["frames"] & string];

/** A frame of a channel, discriminated by `type`. */
export type FrameOf<C extends ChannelPath> = ContractFrame<ChannelContractOf<C>>;

/** The used part of the standard WebSocket. Node before 22 has none: pass the one of `ws`. */
interface SocketLike {
	onmessage: Listener<{ data: unknown }>;
	onclose: Listener<{ code: number; reason: string }>;
	onerror: Listener<unknown>;
	close(): void;
}

/** Derived from a method to make its parameter bivariant: implementations declare wider events. */
type Listener<Event> = { listen(event: Event): void }["listen"] | null;
export type SocketFactory = (url: string) => SocketLike;

/**
 * Opens a channel and yields its frames until the service closes it with 1000. Omits keepalive
 * frames.
 * @throws Error with the close code when the socket is closed for any other reason
 */
export async function* watch<C extends ChannelPath>(
	client: WeftClient,
	channel: C,
	params: z.input<ChannelContractOf<C>["params"]>,
	open: SocketFactory,
): AsyncGenerator<FrameOf<C>, void, void> {
	const { ticket } = await client.call(authRoutes.wsTicket);
	const path = channel.path.replace(/:(\w+)/g, (_, name: string) =>
		encodeURIComponent(String((params as Record<string, unknown>)[name])),
	);
	const socket = open(`${client.baseUrl.replace(/^http/, "ws")}${path}?ticket=${ticket}`);
	const waiting: FrameOf<C>[] = [];
	let end: { code: number; reason: string } | null = null;
	let wake: () => void = () => {};
	socket.onmessage = ({ data }) => {
		const frame = JSON.parse(String(data));
		if (channel.frameTypes.includes(frame.type)) waiting.push(frame);
		wake();
	};
	socket.onclose = (event) => {
		end = event;
		wake();
	};
	socket.onerror = () => {};
	try {
		for (;;) {
			const frame = waiting.shift();
			if (frame !== undefined) yield frame;
			else if (end !== null) break;
			else
				await new Promise<void>((resolve) => {
					wake = resolve;
				});
		}
	} finally {
		socket.close();
	}
	const { code, reason } = end as { code: number; reason: string };
	if (code !== 1000) throw new Error(`The channel was closed with ${code} (${reason}).`);
}
