/** Networks of IP addresses. */
import { BlockList, isIP } from "node:net";

/** 4 or 6 for an address without a zone; 0 for any other text. */
export const getAddressFamily = (text: string): number => (text.includes("%") ? 0 : isIP(text));

/** Whether a text is a network as `10.1.0.0/16`, `fd00::/8` or a single address. */
export function isNetwork(text: string): boolean {
	const [address = "", bits, ...rest] = text.split("/");
	const family = isIP(address);
	// A zone belongs to one host's interface: no network list can contain it.
	if (family === 0 || address.includes("%") || rest.length > 0) return false;
	return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

export function buildBlockList(networks: readonly string[]): BlockList {
	const list = new BlockList();
	for (const network of networks) {
		const [address = "", bits] = network.split("/");
		const family = isIP(address) === 6 ? "ipv6" : "ipv4";
		list.addSubnet(address, bits === undefined ? (family === "ipv6" ? 128 : 32) : Number(bits), family);
	}
	return list;
}

/**
 * The addresses that one client is likely to have, as a key: the /64 of an IPv6 address, any other
 * text as it is.
 */
export function formatAddressBlock(address: string): string {
	if (isIP(address) !== 6) return address;
	const [head = "", tail] = address.split("::");
	const groups = head.split(":");
	if (tail !== undefined) {
		const left = head === "" ? [] : groups;
		const right = tail === "" ? [] : tail.split(":");
		// A dotted end stands for two groups.
		const size = left.length + right.length + (tail.includes(".") ? 1 : 0);
		groups.splice(0, groups.length, ...left, ...Array.from({ length: 8 - size }, () => "0"), ...right);
	}
	const parts = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
	return `${parts.join(":")}::/64`;
}

/** Whether a list contains an IP address without brackets. */
export function isListed(list: BlockList, address: string): boolean {
	const family = isIP(address);
	return family !== 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
}
