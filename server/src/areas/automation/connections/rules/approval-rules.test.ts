import { describe, expect, it } from "vitest";
import { buildApprovalRules, isApprovalRequired } from "./approval-rules.ts";

const createConnectionRow = (
	id: string,
	base_url: string,
	approval: "always" | "by_template",
	free: number[] = [],
) => ({
	id,
	base_url,
	approval,
	free_job_template_ids: free,
});

describe("approval rules", () => {
	const rules = buildApprovalRules([
		createConnectionRow("strict", "https://awx.example.com", "always", [7, 8]),
		createConnectionRow("stricter", "https://awx.example.com/tower/", "always", [8]),
		createConnectionRow("same", "https://AWX.example.com.:443/", "by_template", [9]),
		createConnectionRow("port", "https://awx.example.com:8443", "by_template"),
		createConnectionRow("other", "https://other.example.com", "by_template"),
	]);

	it.each([
		["strict", 9, true],
		["strict", 7, true],
		["strict", 8, false],
		["stricter", 7, true],
		["same", 9, true],
		["same", 8, false],
		["port", 9, false],
		["other", 9, false],
		["deleted", 9, false],
		[null, 9, false],
	])("decides whether %s needs approval for job template %i: %s", (connection, jobTemplate, expected) => {
		expect(isApprovalRequired(rules, connection, jobTemplate)).toBe(expected);
	});
});
