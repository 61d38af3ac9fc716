import { describe, expect, it } from "vitest";
import { ImportError } from "./import-result.ts";
import { importYaml } from "./import-yaml.ts";

describe("an import of YAML", () => {
	it("takes the names of the API, and reads values of attributes as text", () => {
		const { expectations, notUnderstood } = importYaml(`
- change: added
  class_name: fvBD
  dn: uni/tn-prod/BD-web*
  count: { min: 2, max: 2 }
- dn: { regex: "uni/tn-[a-z]+/.*" }
  required: false
- change: modified
  dn: uni/tn-prod/BD-db
  attributes:
    arpFlood: { from: no, to: yes }
    mtu: { to: 9000 }
    descr:
`);
		expect(notUnderstood).toEqual([]);
		expect(expectations).toMatchObject([
			{ change: "added", class_name: "fvBD", dn: "uni/tn-prod/BD-web*", count: { min: 2, max: 2 }, source: "manual" },
			{ change: "any", dn: { regex: "uni/tn-[a-z]+/.*" }, required: false },
			{ attributes: { arpFlood: { from: "no", to: "yes" }, mtu: { to: "9000" }, descr: {} } },
		]);
	});

	it("names entries that are not understood, and takes the others", () => {
		const { expectations, notUnderstood } = importYaml(
			"- dn: uni/a\n- dn: uni/b\n  chnage: added\n- uni/c\n- change: added\n",
		);
		expect(expectations).toHaveLength(1);
		expect(notUnderstood.map(({ what }) => what)).toEqual(["Entry 2", "Entry 3", "Entry 4"]);
		expect(notUnderstood[0]?.reason).toContain("chnage");
	});

	it.each([
		["a text that is no list", "dn: uni/a"],
		["broken YAML", "- dn: [uni/a"],
		["an empty text", ""],
		["a list with too many entries", "- dn: a\n".repeat(1_001)],
		["a text that is too long", `# ${"x".repeat(2_100_000)}\n- dn: a`],
		["a list with aliases", "- &a {dn: uni/a}\n- *a\n"],
	])("refuses %s", (_what, content) => {
		expect(() => importYaml(content)).toThrow(ImportError);
	});
});
