import { LAUNCH_PROMPTS } from "@weft/contracts/browser";
import { expect, it } from "vitest";
import { readPrompts, writePrompts } from "./launch-prompts.ts";

const NONE = Object.fromEntries(LAUNCH_PROMPTS.map((name) => [name, null]));

it("launch prompts return from their texts as they were", () => {
	const values = { limit: "leaf101", verbosity: 0, diff_mode: false, labels: [4, 5], inventory: 2 };
	expect(readPrompts(writePrompts(values))).toEqual({ ...NONE, ...values });
});

it("launch prompts that are no numbers go to the service as they were typed", () => {
	const texts = { ...writePrompts({}), forks: "many", labels: "4, red" };
	expect(readPrompts(texts, ["forks", "labels"])).toEqual({ forks: "many", labels: [4, "red"] });
});
