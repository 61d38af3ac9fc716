import { changePlanCreateBody, WINDOW_LIMITS } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import { CHECK_TEMPLATES } from "../../../checks/rules/library/index.ts";
import { PLAN_TEMPLATES } from "./index.ts";

const ID = "33333333-3333-4333-8333-333333333333";

describe("the change plans that ship", () => {
	it("use unique keys and names", () => {
		const keys = PLAN_TEMPLATES.map(({ key }) => key);
		expect(keys).toEqual([
			"upgrade-fabric",
			"replace-leaf",
			"change-tenant",
			"change-l3out",
			"change-contracts",
			"change-vmm-domain",
		]);
		expect(new Set(PLAN_TEMPLATES.map(({ name }) => name)).size).toBe(keys.length);
	});

	it.each(PLAN_TEMPLATES.map((template) => [template.key, template] as const))(
		"make a valid plan: %s",
		(_key, { name, description, items, settle, gate }) => {
			const plan = changePlanCreateBody.parse({
				name,
				description,
				items: items.map((item) => ("check" in item ? { ...item, check: ID } : { ...item, query: ID })),
				settle,
				gate,
			});
			expect(plan.items).toHaveLength(items.length);
			expect(items.length).toBeLessThanOrEqual(WINDOW_LIMITS.items);
			expect(settle.timeout_s / settle.interval_s).toBeLessThanOrEqual(WINDOW_LIMITS.rounds);
		},
	);

	it("use checks of the library, each once in a plan", () => {
		const known = new Set(CHECK_TEMPLATES.map(({ key }) => key));
		for (const { items } of PLAN_TEMPLATES) {
			const keys = items.flatMap((item) => ("check" in item ? [item.check] : []));
			expect(keys.filter((key) => !known.has(key))).toEqual([]);
			expect(new Set(keys).size).toBe(keys.length);
		}
	});

	it("use one query for each name, each once in a plan", () => {
		const byName = new Map<string, string>();
		for (const { items } of PLAN_TEMPLATES) {
			const queries = items.flatMap((item) => ("query" in item ? [item.query] : []));
			expect(new Set(queries.map(({ name }) => name)).size).toBe(queries.length);
			for (const query of queries) {
				const text = JSON.stringify(query);
				expect(byName.get(query.name) ?? text).toBe(text);
				byName.set(query.name, text);
			}
		}
		expect(byName.size).toBeGreaterThan(25);
	});

	it("compare faults and let them settle", () => {
		for (const { items } of PLAN_TEMPLATES)
			expect(items.some((item) => "query" in item && item.unsettled_when !== undefined)).toBe(true);
	});
});
