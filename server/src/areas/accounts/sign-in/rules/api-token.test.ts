import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { getNetwork, getSecret, isWellFormed } from "./api-token.ts";

describe("secrets", () => {
	it("have a prefix, 43 digits and a checksum of 6", () => {
		expect(getSecret(Buffer.alloc(32))).toMatch(/^weft_pat_0{43}[0-9A-Za-z]{6}$/);
		expect(getSecret(Buffer.alloc(32, 0xff))).toMatch(/^weft_pat_[0-9A-Za-z]{49}$/);
	});

	it("are well-formed, and no longer with one character changed, left out or added", () => {
		const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
		fc.assert(
			fc.property(bytes, fc.nat(57), fc.constantFrom(..."0Zz_é"), (random, at, other) => {
				const secret = getSecret(random);
				expect(isWellFormed(secret)).toBe(true);
				const changed = secret.slice(0, at) + other + secret.slice(at + 1);
				expect(isWellFormed(changed)).toBe(changed === secret);
				expect(isWellFormed(secret.slice(0, at) + secret.slice(at + 1))).toBe(false);
				expect(isWellFormed(secret + other)).toBe(false);
			}),
			{ seed: 7 },
		);
	});

	it("differ where their bytes do", () => {
		const secrets = new Set(Array.from({ length: 1_000 }, () => getSecret(randomBytes(32))));
		expect(secrets.size).toBe(1_000);
	});
});

describe("networks", () => {
	it.each([
		["10.1.2.3", "10.1.2.0/24"],
		["2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"],
		["2001:db8::1", "2001:db8:0:0::/64"],
		["::1", "0:0:0:0::/64"],
		["fe80::1%eth0", "fe80:0:0:0::/64"],
		["", "unknown"],
	])("of %s is %s", (address, network) => {
		expect(getNetwork(address)).toBe(network);
	});
});
