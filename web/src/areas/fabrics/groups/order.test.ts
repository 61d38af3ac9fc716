import type { GroupExecution } from "@weft/contracts";
import { describe, expect, it } from "vitest";
import { countEndedRuns, listFailedRuns, listMembers, moveEntry, withRunStatus } from "./order.ts";

describe("order", () => {
	it.each([
		[0, 1, ["b", "a", "c"]],
		[2, -1, ["a", "c", "b"]],
		[0, -1, ["a", "b", "c"]],
		[2, 1, ["a", "b", "c"]],
	] as const)("moves the one at %i by %i", (at, by, expected) => {
		expect(moveEntry(["a", "b", "c"], at, by)).toEqual(expected);
	});
});

describe("members", () => {
	const known = ["a", "b", "c"].map((id) => ({ id, name: `fab-${id}`, is_active: id !== "c" }));

	it("come in their order before the other connections", () => {
		expect(listMembers(["b", "a"], known)).toEqual([
			{ id: "b", name: "fab-b", label: "fab-b" },
			{ id: "a", name: "fab-a", label: "fab-a" },
			{ id: "c", name: "fab-c", label: "fab-c (switched off)" },
		]);
	});

	it("are shown by their id where the connection is unknown, so that they can be removed", () => {
		const unknown = { id: "x", name: "Unknown connection x", label: "Unknown connection x" };
		expect(listMembers(["a", "x", "b"], known).slice(0, 3)).toMatchObject([{ id: "a" }, unknown, { id: "b" }]);
	});

	it("are not called unknown before the connections are read", () => {
		expect(listMembers(["a"], undefined)).toEqual([]);
	});
});

describe("runs", () => {
	const runs = (["pending", "running", "completed", "failed", "cancelled", "unsupported"] as const).map((status) => ({
		controller_connection_id: status,
		controller_connection_name: status,
		pipeline_job_id: status,
		status,
		total_rows: null,
		error: null,
	}));

	it("have ended unless they wait or run", () => {
		expect(countEndedRuns({ runs })).toBe(4);
	});

	it("change where the connection is meant, and nowhere else", () => {
		const change = { controller_connection_id: "running", status: "completed", total_rows: 4 } as const;
		const after = withRunStatus({ status: "running", runs } as unknown as GroupExecution, change);
		expect(after.runs[1]).toMatchObject({ status: "completed", total_rows: 4 });
		expect(after.runs.filter((_, at) => at !== 1)).toEqual(runs.filter((_, at) => at !== 1));
	});

	it("run again where they failed or were cancelled, and not where a class is unknown", () => {
		expect(listFailedRuns({ runs }).map(({ status }) => status)).toEqual(["failed", "cancelled"]);
	});
});
