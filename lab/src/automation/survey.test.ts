import { describe, expect, it } from "vitest";
import { surveyProblems } from "./survey.ts";
import type { Survey } from "./types.ts";

const createSurvey = (choices: string) =>
	({
		name: "S",
		description: "",
		spec: [{ type: "multiplechoice", question_name: "Q", variable: "q", required: true, choices }],
	}) as unknown as Survey;

describe("choices of one text", () => {
	it.each(["a\r\nb", "a\n\n \nb\n", "a\rb"])("are its lines without the blank ones: %j", (choices) => {
		expect(surveyProblems(createSurvey(choices), { q: "b" })).toEqual([]);
		expect(surveyProblems(createSurvey(choices), { q: "" })).toEqual([
			"Value  for 'q' expected to be one of ['a', 'b'].",
		]);
	});
});
