/** Networks of IP addresses. */
import { BlockList, isIP } from "node:net";

/** Whether a text is a network as `10.1.0.0/16`, `fd00::/8` or a single address. */
export function isNetwork(text: string): boolean {
	const [address = "", bits, ...rest] = text.split("/");
	const family = isIP(address);
	// A zone belongs to one host's interface: no network list can contain it.
	if (family === 0 || address.includes("%") || rest.length > 0) return false;
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
