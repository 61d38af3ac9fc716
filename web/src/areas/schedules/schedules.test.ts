/** The calendar strip of the coming days, the chart of changes, and local times of a zone. */
import type { Snapshot } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import { toInstant, toLocal } from "../../platform/instant.ts";
import { buildBar } from "./bars.ts";
import { buildStrip } from "./strip.ts";

describe("the coming days", () => {
	const getDay = (time: string) => time.slice(0, 10);

	it("have their runs in order, and what runs all day as a number at the end", () => {
		const hours = Array.from({ length: 24 }, (_, hour) => `2026-05-02T${String(hour).padStart(2, "0")}:05:00Z`);
		const days = buildStrip(
			{
				from: "2026-05-01T10:00:00Z",
				tasks: [
					{
						id: "h",
						name: "hourly",
						query_name: "",
						frequency: "hourly",
						schedule_description: "",
						runs: hours,
						has_more_runs: false,
					},
					{
						id: "d",
						name: "daily",
						query_name: "",
						frequency: "daily",
						schedule_description: "",
						runs: ["2026-05-01T23:00:00Z", "2026-05-02T23:00:00Z"],
						has_more_runs: false,
					},
					{
						id: "e",
						name: "early",
						query_name: "",
						frequency: "once",
						schedule_description: "",
						runs: ["2026-05-02T01:00:00Z"],
						has_more_runs: false,
					},
				],
			},
			3,
			getDay,
		);
		expect(days.map(({ day }) => day)).toEqual(["2026-05-01", "2026-05-02", "2026-05-03"]);
		expect(days[1]?.runs.map(({ taskId, count }) => `${taskId}${count}`)).toEqual(["e1", "d1", "h24"]);
		expect(days[2]?.runs).toEqual([]);
	});
});

describe("a bar of the chart of changes", () => {
	const snapshot = {
		id: "s",
		executed_at: "2026-05-01T10:00:00Z",
		controller_connection_name: "fab",
		has_changes: true,
	};
	const drift = { added: 1_200, deleted: 0, modified: 3, ignored: 9, severity: "critical" as const };

	it.each([
		[drift, true, [1203, "critical", "1,200 added, 0 deleted, 3 modified"]],
		[{ ...drift, added: 0, modified: 0, severity: null }, true, [0, "none", "no change"]],
		[null, true, [1, "info", "changed"]],
		[null, false, [0, "none", "first snapshot, or no change"]],
	] as const)("of %o", (given, has_changes, wanted) => {
		const { changes, tone, words } = buildBar({ ...snapshot, has_changes, drift: given } as Snapshot);
		expect([changes, tone, words]).toEqual(wanted);
	});
});

describe("a clock on the wall", () => {
	it.each([
		["2026-01-15T06:30", "Europe/Paris", "2026-01-15T05:30:00.000Z"],
		["2026-07-15T06:30", "Europe/Paris", "2026-07-15T04:30:00.000Z"],
		["2026-03-29T00:30", "Europe/Paris", "2026-03-28T23:30:00.000Z"],
		["2026-03-29T03:30", "Europe/Paris", "2026-03-29T01:30:00.000Z"],
		["2026-10-25T02:30", "Europe/Paris", "2026-10-25T00:30:00.000Z"],
		["2026-10-25T03:30", "Europe/Paris", "2026-10-25T02:30:00.000Z"],
		["2026-11-01T12:00", "America/New_York", "2026-11-01T17:00:00.000Z"],
		["2026-05-05T12:00", "Asia/Kolkata", "2026-05-05T06:30:00.000Z"],
		["2026-05-05T12:00", "UTC", "2026-05-05T12:00:00.000Z"],
	])("that shows %s in %s means %s", (local, zone, instant) => expect(toInstant(local, zone)).toBe(instant));

	it("that shows nothing means nothing", () => expect(toInstant("", "UTC")).toBe(""));

	it("shows an instant by the minute, or by the second", () => {
		expect(toLocal("2026-07-01T10:00:05Z", "Europe/Berlin")).toBe("2026-07-01T12:00");
		expect(toLocal("2026-12-31T23:00:05Z", "Europe/Berlin", { seconds: true })).toBe("2027-01-01T00:00:05");
	});
});
