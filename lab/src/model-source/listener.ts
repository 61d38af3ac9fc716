/**
 * The publishing site's HTTP: documents, compression, XML errors, faults, and controls at `/_lab/`.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { FaultError, type Faults } from "../controller/faults.ts";
import type { Stats, StatsReport } from "../controller/stats.ts";
import { SOURCE_FAULTS, type SourceFault } from "./faults.ts";

export interface ListenerParts {
	document(key: string, name: string): string | null;
	index(key: string): string | null;
	readonly faults: Faults<SourceFault>;
	readonly stats: Stats;
	report(): StatsReport;
	/** Documents that are kept, compressed. */
	readonly kept: number;
}

const DOCUMENT = /^\/media\/model-doc-(\w+)\/docs\/doc\/jsonmeta\/(?:(aci-meta)|([a-z0-9]+)\/([A-Z]\w*))\.json$/;
const CONTROL_LIMIT = 1024 * 1024;

/** The document server: its documents, faults and compressed files. */
interface ListenerState extends ListenerParts {
	readonly ready: Map<string, Buffer<ArrayBufferLike> | null>;
	readonly perSecond: ReturnType<typeof createRate>;
}

/** Compressed; null where there is none. */
function findCompressedFile(listener: ListenerState, path: string): Buffer | null {
	const known = listener.ready.get(path);
	if (known !== undefined) return known;
	const [, key = "", all, pkg = "", short = ""] = DOCUMENT.exec(path) ?? [];
	const text = key === "" ? null : all === undefined ? listener.document(key, pkg + short) : listener.index(key);
	const packed = text === null ? null : gzipSync(text, { level: 1 });
	if (listener.ready.size < listener.kept) listener.ready.set(path, packed);
	return packed;
}

async function serveRequest(
	listener: ListenerState,
	request: IncomingMessage,
	response: ServerResponse,
): Promise<void> {
	const target = request.url ?? "/";
	const path = target.replace(/\?.*$/, "");
	if (path.startsWith("/_lab/")) return answerControl(listener, request, response, path);
	listener.stats.begin();
	const status = await answerRequest(listener, request, response, path);
	listener.stats.end(
		{ method: request.method ?? "GET", target, status },
		Number(response.getHeader("content-length") ?? 0),
	);
}

/** Tells the status; 0 where nothing was answered. */
async function answerRequest(
	listener: ListenerState,
	request: IncomingMessage,
	response: ServerResponse,
	path: string,
): Promise<number> {
	const late = listener.faults.fire("latency", path);
	if (late !== null) await pause(Number(late.ms));
	if (listener.faults.fire("reset", path) !== null) {
		request.socket.resetAndDestroy();
		return 0;
	}
	if (listener.faults.fire("hang", path) !== null) return 0;
	const now = listener.perSecond();
	const throttled = listener.faults.fire("throttle", path, (options) => now > Number(options.per_second));
	if (throttled !== null) {
		response.setHeader("Retry-After", String(throttled.retry_after));
		return sendText(response, 429, "text/html", "<html><h1>429 Too Many Requests</h1></html>");
	}
	const gzip = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
	if (gzip && listener.faults.fire("bad_gateway_compressed", path) !== null)
		return sendText(response, 502, "text/html", "<html><h1>502 Bad Gateway</h1></html>");
	const broken = listener.faults.fire("server_error", path);
	if (broken !== null) return sendText(response, Number(broken.status), "text/html", "<html><h1>Error</h1></html>");
	if (listener.faults.fire("html_page", path) !== null)
		return sendText(response, 200, "text/html; charset=utf-8", "<!doctype html><title>Model</title><div id=app></div>");
	const missing = listener.faults.fire("missing", path);
	const found = missing === null ? findCompressedFile(listener, path) : null;
	if (found === null)
		return sendText(response, Number(missing?.status ?? 403), "application/xml", formatAccessDenied(path));
	return sendDocument(listener, response, found, gzip, path);
}

async function sendDocument(
	listener: ListenerState,
	response: ServerResponse,
	packed: Buffer,
	gzip: boolean,
	path: string,
): Promise<number> {
	let body = gzip ? packed : gunzipSync(packed);
	const spoilt = spoilDocument(listener, path, packed);
	if (spoilt !== null) body = gzip ? gzipSync(spoilt) : Buffer.from(spoilt);
	response.writeHead(200, {
		"Content-Type": "application/json",
		"Content-Length": String(body.length),
		ETag: `"${path.length}-${packed.length}"`,
		Server: "AmazonS3",
		...(gzip ? { "Content-Encoding": "gzip", Vary: "Accept-Encoding" } : {}),
	});
	if (listener.faults.fire("truncated_body", path) !== null) {
		response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.destroy());
		return 200;
	}
	const slow = listener.faults.fire("slow_body", path);
	if (slow !== null) {
		for (let at = 0; at < body.length; at += 4096) {
			response.write(body.subarray(at, at + 4096));
			await pause(Number(slow.ms));
		}
		response.end();
	} else response.end(body);
	return 200;
}

/** The faulty text that replaces the document, if a fault is active. */
function spoilDocument(listener: ListenerState, path: string, packed: Buffer): string | null {
	if (listener.faults.fire("cut_document", path) !== null) {
		const text = gunzipSync(packed).toString();
		return text.slice(0, text.length >> 1);
	}
	if (listener.faults.fire("not_json", path) !== null) return "{'fv:Tenant': undefined}";
	if (listener.faults.fire("wrong_class", path) !== null)
		return '{"no:SuchThing":{"classPkg":"no","className":"SuchThing"}}';
	return null;
}

async function answerControl(
	listener: ListenerState,
	request: IncomingMessage,
	response: ServerResponse,
	path: string,
): Promise<void> {
	const reply = (status: number, body: unknown) => sendText(response, status, "application/json", JSON.stringify(body));
	try {
		const body = request.method === "POST" ? JSON.parse((await readBody(request)) || "{}") : {};
		switch (`${request.method} ${path}`) {
			case "GET /_lab/health":
				return void reply(200, { status: "ok", classes: listener.report().objects });
			case "GET /_lab/stats":
				return void reply(200, listener.report());
			case "GET /_lab/faults":
				return void reply(200, { faults: listener.faults.list(), known: SOURCE_FAULTS });
			case "POST /_lab/faults":
				listener.faults.set(body);
				return void reply(200, { faults: listener.faults.list() });
			case "POST /_lab/reset":
				listener.faults.clear();
				listener.stats.reset();
				return void reply(200, { status: "ok" });
			default:
				return void reply(404, { error: "there is nothing here" });
		}
	} catch (error) {
		if (!(error instanceof FaultError || error instanceof SyntaxError || error instanceof TypeError)) throw error;
		reply(400, { error: error.message });
	}
}

export function createListener({ document, index, faults, stats, report, kept }: ListenerParts) {
	const listener: ListenerState = {
		ready: new Map(),
		document,
		index,
		kept,
		stats,
		faults,
		perSecond: createRate(),
		report,
	};

	return (request: IncomingMessage, response: ServerResponse): void => {
		serveRequest(listener, request, response).catch((error: unknown) => {
			// A disconnected client is expected. Anything else is a defect of the simulator: fail loudly.
			if (!response.headersSent && !response.destroyed) response.writeHead(500, { "Content-Type": "text/plain" });
			response.end(`the simulator failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
		});
	};
}

function sendText(response: ServerResponse, status: number, type: string, text: string): number {
	const body = Buffer.from(text);
	response.writeHead(status, { "Content-Type": type, "Content-Length": String(body.length), Server: "AmazonS3" });
	response.end(body);
	return status;
}

/** An object store tells no stranger whether a thing is missing or closed. */
const formatAccessDenied = (path: string): string =>
	`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message><Resource>${path.replace(/[<>&]/g, "")}</Resource></Error>`;

/** How many requests there were in the running second, this one included. */
function createRate(): () => number {
	let second = 0;
	let count = 0;
	return () => {
		const current = Math.floor(Date.now() / 1000);
		if (current !== second) [second, count] = [current, 0];
		return ++count;
	};
}

async function readBody(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of request as AsyncIterable<Buffer>) {
		length += chunk.length;
		if (length > CONTROL_LIMIT) throw new FaultError("the body is too large");
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}
