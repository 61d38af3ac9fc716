import { describe, expect, it } from "vitest";
import { buildFinding } from "./findings.ts";
import { buildFindingExpectations } from "./import-findings.ts";
import { FABRIC } from "./samples.fixture.ts";
import type { NewFinding } from "./types.ts";

const buildSample = (fields: Partial<NewFinding>): NewFinding =>
	buildFinding({
		class: "expected",
		severity: "warning",
		connection_id: FABRIC,
		item: 0,
		class_name: "fvBD",
		change: "added",
		...fields,
	});

describe("an import of findings of an earlier window", () => {
	it("replaces the numbers of nodes and pods in dns with wildcards", () => {
		const dns = [
			"uni/tn-prod/BD-web",
			"topology/pod-1/node-101/sys/phys-[eth1/7]",
			"uni/tn-a/ap-b/epg-c/rspathAtt-[topology/pod-1/protpaths-101-102/pathep-[pg]]",
		];
		const { expectations } = buildFindingExpectations(
			dns.map((dn) => buildSample({ dn })),
			"Lab.",
		);
		expect(expectations.map(({ dn }) => dn)).toEqual([
			"uni/tn-prod/BD-web",
			"topology/pod-*/node-*/sys/phys-[eth1/7]",
			"uni/tn-a/ap-b/epg-c/rspathAtt-[topology/pod-*/protpaths-*/pathep-[pg]]",
		]);
		expect(expectations[0]).toMatchObject({
			change: "added",
			class_name: "fvBD",
			source: "comparison",
			note: "Lab.",
			item: null,
			attributes: null,
		});
	});

	it("takes differences, expected or not, and leaves out classes that the plan did not judge", () => {
		const classes = ["expected", "undeclared", "minor", "allowed", "missing", "new", "same"] as const;
		const { expectations } = buildFindingExpectations(
			classes.map((name) => buildSample({ class: name, dn: `uni/${name}` })),
			"",
		);
		expect(expectations.map(({ dn }) => dn)).toEqual(["uni/expected", "uni/undeclared", "uni/minor"]);
	});

	it("expects the value after of a modified object, unless it names a node or was cut", () => {
		const attributes = [
			{ name: "arpFlood", before: "no", after: "yes" },
			{ name: "tDn", before: "", after: "topology/pod-1/node-101" },
			{ name: "descr", before: "", after: `${"x".repeat(500)}…` },
			{ name: "mac", before: "a", after: null },
		];
		const { expectations } = buildFindingExpectations(
			[buildSample({ dn: "uni/a", change: "modified", attributes })],
			"",
		);
		expect(expectations[0]?.attributes).toEqual({ arpFlood: { to: "yes" }, tDn: {}, descr: {}, mac: { to: null } });
	});

	it("joins objects with the same name, and expects any value where they differ", () => {
		const buildNode = (node: number, attributes: NewFinding["attributes"]) =>
			buildSample({ dn: `topology/pod-1/node-${node}/sys`, change: "modified", attributes });
		const { expectations } = buildFindingExpectations(
			[
				buildNode(101, [
					{ name: "version", before: "1", after: "2" },
					{ name: "descr", before: "1", after: "2" },
				]),
				buildNode(102, [
					{ name: "version", before: "1", after: "2" },
					{ name: "role", before: "1", after: "2" },
				]),
			],
			"",
		);
		expect(expectations).toMatchObject([
			{ dn: "topology/pod-*/node-*/sys", attributes: { version: { to: "2" }, descr: {}, role: {} } },
		]);
	});

	it("reports a finding whose dn has a wildcard as not understood", () => {
		expect(buildFindingExpectations([buildSample({ dn: "uni/tn-*" })], "").notUnderstood).toHaveLength(1);
	});
});
