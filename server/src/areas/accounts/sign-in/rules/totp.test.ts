import { describe, expect, it } from "vitest";
import { buildOtpauthUrl, decodeSecret, getStep } from "./totp.ts";

// RFC 6238, appendix B: the secret is the ASCII text 12345678901234567890; six digits are the last
// of its eight.
const SECRET = decodeSecret(Buffer.from("12345678901234567890"));
const VECTORS = [
	[59, "287082"],
	[1_111_111_109, "081804"],
	[1_111_111_111, "050471"],
	[1_234_567_890, "005924"],
	[2_000_000_000, "279037"],
] as const;

describe("time-based codes", () => {
	it.each(VECTORS)("at %d are the RFC's", (seconds, code) => {
		expect(getStep(SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
	});

	it("may drift by one step and no more, and tell which step they are of", () => {
		const step = Math.floor(1_234_567_890 / 30);
		for (const drift of [-1, 0, 1]) expect(getStep(SECRET, "005924", (step + drift) * 30_000)).toBe(step);
		for (const drift of [-2, 2]) expect(getStep(SECRET, "005924", (step + drift) * 30_000)).toBeNull();
	});

	it.each(["", "00592", "0059244", "００５９２４", "abcdef", "-05924"])("%j is none", (code) => {
		expect(getStep(SECRET, code, 1_234_567_890_000)).toBeNull();
	});

	it("come with an address that authenticators read", () => {
		const url = new URL(buildOtpauthUrl(SECRET, "ada@example.com"));
		expect(url.href).toMatch(/^otpauth:\/\/totp\/Weft:ada%40example\.com\?/);
		expect(Object.fromEntries(url.searchParams)).toEqual({
			issuer: "Weft",
			secret: SECRET,
			algorithm: "SHA1",
			digits: "6",
			period: "30",
		});
	});
});
