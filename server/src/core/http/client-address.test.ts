import { describe, expect, it } from "vitest";
import { findClientAddress, getAddress } from "./client-address.ts";

describe("the client's address", () => {
	it.each([
		["203.0.113.5", "203.0.113.5"],
		["203.0.113.5:51008", "203.0.113.5"],
		["[2001:DB8::7]", "2001:db8::7"],
		["[2001:db8::7]:443", "2001:db8::7"],
		["2001:db8::7", "2001:db8::7"],
		["fe80::1%eth0", "fe80::1"],
		["[fe80::1%25eth0]:443", "fe80::1"],
		["::ffff:203.0.113.5", "203.0.113.5"],
		["[::ffff:203.0.113.5]:51008", "203.0.113.5"],
		["198.51.100.1:1, 203.0.113.5:2", "203.0.113.5"],
		["203.0.113.5, ", "203.0.113.5"],
	])("of %j is the address without port, brackets and zone", (header, expected) => {
		expect(findClientAddress("127.0.0.1", header, "loopback")).toBe(expected);
	});

	it.each([
		"",
		",",
		"unknown",
		"_hidden",
		"203.0.113.5, <script>",
		"203.0.113.5:",
		"203.0.113.5:x",
		"203.0.113.5:123456",
		"203.0.113.5:1:2",
		"[203.0.113.5]:1",
		"[2001:db8::7",
		"2001:db8::7]",
		"[2001:db8::7]443",
		"[]:443",
		"10.1.2.999",
		"10.1.2.3%eth0",
	])("is unknown where the entry is none: %j", (header) => {
		expect(findClientAddress("127.0.0.1", header, "loopback")).toBe("");
	});

	it("takes the n-th entry from the right behind n proxies, and no address where there are fewer", () => {
		expect(findClientAddress("10.0.0.1", "198.51.100.1, 203.0.113.5:80, 10.0.0.2", 2)).toBe("203.0.113.5");
		expect(findClientAddress("10.0.0.1", "203.0.113.5", 2)).toBe("");
		expect(findClientAddress("10.0.0.1", "spoofed, 203.0.113.5", 1)).toBe("203.0.113.5");
	});

	it("takes the last entry that is no proxy of the list, from proxies of the list only", () => {
		const proxies = new Set(["10.0.0.1", "10.0.0.2"]);
		expect(findClientAddress("10.0.0.1", "spoofed, 203.0.113.5", proxies)).toBe("203.0.113.5");
		expect(findClientAddress("::ffff:10.0.0.1", "203.0.113.5:80, 10.0.0.2", proxies)).toBe("203.0.113.5");
		expect(findClientAddress("10.0.0.3", "203.0.113.5", proxies)).toBe("10.0.0.3");
		expect(findClientAddress("10.0.0.1", "10.0.0.2", proxies)).toBe("10.0.0.2");
		expect(findClientAddress("10.0.0.1", "203.0.113.5, unknown", proxies)).toBe("");
		expect(findClientAddress("10.0.0.1", "", proxies)).toBe("");
		const headers = { host: "weft.example.com", "x-forwarded-proto": "https" };
		expect(getAddress(headers, "/x", "10.0.0.1", proxies)).toBe("https://weft.example.com/x");
		expect(getAddress(headers, "/x", "10.0.0.3", proxies)).toBe("http://weft.example.com/x");
	});

	it("takes the peer's address where no header is trusted or none was sent", () => {
		expect(findClientAddress("::ffff:10.0.0.1", "203.0.113.5", "loopback")).toBe("10.0.0.1");
		expect(findClientAddress("127.0.0.1", "x", 0)).toBe("127.0.0.1");
		expect(findClientAddress("127.0.0.1", undefined, "loopback")).toBe("127.0.0.1");
		expect(findClientAddress("fe80::1%eth0", undefined, 1)).toBe("fe80::1");
		expect(findClientAddress(undefined, undefined, "loopback")).toBe("");
	});
});
