/** The socket side: HTTP, the faults that happen before, instead of or under an answer. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Api, Request } from "./api.ts";
import type { Control, RecordedRequest } from "./control.ts";
import type { Faults } from "./faults.ts";
import type { Answer } from "./route-access.ts";
import type { World } from "./world.ts";

const BODY_LIMIT = 64 * 1024 * 1024;
const LAUNCH = /\/(launch|relaunch)\/$/;
const buildHtmlAnswer = (status: number, headers: Record<string, string> = {}): Answer => ({
	status,
	type: "text/html; charset=utf-8",
	headers,
	text: `<html><head><title>${status}</title></head><body><center><h1>${status}</h1></center><hr><center>nginx</center></body></html>`,
});
const broken: Answer = { status: 500, body: { detail: "A server error has occurred." } };

export interface ServerParts {
	readonly world: () => World;
	readonly api: () => Api;
	readonly control: Control;
	readonly faults: Faults;
	/** Called for each request that was answered, or dropped with status 0. */
	readonly record: (request: RecordedRequest) => void;
}

export interface RunningServer {
	readonly port: number;
	close(): Promise<void>;
}

/** The fault that replaces an answer. `"drop"`: close the connection. `"none"`: never answer. */
function findFaultAnswer(deps: ServerParts, request: Request): Answer | "drop" | "none" | null {
	const { faults } = deps;
	const fire = (name: Parameters<Faults["fire"]>[0]) => faults.fire(name, request.method, request.target);
	if (fire("database_down")) return broken;
	if (fire("hang")) return "none";
	if (fire("reset")) return "drop";
	if (fire("migrations")) return buildHtmlAnswer(302, { Location: "/migrations_notran/" });
	const throttled = fire("throttle");
	if (throttled) return buildHtmlAnswer(429, { "Retry-After": String(throttled.seconds ?? 1) });
	if (fire("too_large")) return buildHtmlAnswer(413);
	const page = fire("html_error");
	if (page) return buildHtmlAnswer(page.status ?? 502);
	if (fire("not_json")) return buildHtmlAnswer(200);
	if (fire("server_error")) return broken;
	const answer = fire("answer");
	if (answer) return { status: answer.status ?? 400, body: answer.body ?? {} };
	const path = request.target.split("?", 1)[0] ?? "";
	return request.method === "POST" && LAUNCH.test(path) ? interfereWithLaunch(deps, request) : null;
}

function interfereWithLaunch(deps: ServerParts, request: Request): Answer | "drop" | "none" | null {
	const fire = (name: Parameters<Faults["fire"]>[0]) => deps.faults.fire(name, request.method, request.target);
	const launch = () => deps.api().handle(request);
	if (fire("launch_refused")) return "drop";
	const late = fire("launch_late");
	if (late) {
		deps.world().time.after(late.ms ?? 5_000, launch);
		return "drop";
	}
	if (fire("launch_lost")) {
		launch();
		return "drop";
	}
	if (fire("launch_hang")) {
		launch();
		return "none";
	}
	if (fire("launch_500_created")) {
		launch();
		return broken;
	}
	const page = fire("launch_html");
	if (page) {
		if (page.created !== false) launch();
		return buildHtmlAnswer(page.status ?? 504);
	}
	if (fire("launch_garbled")) {
		const answer = launch();
		const text = "body" in answer ? JSON.stringify(answer.body) : "";
		return { status: 201, type: "application/json", text: text.slice(0, Math.floor(text.length / 2)) };
	}
	return null;
}

async function serveRequest(deps: ServerParts, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
	const target = incoming.url ?? "/";
	const method = incoming.method ?? "GET";
	const body = await readBody(incoming);
	const world = deps.world();
	world.time.settle();
	if (target.startsWith("/_lab/")) {
		const reply = await deps.control.handle(method, target, body ?? "");
		response.writeHead(reply.status, { "Content-Type": "application/json" });
		response.end(JSON.stringify(reply.body));
		return;
	}
	const at = world.time.now();
	const request: Request = { method, target, headers: incoming.headers, body: body ?? "" };
	if (world.behaviour.latency_ms > 0) await pause(world.behaviour.latency_ms);
	const instead = body === null ? buildHtmlAnswer(413) : findFaultAnswer(deps, request);
	if (instead === "drop" || instead === "none") {
		deps.record({ method, target, status: 0, at });
		if (instead === "drop") incoming.socket.destroy();
		return;
	}
	const answer = instead ?? deps.api().handle(request);
	deps.record({ method, target, status: answer.status, at });
	sendAnswer(deps, response, answer, world, request);
}

function sendAnswer(deps: ServerParts, response: ServerResponse, answer: Answer, world: World, request: Request): void {
	const [type, text] =
		"text" in answer
			? [answer.type, answer.text]
			: ["application/json", answer.body === "" ? "" : JSON.stringify(answer.body)];
	const bytes = Buffer.from(text);
	response.writeHead(answer.status, {
		"Content-Type": type,
		"Content-Length": String(bytes.length),
		Date: new Date(world.time.now()).toUTCString(),
		"X-API-Node": "awx-rig",
		...answer.headers,
	});
	if (deps.faults.fire("truncated", request.method, request.target)) {
		response.write(bytes.subarray(0, Math.floor(bytes.length / 2)));
		setTimeout(() => response.destroy(), 10);
		return;
	}
	response.end(bytes);
}

export async function startServer(deps: ServerParts, host: string, port: number): Promise<RunningServer> {
	const server: Server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
		serveRequest(deps, request, response).catch((error: unknown) => {
			// A disconnected client is expected. Anything else is a defect of the simulator: fail loudly.
			if (!response.headersSent && !response.destroyed) response.writeHead(500, { "Content-Type": "text/plain" });
			response.end(`the simulator failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
		});
	});

	await new Promise<void>((resolve, reject) => {
		server.once("error", reject);
		server.listen(port, host, resolve);
	});
	return {
		port: (server.address() as AddressInfo).port,
		async close() {
			const closed = new Promise<void>((resolve) => server.close(() => resolve()));
			server.closeAllConnections();
			await closed;
		},
	};
}

async function readBody(request: IncomingMessage): Promise<string | null> {
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of request as AsyncIterable<Buffer>) {
		length += chunk.length;
		if (length > BODY_LIMIT) chunks.length = 0;
		else chunks.push(chunk);
	}
	return length > BODY_LIMIT ? null : Buffer.concat(chunks).toString("utf8");
}
