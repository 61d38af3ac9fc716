/** The client's address behind a proxy (interface decisions, section 12). */
import { isIP } from "node:net";

/** The addresses of proxies that a setting lists. */
export interface ProxyList {
	has(address: string): boolean;
}

/**
 * `loopback`: the header counts when the connection comes from this host; n: the n-th entry from
 * the right; 0: never; a list: the header counts when the connection comes from a proxy of the
 * list, and the client is the last entry that is no such proxy.
 */
export type TrustedProxies = "loopback" | number | ProxyList;

/**
 * The client's address in lower case, without port and zone. Empty where it is unknown: the trusted
 * entry is no address, or there are fewer entries than proxies. The peer is then a proxy.
 */
export function findClientAddress(
	peer: string | undefined,
	forwardedFor: string | string[] | undefined,
	trusted: TrustedProxies,
): string {
	const direct = normaliseAddress(peer ?? "");
	if (forwardedFor === undefined || !isTrusted(direct, trusted)) return direct;
	const entries = (Array.isArray(forwardedFor) ? forwardedFor.join(",") : forwardedFor)
		.split(",")
		.map((entry) => entry.trim())
		.filter((entry) => entry !== "");
	if (typeof trusted === "object") return readListed(entries, trusted);
	return readEntry(entries.at(trusted === "loopback" ? -1 : -trusted) ?? "");
}

/** The last entry that is no proxy of the list; the first one where all are. */
function readListed(entries: readonly string[], proxies: ProxyList): string {
	const addresses = entries.map(readEntry);
	return addresses.findLast((address) => !proxies.has(address)) ?? addresses[0] ?? "";
}

/** The address of an entry; empty where it has none. Some gateways append the client's port. */
function readEntry(entry: string): string {
	const [, bracketed, dotted] = /^(?:\[([^\]]*:[^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(entry) ?? [];
	const address = bracketed ?? dotted ?? entry;
	return isIP(address) === 0 ? "" : normaliseAddress(address);
}

/**
 * The absolute address of a request as its client wrote it; an invalid host becomes `localhost`.
 */
export function getAddress(
	headers: Readonly<Record<string, string | string[] | undefined>>,
	path: string,
	peer: string | undefined,
	trusted: TrustedProxies,
): string {
	const secure = isTrusted(normaliseAddress(peer ?? ""), trusted) && headers["x-forwarded-proto"] === "https";
	const host = String(headers.host ?? "");
	return `${secure ? "https" : "http"}://${/^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i.test(host) ? host : "localhost"}${path}`;
}

function isTrusted(peer: string, trusted: TrustedProxies): boolean {
	if (typeof trusted === "object") return trusted.has(peer);
	return trusted !== 0 && (trusted !== "loopback" || isLoopback(peer));
}

/** Writes IPv4 addresses of dual-stack sockets without their IPv6 prefix, others without a zone. */
function normaliseAddress(address: string): string {
	return address
		.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "")
		.replace(/%.*$/, "")
		.toLowerCase();
}

function isLoopback(address: string): boolean {
	return address === "::1" || address.startsWith("127.") || address === "";
}
