import { describe, expect, it } from "vitest";
import type { JobEvent } from "../../../../integrations/awx/port.ts";
import { type SkippedGaps, selectContiguousEvents } from "./output.ts";

const listEvents = (counters: readonly number[]): JobEvent[] =>
	counters.map((counter) => ({ counter }) as unknown as JobEvent);

describe("the events of a page that can be stored", () => {
	it.each<[string, number[], SkippedGaps, number[], number, boolean]>([
		["are all events without a gap, in the order of their counters", [13, 11, 12], "none", [11, 12, 13], 0, false],
		["leave out events that were stored before", [9, 10, 11], "none", [11], 0, false],
		["are none of an empty page", [], "all", [], 0, false],
		["end before the first gap that is waited for", [11, 13], "none", [11], 0, true],
		["are none while a gap at the beginning is waited for", [12, 13], "none", [], 0, true],
		["go on after a gap at the beginning that has expired", [13, 14], "first", [13, 14], 2, false],
		["end before a later gap when the first one has expired", [13, 14, 17], "first", [13, 14], 2, true],
		["end before a gap that is new since an older one expired", [11, 13], "first", [11], 0, true],
		["are all events of a job whose events are complete", [12, 15], "all", [12, 15], 3, false],
	])("%s", (_what, page, skipped, counters, lost, gap) => {
		const prefix = selectContiguousEvents(10, listEvents(page), skipped);
		expect(prefix.events.map(({ counter }) => counter)).toEqual(counters);
		expect(prefix).toMatchObject({ last: counters.at(-1) ?? 10, lost, gap });
	});

	it("name the number of lost events before the event that follows each gap", () => {
		expect([...selectContiguousEvents(10, listEvents([12, 13, 16]), "all").lostBefore]).toEqual([
			[12, 1],
			[16, 2],
		]);
	});
});
