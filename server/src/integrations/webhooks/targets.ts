/**
 * Decides which addresses webhooks may use. A name may resolve to anything, so the resolved address
 * is checked, and the checked address is the one that is connected to.
 */
import { isIP } from "node:net";
import { buildBlockList } from "../../core/networks.ts";
import { unmapAddress } from "../../core/system/networks.ts";

/** From the settings. */
export interface WebhookTargets {
	/** Every address of the public internet. */
	readonly public: boolean;
	/** Networks besides, as `10.1.0.0/16`. */
	readonly networks: readonly string[];
}

/**
 * IANA's registries of special-purpose addresses: not reachable in public, or leading somewhere
 * else.
 */
const SPECIAL_4 =
	"0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 " +
	"192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 " +
	"198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4";
/** All that is public lies within the first; these lie there too. */
const GLOBAL_6 = "2000::/3";
const SPECIAL_6 = "2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20";

export function createTargets({ public: isPublic, networks }: WebhookTargets) {
	const special = buildBlockList([...SPECIAL_4.split(" "), ...SPECIAL_6.split(" ")]);
	const global = buildBlockList([GLOBAL_6]);
	const allowed = buildBlockList(networks);

	return {
		/** @param address an IP address without brackets */
		isAllowed(address: string): boolean {
			const plain = unmapAddress(address);
			const family = isIP(plain);
			if (family === 0) return false;
			const kind = family === 6 ? "ipv6" : "ipv4";
			if (allowed.check(plain, kind)) return true;
			return isPublic && !special.check(plain, kind) && (family === 4 || global.check(plain, kind));
		},
	};
}
