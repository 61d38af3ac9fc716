/**
 * The HTTP server: request ids, bodies as bytes, error bodies, security headers. Knows no route.
 */
import { randomUUID } from "node:crypto";
import type { Duplex } from "node:stream";
import Fastify, {
	type FastifyBaseLogger,
	type FastifyError,
	type FastifyInstance,
	type FastifyReply,
	type FastifyRequest,
	LogController,
} from "fastify";
import { AppError } from "../errors.ts";
import type { RequestPriority } from "../request-priority.ts";
import { discardRest } from "./body-pool.ts";
import { buildLoggedPath } from "./input.ts";
import { RequestLog } from "./request-log.ts";

/** Headers of every answer. Pages set a content policy of their own. */
const HEADERS = {
	"x-content-type-options": "nosniff",
	"referrer-policy": "no-referrer",
	"x-frame-options": "DENY",
	"content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
	"cross-origin-opener-policy": "same-origin",
	"cross-origin-resource-policy": "same-origin",
	"cache-control": "no-store",
};
const ALWAYS = Object.entries(HEADERS);
/** Sent only where the proxy reports TLS: browsers ignore it elsewhere. */
const TLS_ONLY = { "strict-transport-security": "max-age=31536000; includeSubDomains" };

declare module "fastify" {
	interface FastifyRequest {
		/** The caller as far as it is known, for the log: address, user id, id of the API token. */
		who: { readonly ip: string; readonly user?: number; readonly token?: string } | null;
	}
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const NOTHING_HERE = { detail: "There is nothing at this address." };
/** Status line and detail by the parser's code; anything else is no valid HTTP. */
const CLIENT_ERRORS: Readonly<Record<string, readonly [status: string, detail: string]>> = {
	HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The request's headers are too large."],
	ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not arrive in time. Send it again."],
};
/**
 * Recorded for a request whose client went before an answer was sent; the number is that of nginx.
 * Nobody receives it.
 */
const CLIENT_GONE = 499;
/** Codes of errors that a client causes by going: the body cannot be read to its end. */
const ABORTS: ReadonlySet<unknown> = new Set([
	"ECONNRESET",
	"ABORT_ERR",
	"ERR_STREAM_PREMATURE_CLOSE",
	"UND_ERR_ABORTED",
]);
/** Levels at which requests are logged. */
const AT_INFO: ReadonlySet<string> = new Set(["trace", "debug", "info"]);

interface ServerOptions {
	readonly logger: FastifyBaseLogger;
	/** True for errors that mean "the store cannot be reached": they answer 503 instead of 500. */
	isUnavailable(error: unknown): boolean;
	/** Called with each answer; `route` is the matched pattern, or empty. */
	onAnswer?(answer: { method: string; route: string; status: number }, seconds: number): void;
	/**
	 * Where the service is published, with a slash at both ends; requests may come with it or without
	 * it.
	 */
	readonly basePath: string;
	/** Informed of each request. */
	readonly requestPriority?: Pick<RequestPriority, "begin"> | undefined;
}

export function createHttpServer(options: ServerOptions): FastifyInstance {
	const { logger, isUnavailable, basePath } = options;
	const server = Fastify({
		loggerInstance: logger,
		logController: new LogController({ disableRequestLogging: true }),
		childLoggerFactory: (parent, bindings) => new RequestLog(parent, bindings),
		routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512 },
		requestIdHeader: false,
		// A proxy may take the base path off or leave it on.
		rewriteUrl: ({ url = "/" }) =>
			basePath !== "/" && url.startsWith(basePath) ? url.slice(basePath.length - 1) : url,
		genReqId: (request) => {
			const given = request.headers["x-request-id"];
			return typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
		},
		// The hook below refuses requests without Host, in the form of all other answers.
		http: { requireHostHeader: false },
		// A client that stops sending must not hold a socket forever.
		requestTimeout: 120_000,
		keepAliveTimeout: 72_000,
		return503OnClosing: true,
		exposeHeadRoutes: true,
		// Contracts describe input and answers. Without these functions Fastify loads its own compilers
		// of JSON schemas, which nothing uses.
		schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
		// Malformed requests that reach no route are answered in the same form as others.
		clientErrorHandler: answerMalformedRequest,
		frameworkErrors(error, request, reply: FastifyReply) {
			setHeaders(request, reply);
			void reply.status(400).send({ detail: "The address is not valid." });
			request.log.debug({ err: error }, "malformed address");
		},
	});

	server.decorateRequest("who", null);
	server.decorateRequest("admitted", null);
	// The right to send a body is checked before the client is asked for it.
	server.server.on("checkContinue", (request, response) => server.server.emit("request", request, response));
	// An expectation that nobody can meet is refused by the hook below.
	server.server.on("checkExpectation", (request, response) => server.server.emit("request", request, response));
	server.removeAllContentTypeParsers();
	server.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

	addRequestHooks(server, options);
	server.setNotFoundHandler((_request, reply) => reply.status(404).send(NOTHING_HERE));

	server.setErrorHandler((error: FastifyError | AppError, request, reply) => {
		const { status, body, headers } = answerTo(error, isUnavailable);
		if (status >= 500 && isAbandoned(request, error, status)) {
			return reply.status(CLIENT_GONE).send({ detail: "The client ended the request." });
		}
		if (status >= 500) {
			request.log[status === 500 ? "error" : "warn"]({ err: error }, "request failed");
			body.request_id = request.id;
		}
		return reply.status(status).headers(headers).send(body);
	});
	return server;
}

function refuseSchema(): never {
	throw new Error("A route has a JSON schema; routes are described by contracts.");
}

/** Answers malformed HTTP in the form of all other answers. */
function answerMalformedRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
	if (!socket.writable) return;
	const [status, detail] = CLIENT_ERRORS[error.code ?? ""] ?? ["400 Bad Request", "The request is not valid HTTP."];
	const body = JSON.stringify({ detail });
	socket.end(
		[
			`HTTP/1.1 ${status}`,
			"content-type: application/json; charset=utf-8",
			`content-length: ${Buffer.byteLength(body)}`,
			...ALWAYS.map(([name, value]) => `${name}: ${value}`),
			`x-request-id: ${randomUUID()}`,
			"connection: close",
			"",
			body,
		].join("\r\n"),
	);
}

/** Refuses what no route takes, and records the end of each request. */
function addRequestHooks(server: FastifyInstance, { logger, onAnswer, requestPriority }: ServerOptions): void {
	const logsRequests = AT_INFO.has(logger.level);
	/** Requests whose end is recorded: a connection may close before or after its answer ends. */
	const recorded = new WeakSet<FastifyRequest>();

	/** Counts and logs a request that has ended, once. */
	function recordEnd(request: FastifyRequest, reply: FastifyReply, status: number): void {
		if (recorded.has(request)) return;
		recorded.add(request);
		const route = request.is404 ? "" : (request.routeOptions.url ?? "");
		onAnswer?.({ method: request.method, route, status }, reply.elapsedTime / 1_000);
		if (!logsRequests) return;
		logger.info(
			{
				reqId: request.id,
				method: request.method,
				path: buildLoggedPath(request.url),
				status,
				ms: Math.round(reply.elapsedTime * 10) / 10,
				...request.who,
			},
			"request",
		);
	}

	server.addHook("onRequest", (request, reply, done) => {
		reply.raw.once("close", () => {
			if (reply.raw.writableFinished) return;
			recordEnd(request, reply, reply.raw.headersSent ? reply.statusCode : CLIENT_GONE);
		});
		if (requestPriority) reply.raw.on("close", requestPriority.begin());
		setHeaders(request, reply);
		const refusal = findRefusal(request);
		if (refusal !== null) return done(refusal);
		if (request.is404) {
			reply.status(404).send(NOTHING_HERE);
			return;
		}
		done();
	});

	let isClosing = false;
	server.addHook("preClose", (done) => {
		isClosing = true;
		done();
	});

	server.addHook("onResponse", (request, reply, done) => {
		// A connection that is kept alive after its last request would hold up the end.
		if (isClosing) setImmediate(() => server.server.closeIdleConnections());
		discardRest(request.raw);
		recordEnd(request, reply, reply.statusCode);
		done();
	});
}

/** Why a request is refused by its headers alone; null if it is not. */
function findRefusal({ headers, raw }: FastifyRequest): AppError | null {
	const { expect, host, "content-encoding": encoding } = headers;
	if (host === undefined && raw.httpVersion === "1.1") {
		return new AppError(400, { detail: "The request needs a Host header." });
	}
	if (expect !== undefined && expect.toLowerCase() !== "100-continue") {
		return new AppError(417, { detail: "The only expectation that is met is 100-continue." });
	}
	// Compressed bodies are refused: they can expand to a thousand times their size.
	if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
		return new AppError(415, { detail: "The body must not be compressed." });
	}
	return null;
}

/**
 * Whether the client is gone and the error follows from that. An unexpected error stays one: it may
 * have happened before the client went.
 */
function isAbandoned({ raw }: FastifyRequest, error: FastifyError | AppError, status: number): boolean {
	if (!raw.socket.destroyed) return false;
	return status !== 500 || error.name === "AbortError" || ("code" in error && ABORTS.has(error.code));
}

/** Sets the headers of every answer. */
function setHeaders({ id, headers }: FastifyRequest, reply: FastifyReply): void {
	for (const [name, value] of ALWAYS) reply.header(name, value);
	if (headers["x-forwarded-proto"] === "https") reply.headers(TLS_ONLY);
	reply.header("x-request-id", id);
}

interface ErrorAnswer {
	status: number;
	body: Record<string, unknown>;
	headers: Record<string, string>;
}

/** Status and body of a failure; an unknown error is a 500 without details. */
function answerTo(error: FastifyError | AppError, isUnavailable: (error: unknown) => boolean): ErrorAnswer {
	if (error instanceof AppError)
		return { status: error.status, body: { ...error.body }, headers: { ...error.headers } };
	switch (error.code) {
		case "FST_ERR_CTP_BODY_TOO_LARGE":
			return buildPlainAnswer(413, "The body is too large.");
		case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
			return buildPlainAnswer(415, "The body must be application/json.");
	}
	if (isUnavailable(error)) {
		return {
			...buildPlainAnswer(503, "The store cannot be reached. Try again shortly."),
			headers: { "retry-after": "5" },
		};
	}
	if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
		return buildPlainAnswer(error.statusCode, "The request is not valid.");
	}
	return buildPlainAnswer(500, "An unexpected error occurred.");
}

function buildPlainAnswer(status: number, detail: string): ErrorAnswer {
	return { status, body: { detail }, headers: {} };
}
