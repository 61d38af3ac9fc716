import { describe, expect, it } from "vitest";
import { createOutgoingTargets } from "./outgoing.ts";

const unset = createOutgoingTargets(null);
const NEVER =
	"169.254.169.254 169.254.0.1 fe80::1 fe80::1%eth0 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::1 fd00:ec2::254 168.63.129.16 100.100.100.200 192.0.0.192 fd20:ce::254".split(
		" ",
	);
const LOOPBACK = "127.0.0.1 127.8.8.8 ::1 0.0.0.0 :: ::ffff:127.0.0.1 ::ffff:7f00:1 64:ff9b::7f00:1".split(" ");
const OTHERS = "10.1.2.3 192.168.1.1 172.16.0.1 8.8.8.8 fd12:3456::1 2606:4700::1111".split(" ");

describe("targets of connections without a setting", () => {
	it.each(OTHERS)("%s is one", (address) => expect(unset.isAllowed(address)).toBe(true));
	it.each([...NEVER, ...LOOPBACK, "localhost", ""])("%s is none", (address) =>
		expect(unset.isAllowed(address)).toBe(false),
	);
});

describe("targets of connections in networks that the setting names", () => {
	const named = createOutgoingTargets(["10.0.0.0/8", "127.0.0.0/8", "::1/128"]);
	it.each(["10.1.2.3", "127.0.0.1", "::1", "::ffff:127.0.0.1"])("%s is one", (address) =>
		expect(named.isAllowed(address)).toBe(true),
	);
	it.each([...NEVER, "192.168.1.1", "8.8.8.8", "fd12:3456::1"])("%s is none", (address) =>
		expect(named.isAllowed(address)).toBe(false),
	);
	const all = createOutgoingTargets(["0.0.0.0/0", "::/0"]);
	it.each(NEVER)("%s is none, also when the networks contain it", (address) =>
		expect(all.isAllowed(address)).toBe(false),
	);
});

it.each([
	["http://127.0.0.1:80/x", "127.0.0.1"],
	["https://[::1]/", "::1"],
	["http://2130706433/", "127.0.0.1"],
	["http://0x7f.1/", "127.0.0.1"],
	["https://10.1.1.1/", null],
	["https://apic.example.com/", null],
])("of %s the refused host is %s", (url, host) => expect(unset.refusedHost(url)).toBe(host));
