/**
 * WebSocket channels: ticket, authorisation, the present state first, frames in order, keepalive,
 * and the close codes of the specification. A channel's source is re-read whenever its topic is
 * published, and now and then besides, so that a lost wake-up costs time and never a frame.
 */
import websocket from "@fastify/websocket";
import { type ChannelContract, closeCode, type Frame, KEEPALIVE_SECONDS } from "@weft/contracts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { WebSocket } from "ws";
import type { Identity } from "../caller.ts";
import { AppError } from "../errors.ts";
import { findClientAddress, type TrustedProxies } from "../http/client-address.ts";
import type { GiveBack, Throttle } from "../http/throttle.ts";
import { formatAddressBlock } from "../networks.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import type { PubSub } from "../ports/pubsub.ts";

/** A frame to send, in its place within the channel. */
export interface SourceFrame {
	readonly type: string;
	readonly timestamp: Date;
	readonly data: Record<string, unknown>;
}

/** What a channel delivers to one socket. */
interface Source {
	/** Published whenever there may be something new. */
	readonly topic: string;
	/**
	 * The frames that this socket has not seen yet, in order; the first call gives the present state.
	 */
	next(): Promise<readonly SourceFrame[]>;
	/**
	 * Whether the last call left frames, which are read once the client has received most of these.
	 */
	more?(): boolean;
}

export interface BoundChannel {
	readonly contract: ChannelContract;
	/** Throws 404 or 403 as an `AppError` where the caller must not listen. */
	open(identity: Identity, params: never): Promise<Source>;
}

interface HubParts {
	readonly clock: Clock;
	readonly log: Log;
	readonly pubsub: PubSub;
	/** Who a one-shot ticket belongs to; null when it is unknown, used or expired. */
	redeem(ticket: string): Promise<Identity | null>;
	/** The owner of an open socket with the rights of now; null when the session has ended. */
	renew(identity: Identity): Promise<Identity | null>;
	/**
	 * Takes one of the user's places for open sockets, and returns the function that frees it.
	 * @throws 403 `{detail, quota}` when the user has no place left
	 */
	takePlace(identity: Identity): Promise<() => void>;
	/** Counts an upgrade; those with a valid ticket are given back. */
	readonly throttle: Throttle;
	readonly trustedProxies: TrustedProxies;
}

/** Bytes that may wait for a slow client before it is disconnected. */
const MAX_BUFFERED = 4 * 1024 * 1024;
/** Below this many waiting bytes, more is read for a slow client. */
const LOW_BUFFERED = 256 * 1024;
const POLL_MS = 10;
/** How often the session, the rights and the object of an open socket are checked. */
const RECHECK_SECONDS = 5;
/** Covers lost wake-ups. */
const REREAD_SECONDS = 5;
const MAX_CLIENT_MESSAGE = 4096;
/** Bytes of the reason in a close frame, by RFC 6455. */
const MAX_REASON = 123;

export interface Hub {
	/** Closes every socket with 1001, for a shutdown. */
	close(): void;
	/** Sockets that are open now. */
	count(): number;
}

export async function mountChannels(
	server: FastifyInstance,
	channels: readonly BoundChannel[],
	deps: HubParts,
): Promise<Hub> {
	const sockets = new Set<WebSocket>();
	server.decorateRequest("giveBack", null);
	await server.register(websocket, { options: { maxPayload: MAX_CLIENT_MESSAGE, perMessageDeflate: false } });
	for (const bound of channels) {
		server.get(
			bound.contract.path,
			{ websocket: true, preValidation: (request) => countUpgrade(request, deps) },
			(socket, request) => {
				sockets.add(socket);
				socket.on("close", () => sockets.delete(socket));
				// An error is always followed by a close; without a listener it would end the process.
				socket.on("error", (error) => deps.log.debug({ err: error }, "socket error"));
				const ticket = (request.query as Record<string, string>).ticket;
				const given = typeof ticket === "string" ? ticket : "";
				const { params, giveBack } = request;
				serveSocket(socket, bound, { ticket: given, params, giveBack }, deps).catch((error: unknown) => {
					deps.log.error({ err: error, channel: bound.contract.path }, "a channel failed");
					socket.close(closeCode.error, "server error");
				});
			},
		);
	}
	return {
		count: () => sockets.size,
		close() {
			for (const socket of sockets) socket.close(1001, "the service is stopping");
		},
	};
}

declare module "fastify" {
	interface FastifyRequest {
		/** Takes an upgrade out of the rate's count; null for other requests. */
		giveBack: GiveBack | null;
	}
}

/** @throws 429 after too many upgrades without a valid ticket from one client */
async function countUpgrade(request: FastifyRequest, { throttle, trustedProxies }: HubParts): Promise<void> {
	const ip = findClientAddress(request.socket.remoteAddress, request.headers["x-forwarded-for"], trustedProxies);
	request.giveBack = await throttle("anon", `socket:${formatAddressBlock(ip)}`);
}

async function serveSocket(
	socket: WebSocket,
	bound: BoundChannel,
	{ ticket, params, giveBack }: { ticket: string; params: unknown; giveBack: GiveBack | null },
	deps: HubParts,
): Promise<void> {
	answerPings(socket, deps.clock);
	const identity = await deps.redeem(ticket);
	if (identity === null) {
		deps.log.warn({ channel: bound.contract.path }, "a ticket for a socket was refused");
		return socket.close(closeCode.ticket, "the ticket is not valid or has been used");
	}
	await giveBack?.();
	const parsed = bound.contract.params.safeParse(params);
	if (!parsed.success) return socket.close(closeCode.notFound, "not found");
	const open = (by: Identity) => bound.open(by, parsed.data as never);
	let source: Source;
	try {
		source = await open(identity);
		const freePlace = await deps.takePlace(identity);
		socket.once("close", freePlace);
		if (socket.readyState === socket.CLOSED) return freePlace();
	} catch (error) {
		if (closeRefused(socket, error)) return;
		throw error;
	}
	async function recheckAccess(): Promise<void> {
		const current = await deps.renew(identity as Identity);
		if (current === null) socket.close(closeCode.ticket, "the session has ended");
		else await open(current);
	}
	await deliverFrames(socket, bound.contract, source, recheckAccess, deps);
}

/** Closes a socket whose owner must not listen, or no longer; false for any other error. */
function closeRefused(socket: WebSocket, error: unknown): boolean {
	if (!(error instanceof AppError) || (error.status !== 404 && error.status !== 403)) return false;
	if (error.status === 404) socket.close(closeCode.notFound, "not found");
	else socket.close(closeCode.forbidden, describeRefusal(error));
	return true;
}

/** The reason in a close frame: the words about a quota that is used up, with its name. */
function describeRefusal({ body }: AppError): string {
	return typeof body.quota === "string" ? `${body.quota}: ${body.detail}`.slice(0, MAX_REASON) : "not allowed";
}

async function deliverFrames(
	socket: WebSocket,
	contract: ChannelContract,
	source: Source,
	/** Closes the socket of a session that has ended. Throws 404 or 403 like `BoundChannel.open`. */
	recheck: () => Promise<void>,
	deps: HubParts,
): Promise<void> {
	let again = true;
	let reading = false;

	/** Reads until nothing is new; a wake-up during a read leads to one more. */
	async function drainSource(): Promise<void> {
		if (reading || socket.readyState !== socket.OPEN) return;
		reading = true;
		try {
			while (again && socket.readyState === socket.OPEN) {
				again = false;
				const frames = await source.next();
				for (const frame of frames) {
					if (!sendFrame(socket, frame)) return;
					if (contract.final.includes(frame.type)) return socket.close(closeCode.normal, "complete");
				}
				if (!source.more?.()) continue;
				again = true;
				await waitUntilReceived(socket);
			}
		} catch (error) {
			if (closeRefused(socket, error)) return;
			deps.log.error({ err: error, channel: contract.path }, "a channel could not be read");
			socket.close(closeCode.error, "server error");
		} finally {
			reading = false;
		}
	}

	const wake = () => {
		again = true;
		void drainSource();
	};
	// Subscribed before the first read, so that nothing falls between the two.
	const subscription = await deps.pubsub.subscribe(source.topic, wake);
	const timers = [
		deps.clock.every(KEEPALIVE_SECONDS * 1000, () => {
			sendFrame(socket, { type: "ping", timestamp: new Date(deps.clock.now()), data: {} });
		}),
		deps.clock.every(RECHECK_SECONDS * 1000, () => {
			// A store that does not answer says nothing about the socket: it is asked again.
			void recheck().catch((error: unknown) => closeRefused(socket, error));
		}),
		deps.clock.every(REREAD_SECONDS * 1000, wake),
	];
	socket.once("close", () => {
		for (const timer of timers) timer.stop();
		void subscription.unsubscribe();
	});
	if (socket.readyState !== socket.OPEN) socket.emit("close");
	await drainSource();
}

/** Waits until the client has received most of the sent frames, or has disconnected. */
async function waitUntilReceived(socket: WebSocket): Promise<void> {
	while (socket.readyState === socket.OPEN && socket.bufferedAmount > LOW_BUFFERED) {
		await new Promise((resolve) => setTimeout(resolve, POLL_MS).unref());
	}
}

/** False when the reader is too slow and was cut off. */
function sendFrame(socket: WebSocket, frame: SourceFrame): boolean {
	if (socket.readyState !== socket.OPEN) return false;
	if (socket.bufferedAmount > MAX_BUFFERED) {
		socket.close(closeCode.error, "the reader is too slow");
		// A peer that reads nothing will not answer the close either.
		setTimeout(() => socket.terminate(), 2_000).unref();
		return false;
	}
	const wire: Frame = { type: frame.type, timestamp: frame.timestamp.toISOString(), data: frame.data };
	socket.send(JSON.stringify(wire));
	return true;
}

/** A client's `ping`, as a bare word or as a frame, gets a `pong`; everything else is ignored. */
function answerPings(socket: WebSocket, clock: Pick<Clock, "now">): void {
	socket.on("message", (data: Buffer, isBinary) => {
		if (isBinary) return;
		const text = data.toString("utf8").trim();
		if (text === "ping" || /^\{[^{}]*"type"\s*:\s*"ping"/.test(text)) {
			sendFrame(socket, { type: "pong", timestamp: new Date(clock.now()), data: {} });
		}
	});
}
