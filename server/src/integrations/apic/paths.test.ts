import { describe, expect, test } from "vitest";
import { listOptionValues, requireSafePath, splitPath } from "./paths.ts";
import { MAX_CONTROLLER_PATH_BYTES } from "./port.ts";
import { ControllerError } from "./port-error.ts";

describe("a path is refused", () => {
	test.each([
		["absolute URL", "https://elsewhere/api/class/fvBD.json"],
		["network path", "//elsewhere/api/class/fvBD.json"],
		["other root", "/admin/api/"],
		["no slash", "api/class/fvBD.json"],
		["parent segment", "/api/../admin"],
		["encoded parent segment", "/api/%2e%2e/admin"],
		["parent segment behind an encoded slash", "/api/mo%2f..%2fadmin"],
		["own segment", "/api/./class/fvBD.json"],
		["backslash", "/api/\\..\\admin"],
		["line break", "/api/class/fvBD.json\r\nHost: elsewhere"],
		["null", "/api/class/fvBD.json\u0000"],
		["delete", "/api/class/fvBD.json\u007f"],
		["fragment", "/api/class/fvBD.json#x"],
	])("%s", (_, path) => {
		expect(() => requireSafePath(path)).toThrow(ControllerError);
		expect(() => requireSafePath(path)).toThrow(expect.objectContaining({ kind: "invalid" }));
	});
});

describe("a path is sent", () => {
	test.each([
		["as it is", "/api/class/fvBD.json?page=0", "/api/class/fvBD.json?page=0"],
		[
			"with brackets",
			"/api/mo/uni/tn-t/BD-b/subnet-[10.0.0.1/24].json",
			"/api/mo/uni/tn-t/BD-b/subnet-[10.0.0.1/24].json",
		],
		["with what is encoded already", "/api/class/fvBD.json?x=%22a%7C", "/api/class/fvBD.json?x=%22a%7C"],
		[
			"with quotes encoded",
			'/api/class/fvBD.json?f=eq(fvBD.name,"a b")',
			"/api/class/fvBD.json?f=eq(fvBD.name,%22a%20b%22)",
		],
		[
			"with a pipe encoded",
			"/api/class/fvBD.json?order-by=fvBD.name|desc",
			"/api/class/fvBD.json?order-by=fvBD.name%7Cdesc",
		],
		["with other scripts encoded", "/api/class/fvBD.json?x=é", "/api/class/fvBD.json?x=%C3%A9"],
		["with half a surrogate", "/api/class/fvBD.json?x=\ud800", "/api/class/fvBD.json?x=%EF%BF%BD"],
		[
			"with dots in a value",
			'/api/class/fvBD.json?f=wcard(fvBD.name,"..")',
			"/api/class/fvBD.json?f=wcard(fvBD.name,%22..%22)",
		],
	])("%s", (_, path, sent) => {
		expect(requireSafePath(path)).toBe(sent);
	});
});

test("request lines are bounded", () => {
	const longest = "/api/class/fvBD.json?x=".padEnd(MAX_CONTROLLER_PATH_BYTES, "a");
	expect(requireSafePath(longest)).toBe(longest);
	expect(() => requireSafePath(`${longest}a`)).toThrow(expect.objectContaining({ kind: "limit" }));
});

test("options may repeat, hold lists and broken encodings", () => {
	const path = splitPath("/api/x.json?a=1,2&b=%zz&a=3&flag&");
	expect(listOptionValues(path, "a")).toEqual(["1", "2", "3"]);
	expect(listOptionValues(path, "b")).toEqual(["%zz"]);
	expect(listOptionValues(path, "flag")).toEqual([]);
});
