/** The web proxy through which the service reaches the internet. */
import type { LookupFunction } from "node:net";
import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";

/** From the settings. Addresses are `http://` or `https://`, with user and password if needed. */
export interface OutgoingProxy {
	/** For `http://` targets; null: these are connected to directly. */
	readonly http: string | null;
	/** For `https://` targets; null: those of `http`. */
	readonly https: string | null;
	/** Hosts that are connected to directly, as in `NO_PROXY`: names, suffixes, `*`. */
	readonly noProxy: string;
}

/**
 * An agent that goes through the proxy with CONNECT (RFC 9110, section 9.3.6).
 *
 * @param proxy null: every target is connected to directly
 * @param options of the agent; `connect` holds for direct connections only
 */
export function createOutgoingAgent(proxy: OutgoingProxy | null, options: Agent.Options): Dispatcher {
	if (proxy === null) return new Agent(options);
	const { http, https, noProxy } = proxy;
	// Empty texts keep undici from reading the environment, which the settings may override.
	return new EnvHttpProxyAgent({ ...options, httpProxy: http ?? "", httpsProxy: https ?? "", noProxy });
}

/**
 * Resolves the host of `url`. The proxy resolves the name again, which this cannot see.
 *
 * @throws the error of `lookup`
 */
export function checkHost(url: string, lookup: LookupFunction): Promise<void> {
	const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
	return new Promise((resolve, reject) => {
		lookup(host, { all: true }, (error) => (error ? reject(error) : resolve()));
	});
}
