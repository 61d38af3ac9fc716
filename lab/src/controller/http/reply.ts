/** Replies, and how faults spoil them on the way out. */
import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

export interface Reply {
	readonly status: number;
	readonly type: "application/json" | "text/xml" | "text/html";
	readonly body: string;
	readonly headers?: Readonly<Record<string, string>>;
}

export interface Spoil {
	readonly slow: { readonly ms: number; readonly pieces: number } | null;
	readonly truncate: boolean;
}

export async function sendReply(response: ServerResponse, reply: Reply, spoil: Spoil | null): Promise<number> {
	const body = Buffer.from(reply.body);
	const headers = {
		"Content-Type": reply.type,
		"Content-Length": String(body.length),
		Server: "Cisco APIC",
		...reply.headers,
	};
	response.writeHead(reply.status, headers);
	if (spoil === null || (spoil.slow === null && !spoil.truncate)) {
		response.end(body);
		return body.length;
	}
	const pieces = spoil.slow?.pieces ?? 2;
	const size = Math.max(1, Math.ceil(body.length / pieces));
	for (let at = 0; at < body.length && !response.destroyed; at += size) {
		// The head promised all of it: closing now leaves the reader with half an answer.
		if (spoil.truncate && at >= body.length / 2) {
			response.destroy();
			return at;
		}
		response.write(body.subarray(at, at + size));
		if (spoil.slow !== null) await pause(spoil.slow.ms);
		else await new Promise((resolve) => setImmediate(resolve));
	}
	response.end();
	return body.length;
}
