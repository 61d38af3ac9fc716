import { expect, test } from "vitest";
import { createIgnore } from "./ignore.ts";
import { toByteString } from "./json-text.ts";

test("nothing is ignored unless it is asked for", () => {
	expect(createIgnore({ names: [], volatile: false, identity: false, rules: null })).toBeNull();
});

test("names are of every class, or of one", () => {
	const ignore = createIgnore({
		names: ["descr", "fvBD.mac", "fvCtx.größe"],
		volatile: false,
		identity: false,
		rules: null,
	});
	expect(ignore?.("fvAEPg", "descr", null, null)).toBe(true);
	expect(ignore?.("fvBD", "mac", null, null)).toBe(true);
	expect(ignore?.("fvCtx", "mac", null, null)).toBe(false);
	expect(ignore?.("fvCtx", toByteString("größe"), null, null)).toBe(true);
	expect(ignore?.("topSystem", "modTs", null, null)).toBe(false);
});

test.each([
	["fvBD", "uid", true],
	["fvSubnet", "uid", true],
	["fvBD", "scope", true],
	["fvSubnet", "scope", false],
	["vzBrCP", "scope", false],
	["topSystem", "serial", true],
	["eqptPsu", "serial", false],
	["fvBD", "modTs", false],
	["", "pcTag", true],
])("ignores identity attributes: %j.%j is %j", (className, key, expected) => {
	const ignore = createIgnore({ names: [], volatile: false, identity: true, rules: null });
	expect(ignore?.(className, key, null, null)).toBe(expected);
});

test.each([
	["fvBD", "modTs", true],
	["", "modTs", true],
	["topSystem", "currentTime", true],
	["fabricNode", "currentTime", false],
	["fabricNode", "lastStateModTs", false],
	["faultInst", "occur", false],
	["ethpmPhysIf", "lastLinkStChg", false],
	["eqptIngrTotal5min", "bytesLast", true],
	["eqptIngrTotalHist1year", "anything", true],
	["rmonIfIn", "octets", true],
	["ndIfStats", "rcvd", true],
	["eqptStorage", "used", true],
	["eqptStorage", "mount", false],
	["healthInst", "cur", false],
	["healthInst", "prev", true],
	["healthInst", "chng", true],
	["faultInst", "prev", false],
	["fvBD", "mac", false],
	["fvAEPg", "name", false],
])("ignores volatile attributes: %j.%j is %j", (className, key, expected) => {
	expect(createIgnore({ names: [], volatile: true, identity: false, rules: null })?.(className, key, null, null)).toBe(
		expected,
	);
});

test.each([
	["ctrl", '"nd,querier"', '"querier,nd"', true],
	["ctrl", '"a,b,c"', '"c,a,b"', true],
	["ctrl", '"a,a,b"', '"a,b,b"', false],
	["ctrl", '"nd,querier"', '"querier,no"', false],
	["ctrl", '"nd"', '"nd"', false],
	["ctrl", null, '"nd,querier"', false],
	["descr", '"red,green"', '"green,red"', false],
	["note", '"red, green"', '"green, red"', false],
	["list", '["a","b"]', '["b","a"]', false],
])("ignores the order of flags: %s from %s to %s is %j", (key, old, now, expected) => {
	expect(createIgnore({ names: [], volatile: true, identity: false, rules: null })?.("fvSubnet", key, old, now)).toBe(
		expected,
	);
	expect(
		createIgnore({ names: ["other"], volatile: false, identity: false, rules: null })?.("fvSubnet", key, old, now),
	).toBe(false);
});
