/** Networks of IP addresses, and DNS lookups that yield only addresses within them. */
import { lookup as dnsLookup, type LookupAddress, type LookupAllOptions } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** An IPv4 address in an IPv6 one (RFC 4291, section 2.5.5). */
const MAPPED = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i;

/** Whether a text is a network as `10.1.0.0/16`, `fd00::/8` or a single address. */
export function isNetwork(text: string): boolean {
	const [address = "", bits, ...rest] = text.split("/");
	const family = isIP(address);
	if (family === 0 || rest.length > 0) return false;
	return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

export function blockListOf(networks: readonly string[]): BlockList {
	const list = new BlockList();
	for (const network of networks) {
		const [address = "", bits] = network.split("/");
		const family = isIP(address) === 6 ? "ipv6" : "ipv4";
		list.addSubnet(address, bits === undefined ? (family === "ipv6" ? 128 : 32) : Number(bits), family);
	}
	return list;
}

/** Whether a list contains an IP address without brackets. */
export function isListed(list: BlockList, address: string): boolean {
	const family = isIP(address);
	return family !== 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** The IPv4 address of a mapped one. A zone (`fe80::1%eth0`) is no part of the address. */
export function unmapped(address: string): string {
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
export function literalHost(url: string | URL): string | null {
	const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
	return isIP(host) === 0 ? null : host;
}
