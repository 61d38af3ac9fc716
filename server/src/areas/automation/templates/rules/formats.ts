/**
 * Formats of network addresses, strictly: no leading zeros, no abbreviations but those of IPv6
 * itself.
 */

const OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);
const GROUP = /^[0-9a-fA-F]{1,4}$/;
const MAC = /^(?:[0-9a-f]{2}(?:(:|-)[0-9a-f]{2})(?:\1[0-9a-f]{2}){4}|[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4})$/i;

const isIpv4 = (text: string): boolean => IPV4.test(text);

/**
 * RFC 4291, section 2.2: eight groups, `::` once for one or more of zeros, an IPv4 address as the
 * last two. No zone.
 */
export function isIpv6(text: string): boolean {
	const halves = text.split("::");
	if (halves.length > 2) return false;
	const groups = (half: string): number => {
		if (half === "") return 0;
		const parts = half.split(":");
		const last = parts.at(-1) ?? "";
		const mapped = last.includes(".");
		if (mapped && !isIpv4(last)) return Number.NaN;
		const plain = mapped ? parts.slice(0, -1) : parts;
		return plain.every((part) => GROUP.test(part)) ? plain.length + (mapped ? 2 : 0) : Number.NaN;
	};
	const [before = "", after] = halves;
	// An IPv4 address can only be at the very end.
	if (after !== undefined && before.includes(".")) return false;
	const count = groups(before) + groups(after ?? "");
	return after === undefined ? count === 8 : count <= 7;
}

export const isIp = (text: string): boolean => isIpv4(text) || isIpv6(text);

export function isCidr(text: string): boolean {
	const [, address = "", length = ""] = /^(.+)\/(0|[1-9][0-9]{0,2})$/.exec(text) ?? [];
	if (isIpv4(address)) return Number(length) <= 32;
	return isIpv6(address) && Number(length) <= 128;
}

export const isMac = (text: string): boolean => MAC.test(text);
