/** The library of checks: each query runs, and each check tells a right fabric from a wrong one. */
import { checkConfigs } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import { evaluateRules, type RowRule } from "../../src/areas/checks/rules/evaluate.ts";
import { CHECK_TEMPLATES } from "../../src/areas/checks/rules/library/index.ts";
import { QUERIES } from "../support/canvases.ts";
import { useRuns } from "../support/runs.ts";
import { FIXTURES } from "./library-fixtures.ts";

const runs = useRuns({ lab: { size: "empty" } });

describe("the library", () => {
	it("has at least 30 checks with keys, names, descriptions, sources and fixtures", () => {
		const keys = CHECK_TEMPLATES.map(({ key }) => key);
		expect(keys.length).toBeGreaterThanOrEqual(30);
		expect(new Set(keys).size).toBe(keys.length);
		expect(new Set(CHECK_TEMPLATES.map(({ name }) => name)).size).toBe(keys.length);
		expect(Object.keys(FIXTURES).sort()).toEqual([...keys].sort());
		for (const { key, name, description, sources } of CHECK_TEMPLATES) {
			expect(key).toMatch(/^[a-z0-9-]{1,60}$/);
			expect(name.length).toBeLessThanOrEqual(200);
			expect(description).not.toBe("");
			expect(sources.length).toBeGreaterThan(0);
		}
	});
});

describe.each(CHECK_TEMPLATES.map((template) => [template.key, template] as const))(
	"%s",
	(key, { query, check, name }) => {
		const rule = { type: check.type, config: checkConfigs[check.type].parse(check.config) } as RowRule;

		async function countViolations(objects: readonly unknown[]): Promise<number> {
			runs.lab.reset();
			expect(runs.lab.load({ imdata: objects })).toEqual({ loaded: objects.length, skipped: 0 });
			const { rows } = await runs.run(query.flow_data, { post_processors: query.post_processors });
			const [outcome] = evaluateRules([{ rule, kinds: {} }], [{ connection: "lab", pages: () => [rows] }]);
			if (outcome?.kind !== "evaluated") throw new Error(outcome?.error);
			return outcome.violations;
		}

		it("is a query that can be saved, holds on a right fabric, and finds what is wrong", async () => {
			const saved = await runs.ada.api.post(QUERIES, { name, ...query });
			expect(saved.status, saved.text).toBe(201);
			const fixture = FIXTURES[key];
			expect(await countViolations(fixture?.passing ?? [])).toBe(0);
			expect(await countViolations(fixture?.failing ?? [])).toBe(fixture?.violations);
		});
	},
);
