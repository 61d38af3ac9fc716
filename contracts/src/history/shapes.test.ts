import { expect, test } from "vitest";
import { annotateBody, captureBody, captureFields, snapshotListQuery } from "./shapes.ts";

const ID = "0190A0B0-0000-7000-8000-000000000001";

test("a capture needs little, and ids are lowered", () => {
	expect(captureFields.parse({})).toMatchObject({ saved_query_id: null, query_name: "", execution_time_ms: null });
	expect(captureFields.parse({ saved_query_id: ID, unknown: 1 })).not.toHaveProperty("unknown");
	expect(captureBody.parse({ saved_query_id: ID, result_data: [] })).toMatchObject({
		saved_query_id: ID.toLowerCase(),
		result_data: [],
	});
});

test.each([
	{ saved_query_id: "7" },
	{ execution_time_ms: -1 },
	{ execution_time_ms: "5" },
	{ query_name: null },
	{ class_name: "x".repeat(201) },
])("a capture with %j is refused", (body) => {
	expect(captureFields.safeParse(body).success).toBe(false);
});

test("the list's limits", () => {
	expect(snapshotListQuery.parse({ saved_query_id: ID })).toMatchObject({ limit: 25, offset: 0, timezone: "UTC" });
	expect(snapshotListQuery.parse({ saved_query_id: ID, limit: "500" }).limit).toBe(100);
});

test.each([
	{},
	{ saved_query_id: ID, limit: "0" },
	{ saved_query_id: ID, offset: "-1" },
	{ saved_query_id: ID, date: "2026-02-30" },
	{ saved_query_id: ID, date: "20260201" },
	{ saved_query_id: ID, timezone: "Mars/Base" },
])("a list with %j is refused", (query) => {
	expect(snapshotListQuery.safeParse(query).success).toBe(false);
});

test("annotating needs one of the two", () => {
	expect(annotateBody.safeParse({}).success).toBe(false);
	expect(annotateBody.safeParse({ label: null }).success).toBe(true);
	expect(annotateBody.safeParse({ annotation: "moved on purpose" }).success).toBe(true);
});
