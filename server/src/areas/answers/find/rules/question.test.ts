/** Reading of questions, terms of objects, and how well they match. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readNetwork } from "../../../../core/ip-networks.ts";
import { readMac } from "./addresses.ts";
import { getParentDn, listNamingValues, splitDn } from "./dn.ts";
import { containsNetwork, matchObject } from "./match.ts";
import { readQuestion } from "./question.ts";
import { extractTerms, getLabel } from "./terms.ts";

describe("a question", () => {
	it.each([
		["10.1.1.1", "ip", "10.1.1.1"],
		[" 2001:0DB8:0:0:0:0:0:1 ", "ip", "2001:db8::1"],
		["2001:db8:0:1:0:0:0:1", "ip", "2001:db8:0:1::1"],
		["1:0:0:2:0:0:3:4", "ip", "1::2:0:0:3:4"],
		["::FFFF:10.0.0.1", "ip", "::ffff:10.0.0.1"],
		["::", "ip", "::"],
		["10.1.1.1/16", "prefix", "10.1.0.0/16"],
		["0.0.0.0/0", "prefix", "0.0.0.0/0"],
		["2001:db8:ffff::/33", "prefix", "2001:db8:8000::/33"],
		["10.1.1.1/33", "name", "10.1.1.1/33"],
		["10.1.1", "name", "10.1.1"],
		["10.1.1.256", "name", "10.1.1.256"],
		["fe80::1%eth0", "name", "fe80::1%eth0"],
		["0050.56ab.cdef", "mac", "00:50:56:AB:CD:EF"],
		["00-50-56-ab-cd-ef", "mac", "00:50:56:AB:CD:EF"],
		["005056-abcdef", "mac", "00:50:56:AB:CD:EF"],
		["00:50-56:ab:cd:ef", "name", "00:50-56:ab:cd:ef"],
		["150", "vlan", "vlan-150"],
		["VLAN 150", "vlan", "vlan-150"],
		["vlan150", "vlan", "vlan-150"],
		["0", "name", "0"],
		["4096", "name", "4096"],
		["uni/tn-A", "dn", "uni/tn-A"],
		["Topology/pod-1", "dn", "Topology/pod-1"],
		["Web  Shop", "name", "web shop"],
	])("%s is a question of kind %s: %s", (text, kind, normalized) => {
		expect(readQuestion(text)).toEqual({ kind, normalized });
	});

	it("reads its normal form as itself", () => {
		const ipv6 = fc.ipV6().filter((text) => readNetwork(text) !== null);
		fc.assert(
			fc.property(fc.oneof(fc.ipV4(), ipv6, fc.string({ minLength: 1 })), (text) => {
				const read = readQuestion(text);
				expect(readQuestion(read.normalized)).toEqual(read);
			}),
		);
	});

	it("reads a MAC address alike in every notation", () => {
		fc.assert(
			fc.property(fc.uint8Array({ minLength: 6, maxLength: 6 }), (bytes) => {
				const hex = Buffer.from(bytes).toString("hex");
				const mac = (hex.match(/../g) ?? []).join(":").toUpperCase();
				const dotted = (hex.match(/..../g) ?? []).join(".");
				for (const text of [hex, mac, mac.replaceAll(":", "-"), dotted]) expect(readMac(text)).toBe(mac);
			}),
		);
	});

	it("reads a prefix that contains each of its addresses", () => {
		fc.assert(
			fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), (address, length) => {
				const [outer, inner] = [readNetwork(`${address}/${length}`), readNetwork(address)];
				if (outer === null || inner === null) throw new Error("an address was not read");
				expect(containsNetwork(outer, inner)).toBe(true);
				expect(containsNetwork(inner, outer)).toBe(length === 32);
			}),
		);
	});
});

describe("a DN", () => {
	const PATH = "uni/tn-a/epg-b/rspathAtt-[topology/pod-1/paths-101/pathep-[eth1/7]]";

	it("has parts in which slashes within brackets do not count", () => {
		expect(splitDn(PATH)).toEqual(["uni", "tn-a", "epg-b", PATH.slice("uni/tn-a/epg-b/".length)]);
		expect(getParentDn(PATH)).toBe("uni/tn-a/epg-b");
		expect(getParentDn("uni")).toBeNull();
		expect(listNamingValues("rspathAtt-[topology/pod-1/paths-101/pathep-[eth1/7]]")).toEqual([
			"topology/pod-1/paths-101/pathep-[eth1/7]",
		]);
		expect(listNamingValues("from-[vlan-1]-to-[vlan-2]")).toEqual(["vlan-1", "vlan-2"]);
		expect(listNamingValues("tn-my-tenant")).toEqual(["my-tenant"]);
		expect(listNamingValues("rsctx")).toEqual([]);
	});

	it("rebuilds a DN by joining its parts with slashes", () => {
		fc.assert(fc.property(fc.string(), (dn) => splitDn(dn).join("/") === dn));
	});
});

describe("an object", () => {
	const match = (q: string, dn: string, attributes: Record<string, string> = {}) =>
		matchObject(readQuestion(q), { dn, attributes });

	it("has terms of its own naming, names, addresses and VLANs, each once", () => {
		const attributes = { name: "Web", descr: "the web", ip: "10.1.1.1/24", mac: "00:50:56:AB:CD:EF", encap: "vlan-5" };
		const terms = extractTerms({ dn: "uni/tn-a/BD-Web", attributes });
		expect(terms.map(({ attribute, term, net, vlans }) => [attribute, term, net, vlans])).toEqual([
			["name", "web", null, null],
			["descr", "the web", null, null],
			["ip", "10.1.1.1/24", "10.1.1.0/24", null],
			["mac", "00:50:56:ab:cd:ef", null, null],
			["encap", "vlan-5", null, [5, 5]],
			["dn", "bd-web", null, null],
		]);
		expect(getLabel({ dn: "uni/tn-a/rsctx", attributes: {} })).toBe("rsctx");
		expect(extractTerms({ dn: "uni/x", attributes: { ip: "0.0.0.0", mac: "00:00:00:00:00:00" } })).toHaveLength(1);
	});

	it("matches exactly, then by its beginning, then by a part, then by its DN", () => {
		expect(match("web", "uni/BD-web", { name: "web" })?.rank).toBe(0);
		expect(match("we", "uni/BD-web", { name: "web" })?.rank).toBe(1);
		expect(match("eb-a", "uni/BD-web-a", { name: "web-a" })?.rank).toBe(2);
		expect(match("tn-prod", "uni/tn-prod/BD-web", { name: "web" })).toMatchObject({ rank: 3, attribute: "dn" });
		expect(match("eb", "uni/BD-web", { name: "web" })).toBeNull();
		expect(match("10.1.1.9", "uni/subnet-[10.1.1.1/24]")).toMatchObject({ rank: 1, tie: -24 });
		expect(match("10.1.1.9", "uni/subnet-[2001:db8::/64]")).toBeNull();
		expect(match("150", "uni/from-[vlan-100]-to-[vlan-199]", { from: "vlan-100", to: "vlan-199" })).toMatchObject({
			rank: 1,
			tie: 100,
		});
	});
});
