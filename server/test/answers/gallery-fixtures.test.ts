/** Each question of the gallery against its fixture, through the route that runs it. */
import { describe, expect, it } from "vitest";
import { findFixtureProblem, listKeys, readQuestion } from "../support/gallery.ts";
import { useRuns } from "../support/runs.ts";

const runs = useRuns({ lab: { size: "empty" } });

const byCategory = new Map<string, string[]>();
for (const key of listKeys()) {
	const [category = ""] = readQuestion(key).categories;
	byCategory.set(category, [...(byCategory.get(category) ?? []), key]);
}

describe("the questions of the gallery", () => {
	it.each([...byCategory])(
		"answers the questions about %s with exactly the rows of their fixtures",
		async (_category, keys) => {
			const problems: string[] = [];
			for (const key of keys) {
				const problem = await findFixtureProblem(runs, key);
				if (problem !== null) problems.push(problem);
			}
			expect(problems).toEqual([]);
		},
	);
});
