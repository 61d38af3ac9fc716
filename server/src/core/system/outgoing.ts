/**
 * Decides which addresses the service may connect to for its users: controllers and automation
 * servers. These are mostly in private networks, so that only addresses of the host and its cloud
 * are refused.
 */
import { isIP, type LookupFunction } from "node:net";
import { buildBlockList, isListed } from "../networks.ts";
import { createCheckedLookup, type Resolve, readLiteralHost, unmapAddress } from "./networks.ts";

/** From the settings: networks as `10.0.0.0/8`; null: every address but those of this host. */
export type OutgoingNetworks = readonly string[] | null;

export interface OutgoingTargets {
	/** @param address an IP address without brackets */
	isAllowed(address: string): boolean;
	/** For the option `connect` of undici: resolves a name to allowed addresses only. */
	readonly lookup: LookupFunction;
	/** The host that an address names by a refused IP address; null if it may be connected to. */
	refusedHost(url: string | URL): string | null;
}

/**
 * Link-local addresses (RFC 3927, RFC 4291), and those at which clouds serve credentials of the
 * host: AWS, Google Cloud, Azure, Alibaba, Oracle. The last lines are the forms of IPv4 addresses
 * in IPv6 ones (RFC 4291, RFC 6052, RFC 3056).
 */
const NEVER = [
	"169.254.0.0/16 fe80::/10 fd00:ec2::/32 fd20:ce::254 168.63.129.16 100.100.100.200 192.0.0.192",
	"::a9fe:0:0/112 ::a9fe:0/112 64:ff9b::a9fe:0/112 2002:a9fe::/32",
].flatMap((line) => line.split(" "));

/** This host: loopback, and the unspecified addresses, which lead there too. */
const LOOPBACK = [
	"127.0.0.0/8 0.0.0.0/8 ::1 ::",
	"::7f00:0/104 64:ff9b::7f00:0/104 64:ff9b::/104 2002:7f00::/24",
].flatMap((line) => line.split(" "));

/** @param resolve the name service; the operating system's where absent */
export function createOutgoingTargets(networks: OutgoingNetworks, resolve?: Resolve): OutgoingTargets {
	const never = buildBlockList(NEVER);
	const loopback = buildBlockList(LOOPBACK);
	const named = networks === null ? null : buildBlockList(networks);

	function isAllowed(address: string): boolean {
		const plain = unmapAddress(address);
		if (isIP(plain) === 0 || isListed(never, plain)) return false;
		return named === null ? !isListed(loopback, plain) : isListed(named, plain);
	}

	return {
		isAllowed,
		lookup: createCheckedLookup(isAllowed, resolve),
		refusedHost(url) {
			const host = readLiteralHost(url);
			return host === null || isAllowed(host) ? null : host;
		},
	};
}
