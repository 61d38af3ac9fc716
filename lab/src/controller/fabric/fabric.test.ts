import { describe, expect, it } from "vitest";
import { splitDn } from "../dn.ts";
import { createRegistry } from "../model/registry.ts";
import { normalizeValue } from "../query/values.ts";
import { getDn, type Mo, readValue } from "../store/mo.ts";
import { createStore } from "../store/store.ts";
import { openText } from "../store/text.ts";
import { startTestClient } from "../testing.ts";
import { buildFabric } from "./fabric.ts";
import type { FabricSize } from "./sizes.ts";

function buildTestFabric(size: FabricSize, seed: number) {
	const store = createStore();
	const registry = createRegistry();
	buildFabric(store, registry, { size, seed, members: 1, fabric: 1 });
	/** Every object, in an order that does not depend on how they were made. */
	const all = (): Mo[] =>
		[...registry.classes.values()].flatMap((cls) => (cls.abstract ? [] : store.ofClassByDn(cls.name)));
	return { store, registry, all };
}

const formatObjects = (mos: readonly Mo[]) => mos.map((mo) => openText(mo, "top", "all")).join("\n");

describe("the generated fabric", () => {
	it("is the same for the same seed and another for another", () => {
		const one = formatObjects(buildTestFabric("small", 7).all());
		expect(formatObjects(buildTestFabric("small", 7).all())).toBe(one);
		expect(formatObjects(buildTestFabric("small", 8).all())).not.toBe(one);
	});

	it.each([
		["small", 1600, 2600],
		["medium", 40_000, 65_000],
		["large", 450_000, 550_000],
	] as const)("of size %s has between %d and %d objects", (size, least, most) => {
		const { store } = buildTestFabric(size, 1);
		expect(store.size()).toBeGreaterThanOrEqual(least);
		expect(store.size()).toBeLessThanOrEqual(most);
		if (size === "large") expect(store.ofClass("fvRsPathAtt").length).toBeGreaterThan(100_000);
	});

	it("has objects of the size real ones have", () => {
		const all = buildTestFabric("medium", 1).all();
		const mean = formatObjects(all).length / all.length;
		expect(mean).toBeGreaterThan(500);
		expect(mean).toBeLessThan(720);
	});

	it("names every object once, by names that split and are found again", () => {
		const made = buildTestFabric("small", 3);
		const { store } = made;
		const all = made.all();
		expect(new Set(all.map(getDn)).size).toBe(all.length);
		for (const mo of all) {
			expect(splitDn(getDn(mo))?.at(-1)).toBe(mo.rn);
			expect(store.get(getDn(mo))).toBe(mo);
		}
	});

	it("has only values that their types allow", () => {
		for (const mo of buildTestFabric("small", 4).all()) {
			for (const prop of mo.shape.cls?.props.values() ?? []) {
				const value = readValue(mo, prop.name) ?? "";
				const unset = value === "" || (prop.type.kind === "number" && value === "any");
				if (!unset)
					expect(`${prop.name}=${normalizeValue(prop.type, value)} (${mo.shape.cls?.name})`).toBe(
						`${prop.name}=${value} (${mo.shape.cls?.name})`,
					);
			}
		}
	});

	it("names its objects by their classes' RN formats", () => {
		for (const mo of buildTestFabric("small", 5).all()) {
			const format = mo.shape.cls?.rn;
			expect(format?.pattern.test(mo.rn), `${mo.rn} of ${format?.text}`).toBe(true);
			const found = format?.pattern.exec(mo.rn) ?? [];
			for (const [at, prop] of (format?.props ?? []).entries()) expect(found[at + 1]).toBe(readValue(mo, prop));
		}
	});

	it("relations lead to objects that are there, with the way back", () => {
		const { store } = buildTestFabric("small", 6);
		for (const cls of ["fvRsBd", "fvRsCtx", "fvRsCons", "fvRsProv", "vzRsSubjFiltAtt", "l3extRsEctx"]) {
			for (const mo of store.ofClass(cls)) expect(store.get(readValue(mo, "tDn") ?? ""), getDn(mo)).toBeDefined();
		}
		for (const cls of ["fvRtBd", "fvRtCtx", "vzRtCons", "vzRtProv", "fvRtEctx"]) {
			for (const mo of store.ofClass(cls)) expect(store.get(readValue(mo, "tDn") ?? ""), getDn(mo)).toBeDefined();
		}
	});
});

it("the same requests in the same order get the same answers, random order included", async () => {
	const ask = async (seed: number) => {
		const client = await startTestClient({ seed, now: () => Date.UTC(2026, 5, 1) });
		client.controller.advance({ steps: 2, change_rate: 0.1 });
		const answers: string[] = [];
		for (const path of [
			"/api/class/fvCEp.json",
			"/api/class/fvCEp.json?page=1&page-size=10",
			"/api/mo/uni/tn-Retail-01.json?query-target=subtree",
			"/api/class/aaaModLR.json",
		]) {
			answers.push((await client.get(path)).text);
		}
		await client.close();
		return answers;
	};
	expect(await ask(5)).toEqual(await ask(5));
	expect(await ask(5)).not.toEqual(await ask(6));
});
