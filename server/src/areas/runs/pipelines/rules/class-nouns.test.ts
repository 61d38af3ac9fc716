import { expect, it } from "vitest";
import { getClassNoun, getSingularNoun } from "./class-nouns.ts";

it.each([
	["fvTenant", "tenants", "tenant"],
	["fvCtx", "VRFs", "VRF"],
	["fvIp", "endpoint addresses", "endpoint address"],
	["vzEntry", "filter entries", "filter entry"],
	["fvnsEncapBlk", "VLAN ranges", "VLAN range"],
	["topSystem", "node systems", "node system"],
	["l3extOut", "L3Outs", "L3Out"],
	["fooBar", "fooBar objects", "fooBar"],
])("names objects of %s in the plural and in the singular", (className, plural, singular) => {
	expect(getClassNoun(className)).toBe(plural);
	expect(getSingularNoun(className)).toBe(singular);
});
