/** Templates are found by what engineers say. */
import { describe, expect, it } from "vitest";
import { CHECK_TEMPLATES } from "./index.ts";
import { listKeywords, matchesSearch } from "./keywords.ts";

const findKeys = (search: string): string[] =>
	CHECK_TEMPLATES.filter((template) => matchesSearch(template, search)).map(({ key }) => key);

describe("a search of the library", () => {
	it.each([
		["interface down", "fabric-ports-up"],
		["Uplink", "fabric-ports-up"],
		["link", "ports-error-disabled"],
		["errdisabled", "ports-error-disabled"],
		["leaf inactive", "switches-active"],
		["apic cluster", "controllers-fully-fit"],
		["neighbour bgp", "bgp-peers-established"],
		["ospf peer", "ospf-adjacencies-full"],
		["alarm critical", "critical-faults"],
		["ssl", "key-rings-not-expiring"],
		["backup", "backups-succeed"],
		["ntp", "clocks-synchronized"],
		["software version", "switch-firmware-same"],
		["psu", "power-supplies-ok"],
		["aep", "aaeps-have-domain"],
		["fvBD", "routed-bds-have-subnets"],
		["interface", "ports-error-disabled"],
		["uplink", "ports-error-disabled"],
		["port", "fabric-ports-up"],
		["link", "port-crc-errors"],
		["interface", "cabling-valid"],
		["port", "static-ports-deployed"],
		["link flap", "ports-error-disabled"],
		["bad cable", "port-crc-errors"],
		["leaf down", "switches-active"],
		["disk usage", "controller-storage"],
		["https certificate", "key-rings-not-expiring"],
		["duplicate ip", "endpoint-addresses-unique"],
		["vlan overlap", "vlan-ranges-unique"],
		["missing vrf", "bds-have-vrf"],
		["unused contract", "contracts-provided"],
		["spanning tree", "mcp-enabled"],
		["export job", "backups-succeed"],
		["external router", "ospf-adjacencies-full"],
	])("for %s finds %s", (search, key) => {
		expect(findKeys(search)).toContain(key);
	});

	it("finds all without words, and nothing for a word of no template", () => {
		expect(findKeys("")).toHaveLength(CHECK_TEMPLATES.length);
		expect(findKeys("interface zeppelin")).toEqual([]);
	});

	it("takes whole words of the name, not parts of other words", () => {
		expect(listKeywords({ name: "Supported reports", keywords: [] })).toEqual([]);
		expect(listKeywords({ name: "Fabric ports are up", keywords: [] })).toEqual(
			expect.arrayContaining(["interface", "port", "link", "uplink", "up", "down"]),
		);
	});

	it("says of each template what it finds and why it matters, with words of its own", () => {
		for (const { key, finds, description, keywords } of CHECK_TEMPLATES) {
			expect([finds, description], key).toEqual([expect.stringMatching(/\.$/), expect.stringMatching(/\.$/)]);
			expect(keywords.length, key).toBeGreaterThan(0);
		}
	});

	it("finds at least 25 templates with synonyms", () => {
		expect(CHECK_TEMPLATES.filter((one) => listKeywords(one).length > 0).length).toBeGreaterThanOrEqual(25);
	});
});
