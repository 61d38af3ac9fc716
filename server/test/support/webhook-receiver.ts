/** A real receiver of webhooks. Signatures: https://www.standardwebhooks.com */
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedHook {
	readonly path: string;
	readonly headers: IncomingHttpHeaders;
	readonly text: string;
	// biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect of it
	readonly body: any;
}

export interface Receiver {
	readonly url: string;
	readonly received: ReceivedHook[];
	/** Answers from now on; 204 at first. */
	answer: (request: IncomingMessage, response: ServerResponse) => void;
	close(): Promise<void>;
}

export const createStatusResponder =
	(code: number, headers: Record<string, string> = {}) =>
	(_request: IncomingMessage, response: ServerResponse): void => {
		response.writeHead(code, headers).end();
	};

/** Whether the secret signed exactly this. */
export function isSigned({ headers, text }: ReceivedHook, key: Buffer | string): boolean {
	const [version, signature = ""] = String(headers["webhook-signature"]).split(",");
	const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`;
	const expected = createHmac("sha256", key).update(signed).digest();
	const given = Buffer.from(signature, "base64");
	return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
}

export async function startReceiver(): Promise<Receiver> {
	const received: ReceivedHook[] = [];
	const state = { answer: createStatusResponder(204) };
	const server = createServer((request, response) => {
		const parts: Buffer[] = [];
		request.on("data", (part) => parts.push(part));
		request.on("end", () => {
			const text = Buffer.concat(parts).toString();
			received.push({ path: request.url ?? "", headers: request.headers, text, body: JSON.parse(text) });
			state.answer(request, response);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	return Object.assign(state, {
		url: `http://127.0.0.1:${port}/hook?token=x`,
		received,
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	});
}
