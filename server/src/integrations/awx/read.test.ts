import { describe, expect, it } from "vitest";
import { readEvent, readSurvey } from "./read.ts";

const readFirstQuestion = (fields: object) =>
	readSurvey({ name: "S", description: "", spec: [{ variable: "v", question_name: "V", ...fields }] }).spec[0];

describe("choices of a survey", () => {
	it.each([
		["with Windows line ends and blank lines", "a\r\nb\r\n\r\n  \r\nc\r\n"],
		["with old line ends", "a\rb\u2028c"],
		["as a list", ["a", "b", "", "c"]],
	])("%s are those that the server knows", (_name, choices) => {
		expect(readFirstQuestion({ type: "multiplechoice", choices })?.choices).toEqual(["a", "b", "c"]);
	});

	it("keep spaces that belong to them, and split several defaults alike", () => {
		expect(readFirstQuestion({ type: "multiselect", choices: " a\nb ", default: " a\r\nb " })).toMatchObject({
			choices: [" a", "b "],
			default: " a\nb ",
		});
	});
});

describe("the item of a loop", () => {
	const item = (res: object, event = "runner_item_on_ok") =>
		readEvent({ counter: 1, event, event_data: { res, host: "leaf101", task_uuid: "t" } }).item;
	const row = { name: "r1" };
	const started = { ansible_job_id: "j1", started: 1, finished: 0, item: row };

	it.each<[string, object, object | undefined]>([
		["under its usual name", { item: row, ansible_loop_var: "item" }, { value: row, hidden: false, passedOn: null }],
		["before loops had names", { item: row }, { value: row }],
		["under a name of its own", { row, ansible_loop_var: "row", item: "outer" }, { value: row }],
		["that is null", { item: null, ansible_loop_var: "item" }, { value: null, hidden: false }],
		["that is hidden", { censored: "the output has been hidden", changed: true }, { value: undefined, hidden: true }],
		["whose result was dropped", {}, undefined],
		["of an included file", { include: "row.yml", include_args: {}, item: row }, { passedOn: "included" }],
		["of an included role", { include_args: { name: "r" }, item: row }, { passedOn: "included" }],
		["of a task that was started", started, { passedOn: "started" }],
		["of one in a later release", { ...started, started: true, finished: false }, { passedOn: "started" }],
		["of a task that has ended", { ...started, finished: 1 }, { passedOn: null }],
		["with a message", { item: row, msg: "", stderr: "no" }, { message: "no" }],
	])("%s", (_what, res, expected) => {
		if (expected === undefined) expect(item(res)).toBeUndefined();
		else expect(item(res)).toMatchObject(expected);
	});

	it("is of item events only", () => {
		expect(item({ item: row }, "runner_on_ok")).toBeUndefined();
		expect(item({ item: row }, "runner_retry")).toBeUndefined();
	});
});
