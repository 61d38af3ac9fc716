import type { FeedEntry } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import { formatAttributes, groupChanges } from "./group-changes.ts";

const buildChange = (id: number, dn: string, users: readonly string[], fabric = "a"): FeedEntry => ({
	id,
	at: "2026-01-01T00:00:00Z",
	connection: { id: fabric, name: `fab-${fabric}` },
	dn,
	class_name: "fvBD",
	change: "modified",
	attributes: [{ name: "mtu", before: "1", after: null }],
	attributes_omitted: 0,
	changed_by: users.map((user) => ({ user, at: "2026-01-01T00:00:00Z", action: "modified", session: "" })),
	changed_by_reason: null,
	severity: "warning",
	saved_queries: [],
	snapshot_id: null,
	previous_snapshot_id: null,
});
const CHANGES = [
	buildChange(1, "uni/x", ["carol", "dave", "carol"]),
	buildChange(2, "uni/y", []),
	buildChange(3, "uni/x", ["dave"]),
	buildChange(4, "uni/x", ["dave"], "b"),
];
const listGroups = (by: "object" | "person") =>
	groupChanges(CHANGES, by).map(({ title, fabric, changes }) => [title, fabric, changes.map(({ id }) => id)]);

describe("groups of changes", () => {
	it("groups changes by object of a fabric", () => {
		expect(listGroups("object")).toEqual([
			["uni/x", "fab-a", [1, 3]],
			["uni/y", "fab-a", [2]],
			["uni/x", "fab-b", [4]],
		]);
	});

	it("groups changes by person, and those by nobody known together", () => {
		expect(listGroups("person")).toEqual([
			["carol", null, [1]],
			["dave", null, [1, 3, 4]],
			[null, null, [2]],
		]);
	});

	it("shows values before and after a change", () => {
		expect(formatAttributes(buildChange(1, "uni", []))).toBe("mtu 1 → -");
	});
});
