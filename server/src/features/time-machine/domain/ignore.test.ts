import { expect, test } from "vitest";
import { createIgnore } from "./ignore.ts";
import { toByteString } from "./json-text.ts";

test("nothing is ignored unless it is asked for", () => {
	expect(createIgnore({ names: [], volatile: false })).toBeNull();
});

test("names are of every class, or of one", () => {
	const ignore = createIgnore({ names: ["descr", "fvBD.mac", "fvCtx.größe"], volatile: false });
	expect(ignore?.("fvAEPg", "descr")).toBe(true);
	expect(ignore?.("fvBD", "mac")).toBe(true);
	expect(ignore?.("fvCtx", "mac")).toBe(false);
	expect(ignore?.("fvCtx", toByteString("größe"))).toBe(true);
	expect(ignore?.("topSystem", "modTs")).toBe(false);
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
	["fvBD", "mac", false],
	["fvAEPg", "name", false],
])("volatile: of %j, %j: %j", (className, key, expected) => {
	expect(createIgnore({ names: [], volatile: true })?.(className, key)).toBe(expected);
});
