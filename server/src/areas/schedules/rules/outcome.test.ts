import { describe, expect, it } from "vitest";
import { buildNotice, computeSuccessRate, getOutcome, isRetryable, mayRetry, type ToldExecution } from "./outcome.ts";

describe("how runs end", () => {
	it.each([
		[0, 0, 0],
		[1, 0, 100],
		[0, 3, 0],
		[1, 2, 33.3],
		[2, 1, 66.7],
		[999, 1, 99.9],
	])("%d successes and %d failures are %d percent", (successes, failures, rate) => {
		expect(computeSuccessRate(successes, failures)).toBe(rate);
	});

	it.each([
		[["success", "success"], "success"],
		[["success", "failed"], "partial"],
		[["success", "cancelled"], "partial"],
		[["failed", "cancelled"], "failed"],
		[["failed", "failed"], "failed"],
		[["cancelled", "cancelled"], "cancelled"],
	] as const)("%j is %s", (statuses, outcome) => {
		expect(getOutcome(statuses)).toBe(outcome);
	});

	it("what may pass is tried again, so often as the task says; what is missing is not", () => {
		const failed = (error_type: string | null) => ({ status: "failed" as const, error_type });
		for (const type of ["run", "connection", "start", null])
			expect([type, isRetryable(failed(type))]).toEqual([type, true]);
		for (const type of ["owner", "quota", "query", "invalid_query", "internal"]) {
			expect([type, isRetryable(failed(type))]).toEqual([type, false]);
		}
		for (const status of ["success", "cancelled", "pending", "running"] as const) {
			expect(isRetryable({ status, error_type: "run" })).toBe(false);
		}
		const tries = (retry_count: number, retry_enabled = true) =>
			[0, 1, 2, 3].filter((attempt) => mayRetry({ retry_enabled, retry_count }, attempt));
		expect([tries(2), tries(0), tries(3, false)]).toEqual([[0, 1], [], []]);
	});
});

describe("what the owner is told", () => {
	const execution = (more: Partial<ToldExecution>): ToldExecution => ({
		connection_name: "Fabric",
		connection_id: "c1",
		status: "success",
		result_count: 1,
		error_type: null,
		error_message: null,
		...more,
	});
	const task = { name: "Nightly", query_name: "Tenants" };

	it.each([
		["success", "info", "succeeded"],
		["partial", "warning", "succeeded in part"],
		["cancelled", "warning", "was cancelled"],
		["failed", "error", "failed"],
	] as const)("%s is of severity %s", (outcome, severity, verb) => {
		expect(buildNotice(task, outcome, [])).toEqual({
			severity,
			title: `Scheduled task "Nightly" ${verb}`,
			body: "Query: Tenants",
		});
	});

	it("has one line for each connection", () => {
		const { body } = buildNotice(task, "partial", [
			execution({}),
			execution({ connection_name: "", result_count: 7, error_message: "No snapshot was kept." }),
			execution({ status: "failed", error_message: "The controller is busy." }),
			execution({ status: "failed" }),
			execution({ status: "cancelled" }),
			execution({ result_count: null }),
		]);
		expect(body.split("\n")).toEqual([
			"Query: Tenants",
			"Fabric: 1 object",
			"c1: 7 objects (No snapshot was kept.)",
			"Fabric: The controller is busy.",
			"Fabric: failed",
			"Fabric: cancelled",
			"Fabric: 0 objects",
		]);
	});
});
