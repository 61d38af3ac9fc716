/**
 * Networks against arithmetic on 128-bit numbers: an IPv4 address is the IPv6 address that it is
 * mapped to, and its network of n bits is one of 96 + n bits (RFC 4291, section 2.5.5.2).
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildBlockList, formatAddressBlock, isListed, isNetwork } from "./networks.ts";

const BITS_4 = 32n;
const BITS_6 = 128n;
const MAPPED = 0xffffn << BITS_4;

interface Address {
	readonly value: bigint;
	readonly isMapped: boolean;
}

const splitHextets = (value: bigint): bigint[] =>
	Array.from({ length: 8 }, (_, i) => (value >> (112n - 16n * BigInt(i))) & 0xffffn);
const formatDotted = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".");

/** Every spelling of an address. */
function listSpellings({ value, isMapped }: Address): string[] {
	const parts = splitHextets(value).map((part) => part.toString(16));
	const full = parts.join(":");
	const short = new URL(`http://[${full}]`).hostname.slice(1, -1);
	const padded = parts.map((part) => part.padStart(4, "0")).join(":");
	const six = [full, short, padded, padded.toUpperCase()];
	return isMapped ? [formatDotted(value), `::ffff:${formatDotted(value)}`, ...six] : six;
}

const four = fc.bigInt(0n, (1n << BITS_4) - 1n).map((value): Address => ({ value: MAPPED | value, isMapped: true }));
const six = fc
	.bigInt(0n, (1n << BITS_6) - 1n)
	.filter((value) => value >> BITS_4 !== 0xffffn)
	.map((value): Address => ({ value, isMapped: false }));
const address = fc.oneof(four, six);
/** A network, and an address that is often on its border: one bit away from its own. */
const cases = address.chain((network) =>
	fc.record({
		network: fc.constant(network),
		bits: fc.bigInt(network.isMapped ? 96n : 0n, BITS_6),
		spelling: fc.nat(5),
		other: fc.oneof(
			address,
			fc.bigInt(0n, network.isMapped ? BITS_4 - 1n : BITS_6 - 1n).map((bit): Address => {
				const value = network.value ^ (1n << bit);
				return { value, isMapped: value >> BITS_4 === 0xffffn };
			}),
		),
	}),
);

describe("networks", () => {
	it("contain the addresses whose first bits are theirs, in every spelling", () => {
		fc.assert(
			fc.property(cases, ({ network, bits, spelling, other }) => {
				const texts = listSpellings(network);
				const text = texts[spelling % texts.length] ?? "";
				const size = text.includes(":") ? bits : bits - 96n;
				expect(isNetwork(`${text}/${size}`)).toBe(true);
				const list = buildBlockList([`${text}/${size}`]);
				const expected = (network.value ^ other.value) >> (BITS_6 - bits) === 0n;
				for (const one of listSpellings(other))
					expect([text, size, one, isListed(list, one)]).toEqual([text, size, one, expected]);
				for (const one of texts) expect(isListed(list, one)).toBe(true);
			}),
			{ numRuns: 2_000 },
		);
	});

	it("of one address contain that address alone, and a list contains what one of its networks does", () => {
		fc.assert(
			fc.property(fc.array(address, { minLength: 1, maxLength: 5 }), address, (listed, other) => {
				const list = buildBlockList(listed.map((one) => listSpellings(one)[0] ?? ""));
				for (const one of listed) for (const text of listSpellings(one)) expect(isListed(list, text)).toBe(true);
				const expected = listed.some(({ value }) => value === other.value);
				expect(isListed(list, listSpellings(other)[0] ?? "")).toBe(expected);
			}),
		);
	});

	it.each([
		"",
		"10",
		"10.0.0.0/",
		"10.0.0.0/33",
		"10.0.0.0/-1",
		"10.0.0.0/8/8",
		"::/129",
		"::/x",
		"a.example.com",
		"10.0.0.0/8 ",
		"fe80::1%eth0",
		"fe80::1%eth0/64",
	])("%j is none", (text) => expect(isNetwork(text)).toBe(false));

	it("are never made of other text, and what is one can be listed", () => {
		const character = fc.constantFrom(..."0123456789abcdef.:/%fe");
		fc.assert(
			fc.property(fc.string({ unit: character, maxLength: 24 }), (text) => {
				if (isNetwork(text)) expect(() => buildBlockList([text])).not.toThrow();
				expect(isListed(buildBlockList(["::/0"]), `${text}!`)).toBe(false);
			}),
			{ numRuns: 5_000 },
		);
	});
});

it.each([
	["192.0.2.1", "192.0.2.1"],
	["", ""],
	["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
	["2001:0DB8:0001::6", "2001:db8:1:0::/64"],
	["::1", "0:0:0:0::/64"],
	["fe80::", "fe80:0:0:0::/64"],
	["1::2:3:4:5:6:7", "1:0:2:3::/64"],
	["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
])("formats the block of %s", (address, block) => {
	expect(formatAddressBlock(address)).toBe(block);
});
