import { describe, expect, test } from "vitest";
import { compileNumberBeginnings, createNameMatch } from "./name-match.ts";

const match = createNameMatch(compileNumberBeginnings(null));

describe("the name of a dn", () => {
	test.each([
		["uni/tn-a/BD-b", "uni/tn-a/BD-b"],
		["topology/pod-1/node-101/sys/ctx-[vxlan-5]", "topology/pod-*/node-*/sys/ctx-[vxlan-5]"],
		["topology/pod-12", "topology/pod-*"],
		[
			"uni/tn-a/ap-b/epg-c/rspathAtt-[topology/pod-1/paths-101/pathep-[eth1/1]]",
			"uni/tn-a/ap-b/epg-c/rspathAtt-[topology/pod-*/paths-*/pathep-[eth1/1]]",
		],
		["x/rs-[topology/pod-1/protpaths-101-102/pathep-[a]]", "x/rs-[topology/pod-*/protpaths-*/pathep-[a]]"],
		["uni/rsnodeAtt-[topology/pod-1/node-101]", "uni/rsnodeAtt-[topology/pod-*/node-*]"],
		["uni/infra/nprof-node-101", "uni/infra/nprof-node-101"],
		["uni/tn-node-1a/BD-pod-1", "uni/tn-node-1a/BD-pod-1"],
	])("%s is %s", (dn, name) => {
		expect(match.getKey(dn)).toBe(name);
	});
});

describe("beginnings", () => {
	test("of the model: relative names whose naming properties are all numbers of nodes or pods", () => {
		const found = compileNumberBeginnings([
			{ rnFormat: "extnode-{nodeId}", naming: ["nodeId"] },
			{ rnFormat: "lsnode-[{nodeId}]", naming: ["nodeId"] },
			{ rnFormat: "vpc-{nodeAId}-{nodeBId}", naming: ["nodeAId", "nodeBId"] },
			{ rnFormat: "port-{nodeId}-{name}", naming: ["nodeId", "name"] },
			{ rnFormat: "BD-{name}", naming: ["name"] },
			{ rnFormat: "sys", naming: [] },
			{ rnFormat: "{nodeId}", naming: ["nodeId"] },
		]);
		expect(found).toEqual(["extnode-", "lsnode-", "node-", "paths-", "pod-", "protpaths-", "vpc-"]);
		expect(createNameMatch(found).getKey("a/lsnode-[7]/vpc-1-2")).toBe("a/lsnode-*/vpc-*");
	});
});

describe("an attribute that says only where an object is", () => {
	test.each([
		["fvBD", "dn", null, null, true],
		["topSystem", "id", null, null, true],
		["fvBD", "id", '"1"', '"2"', false],
		["fvCEp", "nodeId", '"1"', '"2"', true],
		["fvRsPathAtt", "tDn", '"topology/pod-1/paths-1"', '"topology/pod-2/paths-3"', true],
		["fvRsPathAtt", "tDn", '"topology/pod-1/paths-1/a"', '"topology/pod-2/paths-3/b"', false],
		["fvBD", "descr", '"pod-1"', '"pod-2"', false],
		["fvBD", "mtu", '"1500"', '"9000"', false],
		["fvBD", "mtu", null, '"9000"', false],
	])("%s.%s from %s to %s: %s", (className, key, old, now, expected) => {
		expect(match.isPlace(className, key, old, now)).toBe(expected);
	});
});
