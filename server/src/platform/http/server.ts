/** The HTTP server: request ids, bodies as bytes, error bodies, security headers. Knows no route. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import Fastify, {
	type FastifyBaseLogger,
	type FastifyError,
	type FastifyInstance,
	type FastifyReply,
	type FastifyRequest,
	LogController,
} from "fastify";
import { AppError } from "../errors.ts";
import type { RightOfWay } from "../right-of-way.ts";
import { readBody } from "./body.ts";
import type { BodyMemory } from "./body-memory.ts";
import { pathOf } from "./input.ts";
import { RequestLog } from "./request-log.ts";

/** On every answer. Pages bring a content policy of their own. */
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
/** Only told where the proxy says that TLS was spoken: a browser heeds it nowhere else. */
const TLS_ONLY = { "strict-transport-security": "max-age=31536000; includeSubDomains" };

declare module "fastify" {
	interface FastifyRequest {
		/** Who asks and from where, as far as it is known: for the log. */
		who: { readonly ip: string; readonly user?: number } | null;
	}
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const MAX_BODY = 50 * 1024 * 1024;
/** Levels at which requests are logged. */
const AT_INFO: ReadonlySet<string> = new Set(["trace", "debug", "info"]);

export interface ServerOptions {
	readonly logger: FastifyBaseLogger;
	/** True for errors that mean "the store cannot be reached": they answer 503 instead of 500. */
	isUnavailable(error: unknown): boolean;
	/** Told of each answer; `route` is the pattern that matched, or empty. */
	onAnswer?(answer: { method: string; route: string; status: number }, seconds: number): void;
	/** Where the service is published, with a slash at both ends; requests may come with it or without it. */
	readonly basePath: string;
	/** That large bodies are read into. */
	readonly bodyMemory: Pick<BodyMemory, "take" | "give">;
	/** Told of every request. */
	readonly rightOfWay?: Pick<RightOfWay, "enter"> | undefined;
}

export function createHttpServer(options: ServerOptions): FastifyInstance {
	const { logger, isUnavailable, onAnswer, basePath, bodyMemory, rightOfWay } = options;
	const logsRequests = AT_INFO.has(logger.level);
	const server = Fastify({
		loggerInstance: logger,
		logController: new LogController({ disableRequestLogging: true }),
		childLoggerFactory: (parent, bindings) => new RequestLog(parent, bindings),
		bodyLimit: MAX_BODY,
		routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512 },
		requestIdHeader: false,
		// A proxy may take the base path off or leave it on.
		rewriteUrl: ({ url = "/" }) =>
			basePath !== "/" && url.startsWith(basePath) ? url.slice(basePath.length - 1) : url,
		genReqId: (request) => {
			const given = request.headers["x-request-id"];
			return typeof given === "string" && REQUEST_ID.test(given) ? given : randomUUID();
		},
		// A client that stops sending must not hold a socket for ever.
		requestTimeout: 120_000,
		keepAliveTimeout: 72_000,
		return503OnClosing: true,
		exposeHeadRoutes: true,
		// Malformed requests that never reach a route get the same kind of answer as the others.
		clientErrorHandler(error, socket) {
			if (!socket.writable) return;
			const [status, detail] =
				(error as NodeJS.ErrnoException).code === "HPE_HEADER_OVERFLOW"
					? ["431 Request Header Fields Too Large", "The request's headers are too large."]
					: ["400 Bad Request", "The request is not valid HTTP."];
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
		},
		frameworkErrors(error, request, reply: FastifyReply) {
			setHeaders(request, reply);
			void reply.status(400).send({ detail: "The address is not valid." });
			request.log.debug({ err: error }, "malformed address");
		},
	});

	server.decorateRequest("who", null);
	server.removeAllContentTypeParsers();
	server.addContentTypeParser("application/json", (request: FastifyRequest, payload: IncomingMessage) =>
		readBody(request, payload, bodyMemory),
	);

	server.addHook("onRequest", (request, reply, done) => {
		if (rightOfWay) reply.raw.on("close", rightOfWay.enter());
		setHeaders(request, reply);
		// What unpacks to a thousand times its size is not unpacked at all.
		const encoding = request.headers["content-encoding"];
		const plain = encoding === undefined || encoding.toLowerCase() === "identity";
		done(plain ? undefined : new AppError(415, { detail: "The body must not be compressed." }));
	});

	server.addHook("onResponse", (request, reply, done) => {
		const route = request.is404 ? "" : (request.routeOptions.url ?? "");
		onAnswer?.({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
		if (logsRequests) {
			logger.info(
				{
					reqId: request.id,
					method: request.method,
					path: pathOf(request.url),
					status: reply.statusCode,
					ms: Math.round(reply.elapsedTime * 10) / 10,
					...request.who,
				},
				"request",
			);
		}
		done();
	});

	server.setNotFoundHandler((_request, reply) =>
		reply.status(404).send({ detail: "There is nothing at this address." }),
	);

	server.setErrorHandler((error: FastifyError | AppError, request, reply) => {
		const { status, body, headers } = answerTo(error, isUnavailable);
		if (status >= 500) {
			request.log[status === 500 ? "error" : "warn"]({ err: error }, "request failed");
			body.request_id = request.id;
		}
		return reply.status(status).headers(headers).send(body);
	});
	return server;
}

/** Sets what is on every answer: known names one by one, which is quicker than an object put together for each request. */
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

/** Status and body of a failure; what is not known is a 500 that tells nothing of the inside. */
function answerTo(error: FastifyError | AppError, isUnavailable: (error: unknown) => boolean): ErrorAnswer {
	if (error instanceof AppError)
		return { status: error.status, body: { ...error.body }, headers: { ...error.headers } };
	switch (error.code) {
		case "FST_ERR_CTP_BODY_TOO_LARGE":
			return plain(413, "The body is too large.");
		case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
			return plain(415, "The body must be application/json.");
	}
	if (isUnavailable(error)) {
		return { ...plain(503, "The store cannot be reached. Try again shortly."), headers: { "retry-after": "5" } };
	}
	if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
		return plain(error.statusCode, "The request is not valid.");
	}
	return plain(500, "An unexpected error occurred.");
}

function plain(status: number, detail: string): ErrorAnswer {
	return { status, body: { detail }, headers: {} };
}
