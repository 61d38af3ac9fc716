/**
 * The built-in facts against the recorded class graph of release 6.0(9c), which lives outside the
 * project.
 */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { builtInClasses, findBuiltInFacts, withBuiltIns } from "./class-table.ts";
import { listNamingProperties, splitRnParts } from "./dn.ts";

const RECORDED = new URL(
	"../../../../../../../shared/data/controller/derived/class-graph-6.0_9c.jsonl",
	import.meta.url,
);

interface Recorded {
	class: string;
	rn_format: string;
	/** A list, or an object whose keys are the classes. */
	contains?: string[] | Record<string, unknown>;
	properties: Record<string, { name: string }>;
}

describe("the built-in class table", () => {
	it("names containers that it knows itself, or leaves them open", () => {
		const strangers = builtInClasses
			.flatMap((name) => findBuiltInFacts(name)?.parents ?? [])
			.filter((parent) => !findBuiltInFacts(parent));
		expect([...new Set(strangers)].sort()).toEqual(["infraProvAcc", "infraSHPortS", "l3extFabricExtRoutingP"]);
	});

	it("gives way to a loaded model", () => {
		const model = withBuiltIns((name) => (name === "fvBD" ? { rnFormat: "bd-{id}" } : undefined));
		expect(model("fvBD")?.rnFormat).toBe("bd-{id}");
		expect(model("fvCtx")?.rnFormat).toBe("ctx-{name}");
		expect(model("fvNope")).toBeUndefined();
	});

	it.skipIf(!existsSync(RECORDED))("agrees with the recorded class graph (skipped where that is absent)", () => {
		const classes = new Map(
			readFileSync(RECORDED, "utf8")
				.split("\n")
				.filter((line) => line !== "")
				.map((line) => JSON.parse(line) as Recorded)
				.map((entry) => [entry.class, entry]),
		);
		const containers = new Map<string, string[]>();
		for (const { class: name, contains } of classes.values()) {
			for (const child of Array.isArray(contains) ? contains : Object.keys(contains ?? {}))
				containers.set(child, [...(containers.get(child) ?? []), name]);
		}
		let compared = 0;
		for (const name of builtInClasses) {
			const facts = findBuiltInFacts(name);
			const recorded = classes.get(name);
			if (!facts || !recorded) continue;
			compared += 1;
			const fixed = (format: string) =>
				splitRnParts(format).map(({ text, property }) => (property === undefined ? text : "{}"));
			expect([name, fixed(facts.rnFormat)]).toEqual([name, fixed(recorded.rn_format)]);
			for (const property of listNamingProperties(facts.rnFormat)) {
				if (name !== "vnsLDevCtx" && name !== "vnsLIfCtx") expect(Object.keys(recorded.properties)).toContain(property);
			}
			const above = containers.get(name)?.filter((parent) => parent !== "topRoot");
			if (facts.parents && facts.parents.length > 0 && above)
				expect([name, [...facts.parents].sort()]).toEqual([name, above.sort()]);
		}
		expect(compared).toBeGreaterThan(80);
	});
});
