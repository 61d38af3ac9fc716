/** The repetition of a calendar entry between choices, rules and words. */
import { describe, expect, it } from "vitest";
import { buildRule, describeRule, NO_REPETITION, readRepetition } from "./repetition.ts";

describe("a repetition of a calendar entry", () => {
	it.each([
		null,
		"FREQ=DAILY",
		"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR",
		"FREQ=MONTHLY;UNTIL=20261231",
		"FREQ=YEARLY",
		"FREQ=MONTHLY;BYDAY=2TU",
		"FREQ=WEEKLY;COUNT=3",
		"FREQ=DAILY;UNTIL=20261231T220000Z",
	])("keeps the rule %s when it is read and written", (rule) => {
		expect(buildRule(readRepetition(rule))).toBe(rule);
	});

	it("sorts the weekdays of a rule", () => {
		const weekly = { ...NO_REPETITION, repeat: "weekly", days: ["SU", "MO"] } as const;
		expect(buildRule(weekly)).toBe("FREQ=WEEKLY;BYDAY=MO,SU");
	});

	it.each([
		[null, "once"],
		["FREQ=WEEKLY;BYDAY=SA", "every week on Saturday"],
		[
			"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR;UNTIL=20261231",
			"every 2 weeks on Monday, Wednesday and Friday, until 2026-12-31",
		],
		["FREQ=MONTHLY;BYDAY=2TU,-1FR;COUNT=5", "every month on the second Tuesday and the last Friday, 5 times"],
		["FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24,-1", "every year on day 24 and the last day in December"],
		["FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1", "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=-1"],
	])("describes the rule %s in words", (rule, words) => {
		expect(describeRule(rule)).toBe(words);
	});
});
