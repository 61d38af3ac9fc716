import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { builtInClasses, findBuiltInFacts } from "./class-table.ts";
import { buildRn, createRnReader, getParentDn, isBelow, listAncestors, listNamingProperties, splitDn } from "./dn.ts";

const PATH = "uni/tn-a/ap-b/epg-c/rspathAtt-[topology/pod-1/paths-101/pathep-[eth1/1]]";

describe("a DN", () => {
	it("is split at its own slashes only", () => {
		expect(splitDn(PATH)).toEqual([
			"uni",
			"tn-a",
			"ap-b",
			"epg-c",
			"rspathAtt-[topology/pod-1/paths-101/pathep-[eth1/1]]",
		]);
		expect(getParentDn(PATH)).toBe("uni/tn-a/ap-b/epg-c");
		expect(getParentDn("uni")).toBeUndefined();
		expect(listAncestors("uni/tn-a/BD-b")).toEqual(["uni", "uni/tn-a"]);
	});

	it("knows what is below what", () => {
		expect(isBelow(PATH, "uni/tn-a")).toBe(true);
		expect(isBelow(PATH, PATH)).toBe(false);
		expect(isBelow("uni/tn-ab/BD-c", "uni/tn-a")).toBe(false);
		expect(isBelow(PATH, "uni/tn-a/ap-b/epg-c/rspathAtt-[topology/pod-1")).toBe(false);
	});

	const built: [string, Record<string, string>, string | undefined][] = [
		["tn-{name}", { name: "a" }, "tn-a"],
		["tn-{name}", { name: "a/b" }, undefined],
		["tn-{name}", { name: "" }, undefined],
		["tn-{name}", {}, undefined],
		["subnet-[{ip}]", { ip: "10.0.0.1/24" }, "subnet-[10.0.0.1/24]"],
		["rspathAtt-[{tDn}]", { tDn: "topology/pathep-[eth1/1]" }, "rspathAtt-[topology/pathep-[eth1/1]]"],
		["rspathAtt-[{tDn}]", { tDn: "a]b" }, undefined],
		["rspathAtt-[{tDn}]", { tDn: "a/../../b" }, undefined],
		["rspathAtt-[{tDn}]", { tDn: "a//b" }, undefined],
		["vlanns-[{name}]-{allocMode}", { name: "v", allocMode: "static" }, "vlanns-[v]-static"],
		["uni", {}, "uni"],
	];
	it.each(built)("is built from %s and %j", (format, values, expected) => {
		expect(buildRn(format, new Map(Object.entries(values)))).toBe(expected);
	});

	it("is read back as it was built, for every class of the table", () => {
		const value = fc.string({ unit: fc.constantFrom(..."abc019.:_-".split("")), minLength: 1, maxLength: 6 });
		fc.assert(
			fc.property(
				fc.constantFrom(...builtInClasses),
				fc.array(value, { minLength: 3, maxLength: 3 }),
				(name, values) => {
					const format = findBuiltInFacts(name)?.rnFormat ?? "";
					const naming = new Map(listNamingProperties(format).map((property, i) => [property, values[i] ?? "a"]));
					const rn = buildRn(format, naming) ?? "";
					const read = createRnReader(format)(rn);
					if (naming.size < 2) expect(read).toEqual(naming);
					else expect(buildRn(format, read ?? new Map())).toBe(rn);
				},
			),
		);
	});

	it("has values that end at the bracket that closes them", () => {
		const read = (format: string, rn: string) => Object.fromEntries(createRnReader(format)(rn) ?? []);
		expect(read("from-[{from}]-to-[{to}]", "from-[vlan-100]-to-[vlan-110]")).toEqual({
			from: "vlan-100",
			to: "vlan-110",
		});
		expect(read("x-[{a}]-[{b}]", "x-[p]-[q-[r]-[s]]")).toEqual({ a: "p", b: "q-[r]-[s]" });
		expect(read("x-[{a}]-[{b}]", "x-[p-[q]-[r]]-[s]")).toEqual({ a: "p-[q]-[r]", b: "s" });
		expect(createRnReader("x-[{a}]")("x-[p]-[q]")).toBeUndefined();
		expect(read("h-{a}-typ-{b}", "h-p-typ-q-typ-r")).toEqual({ a: "p-typ-q", b: "r" });
	});

	it("is never split so that its parts do not join again", () => {
		const scrap = fc.string({ unit: fc.constantFrom("a", "/", "[", "]", "-"), maxLength: 20 });
		fc.assert(
			fc.property(scrap, (dn) => {
				expect(splitDn(dn).join("/")).toBe(dn);
			}),
		);
	});
});
