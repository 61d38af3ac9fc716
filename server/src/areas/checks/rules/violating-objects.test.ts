import type { CheckRule } from "@weft/contracts";
import { expect, it } from "vitest";
import { listViolatingFields } from "./violating-objects.ts";

const MTU = { field: "mtu", operator: "eq", value: "9000" };
const STATE = { field: "operSt", operator: "eq", value: "up" };
const buildRule = (type: string, config: object) => ({ type, config }) as unknown as CheckRule;
const PORT = { ethpmPhysIf: { attributes: { dn: "d1", mtu: "9000", operSt: "down" } } };

it.each([
	[
		"the field of the condition that does not hold, of several",
		buildRule("each_row", { conditions: [MTU, STATE], match: "all" }),
		PORT,
		["operSt"],
	],
	[
		"the fields of all conditions if one of them would suffice",
		buildRule("each_row", { conditions: [{ ...MTU, value: "1" }, STATE], match: "any" }),
		PORT,
		["mtu", "operSt"],
	],
	["no field if the row is the violation", buildRule("no_rows", {}), PORT, []],
	[
		"the fields that must be unique",
		buildRule("unique", { fields: ["name", "ip"] }),
		{ name: "a", ip: "b" },
		["name", "ip"],
	],
	[
		"the count of a violating group",
		buildRule("row_count", { group_by: ["tenant"] }),
		{ tenant: "a", count: 3 },
		["count"],
	],
])("names %s as violating", (_, rule, row, expected) => {
	expect(listViolatingFields(rule, row)).toEqual(expected);
});
