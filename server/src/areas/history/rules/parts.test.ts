import { describe, expect, test } from "vitest";
import { getNaming, getParts } from "./parts.ts";

const toJsonText = (value: string | null) => (value === null ? null : JSON.stringify(value));

describe("parts of a value", () => {
	test.each([
		["scope", "public", "private,shared", "list", ["private", "shared"], ["public"]],
		["ctrl", "", "no-default-gateway", "list", ["no-default-gateway"], []],
		["userCfgdFlags", "a,b", "b,a", "list", [], []],
		["usage", "controller,epg,infra", "epg", "list", [], ["controller", "infra"]],
		["operVlans", "1-10,20", "1-10,30", "list", ["30"], ["20"]],
		["anything", "10.0.0.1,10.0.0.2", "10.0.0.1", "list", [], ["10.0.0.2"]],
		["tDn", "uni/tn-a/ctx-x", "uni/tn-a/ctx-y", "reference", ["uni/tn-a/ctx-y"], ["uni/tn-a/ctx-x"]],
		["tnFvCtxName", null, "prod", "reference", ["prod"], []],
		["bdDn", "uni/tn-a/BD-[x,y]", null, "reference", [], ["uni/tn-a/BD-[x,y]"]],
	] as const)("%s from %j to %j", (name, old, now, kind, added, removed) => {
		expect(getParts(getNaming(name), toJsonText(old), toJsonText(now))).toEqual({ kind, added, removed });
	});

	test.each([
		["descr", "a,b", "a"],
		["name", "a,b", "c,d"],
		["dn", "a", "b"],
		["state", "up", "down"],
		["note", "see the ticket, please", "a,b"],
		["scope", "two words", "a"],
	])("none of %s from %j to %j", (name, old, now) => {
		expect(getParts(getNaming(name), toJsonText(old), toJsonText(now))).toBeNull();
	});

	test("none of what is no string", () => {
		expect(getParts(getNaming("scope"), "5", "[1,2]")).toBeNull();
		expect(getParts(getNaming("scope"), "null", '"a"')).toEqual({ kind: "list", added: ["a"], removed: [] });
	});
});
