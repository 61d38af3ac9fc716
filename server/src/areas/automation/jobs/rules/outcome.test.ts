import { describe, expect, it } from "vitest";
import { type JobEnd, listOutcomeWarnings } from "./outcome.ts";

describe("an end warns", () => {
	it.each<[string, Partial<JobEnd>, string[]]>([
		["of nothing without rows", { rows: 0, ranOnHosts: false }, []],
		["of nothing when every row has a result", { known: 3, hidden: 5 }, []],
		["of rows without a result when others have one", { known: 1 }, ["rows_unknown"]],
		["of rows that failed although the job did not", { known: 3, failed: 1 }, ["rows_failed"]],
		["of events that were lost, whatever the end", { known: 3, isGood: false, lostEvents: 2 }, ["events_lost"]],
		["of both", { known: 2, failed: 1 }, ["rows_failed", "rows_unknown"]],
		["of nothing when the job failed and ran on no host", { isGood: false, ranOnHosts: false }, []],
		["of nothing when the job failed at some rows", { isGood: false, known: 1, failed: 1 }, []],
		["of rows that the job had not come to when it failed", { isGood: false }, ["rows_untouched"]],
		["of nested workflows that are not followed", { isGood: false, isCut: true }, ["nodes_not_followed"]],
		["of them alone, as they may have handled the rows", { isCut: true }, ["nodes_not_followed"]],
		["of output that could not be read, whose jobs may have handled the rows", { unread: ["a"] }, ["output_unread"]],
		["of it also without a host", { unread: ["a"], ranOnHosts: false }, ["output_unread"]],
		["of it beside rows that failed", { unread: ["a"], known: 3, failed: 1 }, ["output_unread", "rows_failed"]],
		["of rows that no host saw", { ranOnHosts: false }, ["rows_untouched"]],
		["of rows that no loop saw", {}, ["rows_untouched"]],
		["of rows whose results nobody names", { passedOn: 2 }, ["rows_unreported"]],
		["of rows that may be hidden", { hidden: 3 }, ["rows_censored"]],
		["of those too when others are known", { known: 1, hidden: 3, passedOn: 1 }, ["rows_censored"]],
	])("%s", (_what, totals, codes) => {
		const none = { known: 0, failed: 0, passedOn: 0, hidden: 0, lostEvents: 0 };
		const all = { rows: 3, ...none, ranOnHosts: true, isGood: true, isCut: false, unread: [], ...totals };
		expect(listOutcomeWarnings(all).map(({ code }) => code)).toEqual(codes);
	});
});
