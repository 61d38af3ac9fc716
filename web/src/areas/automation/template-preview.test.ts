import { COLUMN_TYPES } from "@weft/contracts/browser";
import { describe, expect, it } from "vitest";
import { describeType } from "./column-types.ts";
import { buildJobVariables, buildSample } from "./template-preview.ts";

const template = {
	schema: [
		{ name: "tenant", field_type: "text" as const, default: "shop" },
		{ name: "vlan", field_type: "vlan" as const, min: 7 },
		{ name: "env", field_type: "enum" as const, choices: ["prod", "test"] },
		{ name: "note", field_type: "text" as const, send: false },
	],
	sheets: [],
	variable_mappings: { site: "east" },
};

describe("the preview of a template", () => {
	it("previews the constants, one row of the columns that are sent, and the variables of every job", () => {
		expect(buildJobVariables(template, "ada")).toEqual({
			site: "east",
			rows: [{ tenant: "shop", vlan: 7, env: "prod" }],
			request_id: "…",
			requested_by: "ada",
			dry_run: false,
		});
	});

	it("previews a variable for each sheet", () => {
		const sheets = [{ name: "Ports", variable: "ports", columns: [{ name: "port", field_type: "number" as const }] }];
		const variables = buildJobVariables({ ...template, schema: [], sheets }, "ada");
		expect(variables).toMatchObject({ ports: [{ port: 1 }] });
		expect(variables).not.toHaveProperty("rows");
	});

	it("never shows the default of a column with passwords", () => {
		expect(buildSample({ name: "key", field_type: "password", default: "secret" })).not.toContain("secret");
	});

	it("shows several choices as a list", () => {
		const column = { name: "zones", field_type: "multi_enum" as const, choices: ["a", "b", "c"] };
		expect(buildSample(column)).toEqual(["a, b", ["a", "b"]]);
	});

	it.each(COLUMN_TYPES)("names the type %s in words", (type) => {
		expect(describeType(type)).toMatch(/^[A-Z]/);
	});

	it("names an unknown type unchanged", () => {
		expect(describeType("colour")).toBe("colour");
	});
});
