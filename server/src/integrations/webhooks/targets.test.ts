import { describe, expect, it } from "vitest";
import { isNetwork } from "../../core/networks.ts";
import { createTargets } from "./targets.ts";

const open = createTargets({ public: true, networks: [] });

describe("addresses of the public internet", () => {
	it.each(["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "2a00:1450::1"])(
		"%s",
		(address) => expect(open.isAllowed(address)).toBe(true),
	);
});

describe("others are refused", () => {
	it.each([
		..."0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255 192.168.1.1".split(
			" ",
		),
		..."192.0.0.192 198.18.0.1 203.0.113.9 224.0.0.1 255.255.255.255".split(" "),
		..."::1 :: fe80::1 fe80::1%eth0 fc00::1 fd12:3456::1 ff02::1 2001:db8::1 2002:7f00:1:: 64:ff9b::7f00:1 2001:0:1::".split(
			" ",
		),
		..."::ffff:127.0.0.1 ::ffff:7f00:1 ::FFFF:10.0.0.1 ::127.0.0.1 fec0::1".split(" "),
		...["", "localhost", "127.1", "0x7f000001", "2130706433"],
	])("%s", (address) => expect(open.isAllowed(address)).toBe(false));
});

describe("networks that the settings name", () => {
	const own = createTargets({ public: false, networks: ["10.1.0.0/16", "127.0.0.1", "fd00:1::/32"] });
	it.each(["10.1.255.1", "127.0.0.1", "::ffff:127.0.0.1", "::ffff:a01:203", "fd00:1::9"])(
		"are allowed: %s",
		(address) => expect(own.isAllowed(address)).toBe(true),
	);
	it.each(["10.2.0.1", "127.0.0.2", "8.8.8.8", "fd00:2::1", "2606:4700::1111"])("and no others: %s", (address) =>
		expect(own.isAllowed(address)).toBe(false),
	);

	it.each(["10.0.0.0/8", "10.0.0.1", "fd00::/8", "::1"])("%s is one", (text) => expect(isNetwork(text)).toBe(true));
	it.each(["", "10.0.0.0/33", "10.0.0/8", "fd00::/129", "a/8", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/-1"])(
		"%s is none",
		(text) => expect(isNetwork(text)).toBe(false),
	);
});
