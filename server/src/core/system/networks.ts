/** DNS lookups that yield only allowed addresses, and the addresses that texts name. */
import { lookup as dnsLookup, type LookupAddress, type LookupAllOptions } from "node:dns";
import { isIP, type LookupFunction } from "node:net";

/** An IPv4 address in an IPv6 one (RFC 4291, section 2.5.5). */
const MAPPED = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i;

/** The IPv4 address of a mapped one. A zone (`fe80::1%eth0`) is no part of the address. */
export function unmapAddress(address: string): string {
	const plain = address.split("%")[0] ?? "";
	const match = MAPPED.exec(plain);
	if (match === null) return plain;
	if (match[1] !== undefined) return match[1];
	const [high, low] = [Number.parseInt(match[2] ?? "", 16), Number.parseInt(match[3] ?? "", 16)];
	return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** The code of the error of a lookup whose addresses are all refused. */
export const ADDRESS_REFUSED = "ERR_ADDRESS_REFUSED";

/** Resolves a name to all of its addresses, as `lookup` of node:dns does. */
export type Resolve = (
	hostname: string,
	options: LookupAllOptions,
	done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/**
 * A lookup for `connect` that gives the connection only addresses that are allowed, so that the
 * one it takes is one that was checked: a name may resolve to another address a moment later.
 */
export function createCheckedLookup(
	isAllowed: (address: string) => boolean,
	resolve: Resolve = dnsLookup,
): LookupFunction {
	return (hostname, options, done) => {
		resolve(hostname, { ...options, all: true }, (error, found) => {
			if (error) return done(error, "");
			const usable = found.filter(({ address }) => isAllowed(address));
			const [first] = usable;
			if (first === undefined) return done(Object.assign(new Error("not allowed"), { code: ADDRESS_REFUSED }), "");
			if (options.all) done(null, usable);
			else done(null, first.address, first.family);
		});
	};
}

/** The IP address that an address names as its host; null for a name, which is to be looked up. */
export function readLiteralHost(url: string | URL): string | null {
	const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
	return isIP(host) === 0 ? null : host;
}
