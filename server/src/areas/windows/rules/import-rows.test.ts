import { type RowExpectation, rowExpectation } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import { buildRowExpectations } from "./import-rows.ts";

const BD = rowExpectation.parse({ change: "added", class_name: "fvBD", dn: "uni/tn-{tenant}/BD-{name}" });

describe("an import of approved rows", () => {
	it("builds an expectation for each row and template", () => {
		const subnet = rowExpectation.parse({ change: "added", dn: "uni/tn-{tenant}/BD-{name}/subnet-[{ip}]" });
		const rows = [
			{ tenant: "prod", name: "web", ip: "10.0.0.1/24", vlan: 7 },
			{ tenant: "prod", name: " db ", ip: "10.0.1.1/24" },
		];
		const { expectations, notUnderstood } = buildRowExpectations([BD, subnet], rows);
		expect(notUnderstood).toEqual([]);
		expect(expectations.map(({ dn }) => dn)).toEqual([
			"uni/tn-prod/BD-web",
			"uni/tn-prod/BD-web/subnet-[10.0.0.1/24]",
			"uni/tn-prod/BD-db",
			"uni/tn-prod/BD-db/subnet-[10.0.1.1/24]",
		]);
		expect(expectations[0]).toMatchObject({
			change: "added",
			class_name: "fvBD",
			source: "request",
			required: true,
			note: "Row 1.",
			item: null,
			connection_ids: null,
		});
	});

	it.each([
		["a missing value", { tenant: "prod" }, "The value of name is missing."],
		["an empty value", { tenant: "prod", name: " " }, "The value of name is missing."],
		["a value that is no text", { tenant: "prod", name: ["a"] }, "The value of name is missing."],
		["a wildcard", { tenant: "prod", name: "*" }, "The value of name has a *, which would stand for any characters."],
		[
			"a value with another object's name",
			{ tenant: "prod/BD-a", name: "b" },
			"The values do not fit uni/tn-{tenant}/BD-{name}: outside of brackets they must have no / [ or ].",
		],
	])("refuses a row with %s", (_what, row, reason) => {
		expect(buildRowExpectations([BD], [row])).toEqual({
			expectations: [],
			notUnderstood: [{ what: "Row 1", reason }],
		});
	});

	it("fills attributes with the values of the row", () => {
		const template: RowExpectation = {
			...BD,
			change: "modified",
			attributes: { descr: { to: "Rack {rack}" }, arpFlood: { from: "no", to: "yes" }, mac: {} },
		};
		expect(buildRowExpectations([template], [{ tenant: "a", name: "b", rack: 7 }]).expectations[0]?.attributes).toEqual(
			{
				descr: { to: "Rack 7" },
				arpFlood: { from: "no", to: "yes" },
				mac: {},
			},
		);
	});

	it("joins equal rows", () => {
		const row = { tenant: "prod", name: "web" };
		expect(buildRowExpectations([BD], [row, row]).expectations).toHaveLength(1);
	});
});
