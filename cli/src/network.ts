/** The way from a command to the service: directly, or through a web proxy. */
import type { SocketFactory } from "@weft/sdk";
import type { Dispatcher } from "undici";
import WebSocket from "ws";
import { buildInputError } from "./errors.ts";
import { VERSION } from "./version.ts";

interface Network {
	/** Names the program and its version in each request. */
	readonly fetch: typeof fetch;
	readonly openSocket: SocketFactory;
}

/** This computer is never reached through a proxy. */
const LOOPBACK = "localhost,127.0.0.1,[::1]";

/**
 * Reads `WEFT_OUTGOING_PROXY` (`off`: none), else `HTTPS_PROXY` and `HTTP_PROXY`, and `NO_PROXY`;
 * the last three also in lower case. A proxy's address that is none fails at the first request.
 */
export async function openNetwork(environment: NodeJS.ProcessEnv): Promise<Network> {
	const own = environment.WEFT_OUTGOING_PROXY;
	const http = own || environment.http_proxy || environment.HTTP_PROXY || "";
	const https = own || environment.https_proxy || environment.HTTPS_PROXY || "";
	if (own === "off" || (http === "" && https === ""))
		return { fetch: withUserAgent(fetch), openSocket: (url) => new WebSocket(url) };
	const [httpProxy, httpsProxy] = [withProtocol(http), withProtocol(https)];
	if (httpProxy === null || httpsProxy === null) {
		const refuse = (): never => {
			throw buildInputError(
				"The web proxy has no valid address. Set WEFT_OUTGOING_PROXY to one such as http://proxy:3128.",
			);
		};
		return { fetch: async () => refuse(), openSocket: refuse };
	}
	const undici = await import("undici");
	const noProxy = `${environment.no_proxy || environment.NO_PROXY || ""},${LOOPBACK}`;
	const dispatcher = new undici.EnvHttpProxyAgent({ httpProxy, httpsProxy, noProxy });
	return {
		fetch: withUserAgent((url, init) =>
			fetchThrough(undici.fetch, dispatcher, new Request(url, init), init?.signal ?? null),
		),
		openSocket: (url) => new undici.WebSocket(url, { dispatcher }) as unknown as ReturnType<SocketFactory>,
	};
}

function withUserAgent(send: typeof fetch): typeof fetch {
	return (url, init) => {
		const headers = new Headers(init?.headers);
		headers.set("user-agent", `weft-cli/${VERSION}`);
		return send(url, { ...init, headers });
	};
}

/** Empty: no proxy. Null: no address of HTTP. */
function withProtocol(text: string): string | null {
	if (text === "") return text;
	const url = text.includes("://") ? text : `http://${text}`;
	return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? url : null;
}

/** The body is read first: forms of Node's own `fetch` are unknown to that of undici. */
async function fetchThrough(
	send: typeof import("undici").fetch,
	dispatcher: Dispatcher,
	request: Request,
	signal: AbortSignal | null,
): Promise<Response> {
	const { method, headers, redirect } = request;
	const body = request.body === null ? null : await request.arrayBuffer();
	const answer = await send(request.url, {
		method,
		headers: Object.fromEntries(headers),
		redirect,
		body,
		signal,
		dispatcher,
	});
	return answer as unknown as Response;
}
