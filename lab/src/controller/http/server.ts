/** The network side: HTTP or HTTPS, faults before or during an answer, and WebSockets. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type WebSocket, WebSocketServer } from "ws";
import { buildErrorReply, buildHtmlReply } from "../api/replies.ts";
import { findFirstCookie, readCookies } from "../auth/cookies.ts";
import type { Control } from "../control/control.ts";
import { ApiError } from "../errors.ts";
import type { Faults } from "../faults.ts";
import type { Random } from "../random.ts";
import type { Stats } from "../stats.ts";
import type { Member } from "../world.ts";
import { computeLatency } from "./latency.ts";
import { type Reply, type Spoil, sendReply } from "./reply.ts";

/** Longest request line the web server in front takes. */
const LINE_LIMIT = 8192;
const BODY_LIMIT = 32 * 1024 * 1024;
/** Node must read longer heads than the limit, to be able to refuse them as nginx does. */
const HEAD_LIMIT = 256 * 1024;

export interface ServerParts {
	/** The member now served; a reset puts another in its place. */
	readonly member: () => Member;
	readonly control: Control;
	readonly faults: Faults;
	readonly stats: Stats;
	/** Milliseconds; for the throttle. */
	readonly now: () => number;
	/** Milliseconds since 1970; for the `Date` of answers. */
	readonly wallClock: () => number;
	/** `null` when answers take no time of their own. */
	readonly latency: Random | null;
	readonly tls: { readonly key: string; readonly cert: string } | null;
	readonly documents: ((className: string) => string | null) | null;
	/** Resolves when members that went down or came back have done so. */
	readonly settle: () => Promise<void>;
}

export interface RunningServer {
	readonly port: number;
	/** Stops and starts accepting connections, on the same port. */
	setListening(on: boolean): Promise<void>;
	close(): Promise<void>;
}

export async function startServer(deps: ServerParts, host: string, port: number): Promise<RunningServer> {
	const listener = createListener(deps);
	const options = { maxHeaderSize: HEAD_LIMIT, keepAliveTimeout: 65_000 };
	const server: Server =
		deps.tls === null ? createServer(options, listener) : createSecureServer({ ...options, ...deps.tls }, listener);
	const sockets = new WebSocketServer({ noServer: true });
	server.on("upgrade", (request, socket: Socket, head) => {
		// The token is glued to the path: /socket<token>.
		const { sessions, subscriptions } = deps.member();
		const session = sessions.find(
			decodeURIComponent((request.url ?? "").replace(/^\/socket/, "").replace(/[/?].*$/, "")),
		);
		if (session === undefined || !(request.url ?? "").startsWith("/socket")) {
			socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n");
			return;
		}
		sockets.handleUpgrade(request, socket, head, (socketOfSession: WebSocket) => {
			subscriptions.attach(session, socketOfSession);
			socketOfSession.on("close", () => subscriptions.detach(socketOfSession));
			socketOfSession.on("error", () => socketOfSession.terminate());
		});
	});
	const listen = (at: number) =>
		new Promise<void>((resolve, reject) => {
			server.once("error", reject);
			server.listen(at, host, () => {
				server.off("error", reject);
				resolve();
			});
		});
	async function stopServer() {
		for (const socket of sockets.clients) socket.terminate();
		const closed = new Promise<void>((resolve) => server.close(() => resolve()));
		server.closeAllConnections();
		await closed;
	}
	await listen(port);
	const taken = (server.address() as AddressInfo).port;
	let last: Promise<void> = Promise.resolve();
	return {
		port: taken,
		setListening(on) {
			last = last.then(() => (on === server.listening ? undefined : on ? listen(taken) : stopServer()));
			return last;
		},
		async close() {
			await last;
			sockets.close();
			if (server.listening) await stopServer();
		},
	};
}

/** A member's server with its throttle. */
interface ListenerState extends ServerParts {
	readonly throttle: ReturnType<typeof createThrottle>;
}

/** What happens instead of an answer; `"none"` when nothing is ever sent. */
async function applyFault(
	listener: ListenerState,
	target: string,
	request: IncomingMessage,
): Promise<Reply | "none" | null> {
	if (listener.faults.fire("reset", target) !== null) {
		request.socket.resetAndDestroy();
		return "none";
	}
	if (listener.faults.fire("hang", target) !== null) return "none";
	const late = listener.faults.fire("latency", target);
	if (late !== null) await pause(Number(late.ms));
	const throttled = listener.faults.fire("throttle", target, (options) =>
		listener.throttle(Number(options.per_second)),
	);
	if (throttled !== null) return buildHtmlReply(Number(throttled.status));
	const page = listener.faults.fire("html_error", target);
	if (page !== null) return buildHtmlReply(Number(page.status));
	const calm = listener.faults.fire("error_with_200", target);
	if (calm !== null) return buildErrorReply("json", 200, String(calm.code), String(calm.text));
	const error = listener.faults.fire("error", target);
	return error === null ? null : buildErrorReply("json", Number(error.status), String(error.code), String(error.text));
}

async function answerRequest(
	listener: ListenerState,
	request: IncomingMessage,
	target: string,
	kind: (name: string) => void,
): Promise<Reply | "none"> {
	if (target.length > LINE_LIMIT) return buildHtmlReply(414);
	const body = await readBody(request);
	if (body === null) return buildHtmlReply(413);
	const instead = await applyFault(listener, target, request);
	if (instead !== null) return instead;
	const document = /^\/doc\/jsonmeta\/([a-z0-9]+)\/([A-Z]\w*)\.json$/.exec(target);
	if (document !== null && listener.documents !== null) {
		kind("document");
		if (!isSignedIn(listener, request.headers.cookie, target)) return buildHtmlReply(403);
		const text = listener.documents(`${document[1]}${document[2]}`);
		return text === null ? buildHtmlReply(404) : { status: 200, type: "application/json", body: text };
	}
	// The connector to the vendor's cloud, beside the API: a list of its upgrades under way.
	if (target.split("?", 1)[0] === "/connector/UpgradeStatus" && request.method === "GET") {
		kind("connector");
		if (!isSignedIn(listener, request.headers.cookie, target)) return buildHtmlReply(403);
		return { status: 200, type: "application/json", body: "[]" };
	}
	const result = listener
		.member()
		.api.handle({ method: request.method ?? "GET", target, headers: request.headers, body }, kind);
	if (listener.latency !== null) await pause(computeLatency(result.cost, listener.latency));
	if (result.delay !== undefined && result.delay > 0) await pause(result.delay);
	return result.reply;
}

function isSignedIn(listener: ListenerState, header: string | undefined, target: string): boolean {
	const { sessions, signature } = listener.member();
	const cookies = readCookies(header);
	if (!signature.claims(cookies)) return sessions.find(findFirstCookie(cookies, "APIC-cookie") ?? "") !== undefined;
	try {
		return signature.check(cookies, "GET", target, "") !== "";
	} catch (error) {
		if (error instanceof ApiError) return false;
		throw error;
	}
}

function chooseSpoil(listener: ListenerState, target: string): Spoil | null {
	const slow = listener.faults.fire("slow_body", target);
	const truncate = listener.faults.fire("truncated_body", target) !== null;
	if (slow === null && !truncate) return null;
	return { slow: slow === null ? null : { ms: Number(slow.ms), pieces: Number(slow.pieces) }, truncate };
}

async function serveRequest(
	listener: ListenerState,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const target = request.url ?? "/";
	const method = request.method ?? "GET";
	if (target.startsWith("/_lab/")) {
		const reply = listener.control.handle(method, target, (await readBody(request)) ?? "");
		// A member that goes down by this request answers it first.
		if (!listener.faults.isOn("down")) await listener.settle();
		response.once("finish", () => void listener.settle());
		await sendReply(response, reply, null);
		return;
	}
	listener.stats.begin();
	let kind = "other";
	const reply = await answerRequest(listener, request, target, (name) => {
		kind = name;
	});
	listener.stats.kind(kind);
	if (reply === "none") {
		listener.stats.end({ method, target, status: 0 }, 0);
		return;
	}
	response.setHeader("Date", new Date(listener.wallClock()).toUTCString());
	const bytes = await sendReply(response, reply, chooseSpoil(listener, target));
	listener.stats.end({ method, target, status: reply.status }, bytes);
}

function createListener(deps: ServerParts) {
	const listener: ListenerState = { ...deps, throttle: createThrottle(deps.now) };

	return (request: IncomingMessage, response: ServerResponse): void => {
		serveRequest(listener, request, response).catch((error: unknown) => {
			// A disconnected client is expected. Anything else is a defect of the simulator: fail loudly.
			if (!response.headersSent && !response.destroyed) response.writeHead(500, { "Content-Type": "text/plain" });
			response.end(`the simulator failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
		});
	};
}

/** True when there were more requests than allowed in the running second. */
function createThrottle(now: () => number): (perSecond: number) => boolean {
	let second = 0;
	let count = 0;
	return (perSecond) => {
		const current = Math.floor(now() / 1000);
		if (current !== second) [second, count] = [current, 0];
		return ++count > perSecond;
	};
}

async function readBody(request: IncomingMessage): Promise<string | null> {
	if (request.method === "GET") return "";
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of request as AsyncIterable<Buffer>) {
		length += chunk.length;
		// Discards the rest, so that the client reads the refusal and the connection stays usable.
		if (length > BODY_LIMIT) chunks.length = 0;
		else chunks.push(chunk);
	}
	if (length > BODY_LIMIT) return null;
	return Buffer.concat(chunks).toString("utf8");
}
