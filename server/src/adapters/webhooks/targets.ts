/**
 * Which addresses may be sent to. A name may lead anywhere, so it is addresses that are checked, and the one that is connected
 * to is the one that was checked.
 */
import { BlockList, isIP } from "node:net";

/** From the settings. */
export interface WebhookTargets {
	/** Every address of the public internet. */
	readonly public: boolean;
	/** Networks besides, as `10.1.0.0/16`. */
	readonly networks: readonly string[];
}

/** IANA's registries of special-purpose addresses: not reachable in public, or leading somewhere else. */
const SPECIAL_4 =
	"0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4";
/** All that is public lies within the first; these lie there too. */
const GLOBAL_6 = "2000::/3";
const SPECIAL_6 = "2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20";

/** An IPv4 address in an IPv6 one (RFC 4291, section 2.5.5). */
const MAPPED = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i;

/** Whether a text is a network as `10.1.0.0/16`, `fd00::/8` or a single address. */
export function isNetwork(text: string): boolean {
	const [address = "", bits, ...rest] = text.split("/");
	const family = isIP(address);
	if (family === 0 || rest.length > 0) return false;
	return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

function listOf(networks: readonly string[]): BlockList {
	const list = new BlockList();
	for (const network of networks) {
		const [address = "", bits] = network.split("/");
		const family = isIP(address) === 6 ? "ipv6" : "ipv4";
		list.addSubnet(address, bits === undefined ? (family === "ipv6" ? 128 : 32) : Number(bits), family);
	}
	return list;
}

export function createTargets({ public: isPublic, networks }: WebhookTargets) {
	const special = listOf([...SPECIAL_4.split(" "), ...SPECIAL_6.split(" ")]);
	const global = listOf([GLOBAL_6]);
	const allowed = listOf(networks);

	return {
		/** @param address an IP address without brackets */
		isAllowed(address: string): boolean {
			const plain = unmapped(address);
			const family = isIP(plain);
			if (family === 0) return false;
			const kind = family === 6 ? "ipv6" : "ipv4";
			if (allowed.check(plain, kind)) return true;
			return isPublic && !special.check(plain, kind) && (family === 4 || global.check(plain, kind));
		},
	};
}
export type Targets = ReturnType<typeof createTargets>;

/** A zone (`fe80::1%eth0`) is left out: it is no part of the address. */
function unmapped(address: string): string {
	const plain = address.split("%")[0] ?? "";
	const match = MAPPED.exec(plain);
	if (match === null) return plain;
	if (match[1] !== undefined) return match[1];
	const [high, low] = [Number.parseInt(match[2] ?? "", 16), Number.parseInt(match[3] ?? "", 16)];
	return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
