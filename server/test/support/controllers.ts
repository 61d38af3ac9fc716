/** A fake controller that misbehaves on demand, a driver with a fake clock, and their requests. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { afterEach } from "vitest";
import { type ControllerDriverParts, createControllerDriver } from "../../src/integrations/apic/index.ts";
import type {
	ControllerObject,
	ControllerPage,
	ControllerQuery,
	ControllerRequest,
	ControllerTarget,
} from "../../src/integrations/apic/port.ts";

export interface Seen {
	readonly method: string;
	readonly path: string;
	readonly query: URLSearchParams;
	readonly url: string;
	readonly cookies: readonly string[];
	readonly body: string;
}

export type Reply =
	| { status?: number; headers?: Record<string, string>; json?: unknown; text?: string }
	/** Closes the socket, before the answer or within its body. */
	| "drop"
	| "cut"
	| "hang";

export type Handler = (seen: Seen) => Reply | undefined | Promise<Reply | undefined>;

export const createHtmlReply = (status: number): Reply => ({
	status,
	headers: { "content-type": "text/html" },
	text: `<html>\n<head><title>${status}</title></head></html>`,
});

export const createErrorReply = (status: number, code: string, text: string): Reply => ({
	status,
	json: { totalCount: "1", imdata: [{ error: { attributes: { code, text } } }] },
});

export const tokenTimeout = createErrorReply(403, "403", "Token was invalid (Error: Token timeout)");

export const createReply = (rows: readonly unknown[], total: number | null = rows.length): Reply => ({
	json: { ...(total === null ? {} : { totalCount: String(total) }), imdata: rows },
});

export function createLoginReply(token: string, attributes: Record<string, string> = {}, key = "aaaLogin"): Reply {
	const fixed = { token, refreshTimeoutSeconds: "600", maximumLifetimeSeconds: "86400", version: "6.0(9c)" };
	return createReply([{ [key]: { attributes: { ...fixed, ...attributes } } }]);
}

export function createControllerObjects(count: number, className = "fvBD", from = 0): ControllerObject[] {
	return Array.from({ length: count }, (_, i) => ({
		[className]: { attributes: { dn: `uni/tn-t/BD-${String(from + i).padStart(6, "0")}`, name: `bd${from + i}` } },
	}));
}

/** The page of `rows` that the request asks for, as the controller cuts it. */
export function getPage(rows: readonly unknown[], seen: Seen, total: number | null = rows.length): Reply {
	const size = Number(seen.query.get("page-size") ?? rows.length);
	const index = Number(seen.query.get("page") ?? 0);
	return createReply(rows.slice(index * size, (index + 1) * size), total);
}

export interface FakeOptions {
	readonly tls?: { key: string; cert: string };
	readonly host?: string;
	/**
	 * Also answers logins and refreshes; default: every login gets a new token, tokens never expire.
	 */
	readonly auth?: Handler;
}

async function startFake(handle: Handler, { tls, host = "127.0.0.1", auth }: FakeOptions = {}) {
	const seen: Seen[] = [];
	const sockets = new Set<Socket>();
	/** Requests without a complete answer whose client is still there. */
	const unanswered = new Set<Seen>();
	let connections = 0;
	let tokens = 0;

	function signIn({ path }: Seen): Reply | undefined {
		if (path.endsWith("/api/aaaLogin.json") || path.endsWith("/api/aaaRefresh.json")) {
			tokens += 1;
			return createLoginReply(`token-${tokens}`);
		}
		return path.endsWith("/api/aaaLogout.json") ? createReply([]) : undefined;
	}

	async function serveRequest(request: IncomingMessage, response: ServerResponse) {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const url = request.url ?? "";
		const { pathname, searchParams } = new URL(url, "http://fake");
		const cookies = request.headersDistinct.cookie ?? [];
		const body = Buffer.concat(chunks).toString();
		const one: Seen = { method: request.method ?? "", path: pathname, query: searchParams, url, cookies, body };
		seen.push(one);
		unanswered.add(one);
		response.on("close", () => unanswered.delete(one));
		const reply = (await auth?.(one)) ?? signIn(one) ?? (await handle(one)) ?? createHtmlReply(404);
		if (reply === "hang") return;
		if (reply === "drop") return request.socket.destroy();
		if (reply === "cut") {
			response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
			response.write('{"totalCount":"1","imdata":[', () => request.socket.destroy());
			return;
		}
		const text = reply.text ?? (reply.json === undefined ? "" : JSON.stringify(reply.json));
		response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers });
		response.end(text);
	}

	const onRequest = (request: IncomingMessage, response: ServerResponse) => {
		serveRequest(request, response).catch(() => request.socket.destroy());
	};
	const server = tls ? createTlsServer(tls, onRequest) : createServer(onRequest);
	server.on("connection", (socket: Socket) => {
		connections += 1;
		sockets.add(socket);
		socket.on("close", () => sockets.delete(socket));
	});
	await new Promise<void>((resolve) => server.listen(0, host, resolve));
	const { port } = server.address() as AddressInfo;

	return {
		port,
		url: `${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`,
		seen,
		sockets,
		unanswered,
		connections: () => connections,
		/** Requests whose path ends so. */
		to: (end: string) => seen.filter(({ path }) => path.endsWith(end)),
		async close() {
			server.close();
			for (const socket of sockets) socket.destroy();
			await awaitCondition(() => sockets.size === 0);
		},
	};
}

export type Fake = Awaited<ReturnType<typeof startFake>>;

export function buildTarget({ url }: { url: string }, changes: Partial<ControllerTarget> = {}): ControllerTarget {
	const fixed = {
		id: "c1",
		revision: "1",
		username: "admin",
		password: "s3cret-pw",
		verifyTls: true,
		timeoutMs: 5_000,
	};
	return { ...fixed, url, ...changes };
}

/** Sleeps end at once and are noted; deadlines fire by hand; the clock moves by hand. */
export function createTestDriver(changes: Partial<ControllerDriverParts> = {}) {
	const slept: number[] = [];
	const deadlines = new Set<() => void>();
	const limits: number[] = [];
	const unverified: string[] = [];
	const clock = { ms: Date.UTC(2026, 0, 1), now: () => clock.ms };
	const driver = createControllerDriver({
		clock,
		random: () => 0.5,
		sleep: async (ms, signal) => {
			signal.throwIfAborted();
			slept.push(ms);
		},
		deadline: (ms, expired) => {
			limits.push(ms);
			deadlines.add(expired);
			return () => deadlines.delete(expired);
		},
		onUnverified: ({ id }) => unverified.push(id),
		...changes,
	});
	return { driver, clock, slept, deadlines, limits, unverified };
}

/**
 * Sets up one test file with fake controllers, drivers and shorthands, which are closed after each
 * test.
 */
export function useBenches() {
	const open: { close(): Promise<void> }[] = [];
	afterEach(async () => {
		for (const one of open.splice(0).reverse()) await one.close();
	});

	return async (handle: Handler, options: FakeOptions & Partial<ControllerDriverParts> = {}) => {
		const fake = await startFake(handle, options);
		const bench = createTestDriver(options);
		open.push(fake, bench.driver);
		const target = buildTarget(fake);
		const path = "/api/class/fvBD.json";
		const send = (request: Partial<ControllerRequest> = {}) =>
			bench.driver.request(target, { method: "GET", path, ...request });
		const pages = (query: Partial<ControllerQuery> = {}) => bench.driver.pages(target, { path, ...query });
		const read = async (query: Partial<ControllerQuery> = {}) => {
			const taken: ControllerPage[] = [];
			for await (const page of pages(query)) taken.push(page);
			return taken;
		};
		return {
			...bench,
			fake,
			target,
			send,
			pages,
			read,
			rows: async (query: Partial<ControllerQuery> = {}) => (await read(query)).flatMap((page) => page.rows),
			/** `page/size` of each request that is not about the session. */
			asked: () =>
				fake.seen
					.filter((seen) => !seen.path.includes("/aaa"))
					.map(({ query }) => `${query.get("page")}/${query.get("page-size")}`),
		};
	};
}

/** Resolves when the condition holds; the test's own timeout ends it otherwise. */
export async function awaitCondition(condition: () => boolean): Promise<void> {
	while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/** The rejection's value. */
export function captureRejection(promise: Promise<unknown>): Promise<unknown> {
	return promise.then(
		() => {
			throw new Error("It was expected to reject.");
		},
		(error: unknown) => error,
	);
}
