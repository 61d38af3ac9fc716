import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { buildRn, getParentDn, isWithin, matchRn, parseRnFormat, splitDn } from "./dn.ts";

describe("splitDn", () => {
	it.each([
		["", []],
		["uni", ["uni"]],
		["uni/tn-a/BD-b", ["uni", "tn-a", "BD-b"]],
		["uni/tn-a/BD-b/subnet-[10.0.0.1/24]", ["uni", "tn-a", "BD-b", "subnet-[10.0.0.1/24]"]],
		["uni/epp/fv-[uni/tn-a/ap-[x/[y/z]]]/node-1", ["uni", "epp", "fv-[uni/tn-a/ap-[x/[y/z]]]", "node-1"]],
		["uni/tn-[", null],
		["uni/]tn-[", null],
		["/uni", null],
		["uni/", null],
		["uni//tn-a", null],
	])("splits %s at slashes outside brackets", (dn, rns) => {
		expect(splitDn(dn)).toEqual(rns);
	});

	it("splits a DN into RNs of any nesting, and finds its parent", () => {
		const plain = fc.stringMatching(/^[a-z][a-z0-9.:-]{0,8}$/);
		const rn = fc.letrec<{ rn: string }>((tie) => ({
			rn: fc.oneof(
				{ depthSize: "small" },
				plain,
				fc
					.tuple(plain, fc.array(tie("rn"), { minLength: 1, maxLength: 3 }))
					.map(([prefix, inner]) => `${prefix}-[${inner.join("/")}]`),
			),
		})).rn;
		fc.assert(
			fc.property(fc.array(rn, { minLength: 1, maxLength: 6 }), (rns) => {
				expect(splitDn(rns.join("/"))).toEqual(rns);
				expect(getParentDn(rns.join("/"))).toBe(rns.slice(0, -1).join("/"));
			}),
		);
	});
});

describe("RN formats", () => {
	it.each([
		["hports-{name}-typ-{type}", { name: "ports-1", type: "range" }, "hports-ports-1-typ-range"],
		["from-[{from}]-to-[{to}]", { from: "vlan-1", to: "vlan-9" }, "from-[vlan-1]-to-[vlan-9]"],
		["fd-[{affected}]-fault-{code}", { affected: "uni/tn-a", code: "F1" }, "fd-[uni/tn-a]-fault-F1"],
		["rsctx", {}, "rsctx"],
	])("%s is built and read back", (format, values: Record<string, string>, rn) => {
		const parsed = parseRnFormat(format);
		expect(buildRn(parsed, (prop) => values[prop])).toBe(rn);
		expect(Object.fromEntries(matchRn(parsed, rn) ?? [])).toEqual(values);
	});

	it("are not built without a value, nor matched by other RNs", () => {
		expect(buildRn(parseRnFormat("tn-{name}"), () => "")).toBeNull();
		expect(buildRn(parseRnFormat("tn-{name}"), () => undefined)).toBeNull();
		expect(matchRn(parseRnFormat("tn-{name}"), "BD-x")).toBeNull();
	});
});

it("a DN is within itself and its ancestors, not within names that merely begin alike", () => {
	expect(isWithin("uni/tn-a/BD-b", "uni/tn-a")).toBe(true);
	expect(isWithin("uni/tn-a", "uni/tn-a")).toBe(true);
	expect(isWithin("uni/tn-ab", "uni/tn-a")).toBe(false);
});
