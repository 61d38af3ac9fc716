import type { GroupRunStatus, GroupStatus } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import { formatLabels } from "./labels.ts";
import { groupStatus } from "./status.ts";

describe("the status of a group execution", () => {
	it.each<[GroupRunStatus[], GroupStatus]>([
		[["completed", "completed"], "completed"],
		[["completed", "pending"], "running"],
		[["failed", "running"], "running"],
		[["completed", "failed"], "partial"],
		[["completed", "cancelled"], "partial"],
		[["completed", "unsupported"], "completed"],
		[["completed", "unsupported", "failed"], "partial"],
		[["failed", "failed"], "failed"],
		[["failed", "cancelled"], "failed"],
		[["unsupported", "unsupported"], "failed"],
		[["unsupported", "failed"], "failed"],
		[["cancelled", "cancelled"], "cancelled"],
	])("of %j is %s", (runs, status) => {
		expect(groupStatus(runs, false)).toBe(status);
	});

	it("is cancelled after a cancellation of the whole, whatever had ended before", () => {
		expect(groupStatus(["completed", "cancelled", "failed"], true)).toBe("cancelled");
		expect(groupStatus(["completed", "running"], true)).toBe("running");
	});
});

describe("names in merged results", () => {
	it("have the end of the id where they occur more than once", () => {
		const connections = [
			{ id: "1-aaaaaaaa", name: "East" },
			{ id: "1-bbbbbbbb", name: "West" },
			{ id: "1-cccccccc", name: "East" },
		];
		expect(formatLabels(connections)).toEqual(["East (aaaaaaaa)", "West", "East (cccccccc)"]);
	});
});
