/** IP addresses and prefixes as numbers, and their normal forms. */
import { getAddressFamily } from "./networks.ts";

export interface Network {
	/** Without host bits: `10.1.0.0/16`; an address has its full length. */
	readonly network: string;
	/** The address as RFC 5952 writes it. */
	readonly address: string;
	readonly length: number;
	/** The address as a number. */
	readonly value: bigint;
	/** Bits of an address of this family. */
	readonly bits: 32 | 128;
}

/** An address, or an address and a length of prefix behind a slash. */
export function readNetwork(text: string): Network | null {
	const [address = "", length, ...rest] = text.split("/");
	const family = getAddressFamily(address);
	if (family === 0 || rest.length > 0) return null;
	const bits = family === 4 ? 32 : 128;
	if (length !== undefined && !/^(0|[1-9][0-9]{0,2})$/.test(length)) return null;
	const size = length === undefined ? bits : Number(length);
	if (size > bits) return null;
	const value = family === 4 ? readIpv4(address) : readIpv6(address);
	const host = BigInt(bits - size);
	const network = formatAddress((value >> host) << host, bits);
	return { network: `${network}/${size}`, address: formatAddress(value, bits), length: size, value, bits };
}

const readIpv4 = (text: string): bigint => text.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);

function readIpv6(text: string): bigint {
	const dotted = /^(.*:)([0-9.]+)$/.exec(text);
	const embedded = dotted?.[2]?.includes(".") ? readIpv4(dotted[2]) : null;
	const whole =
		embedded === null ? text : `${dotted?.[1]}${(embedded >> 16n).toString(16)}:${(embedded & 0xffffn).toString(16)}`;
	const [head = "", tail] = whole.split("::");
	const before = head === "" ? [] : head.split(":");
	const after = tail === undefined || tail === "" ? [] : tail.split(":");
	const zeros = tail === undefined ? [] : Array<string>(8 - before.length - after.length).fill("0");
	return [...before, ...zeros, ...after].reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n);
}

function formatAddress(value: bigint, bits: 32 | 128): string {
	if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");
	if (value >> 32n === 0xffffn) return `::ffff:${formatAddress(value & 0xffffffffn, 32)}`;
	const groups = Array.from({ length: 8 }, (_, at) => ((value >> BigInt(112 - 16 * at)) & 0xffffn).toString(16));
	const { start, count } = findLongestZeros(groups);
	if (count < 2) return groups.join(":");
	return `${groups.slice(0, start).join(":")}::${groups.slice(start + count).join(":")}`;
}

/** The longest run of zero groups; of equal ones the first. */
function findLongestZeros(groups: readonly string[]): { start: number; count: number } {
	let best = { start: 0, count: 0 };
	for (let start = 0; start < groups.length; start++) {
		let count = 0;
		while (groups[start + count] === "0") count++;
		if (count > best.count) best = { start, count };
	}
	return best;
}
