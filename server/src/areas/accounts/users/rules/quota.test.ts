import { describe, expect, it } from "vitest";
import { DEFAULT_QUOTA, getDay, NO_QUOTA, resolveQuota } from "./quota.ts";

describe("quota", () => {
	it("has the default numbers where no group has one", () => {
		expect(resolveQuota([])).toEqual(DEFAULT_QUOTA);
		expect(DEFAULT_QUOTA).toMatchObject({ queries_max: 0, checks_max: 500, can_share: true });
	});

	it("takes the most permissive value of each", () => {
		const a = { ...NO_QUOTA, queries_max: 3, executions_daily: 10, can_share: false, can_export: false };
		const b = { ...NO_QUOTA, queries_max: 7, executions_daily: 0, can_share: true, can_export: false };
		expect(resolveQuota([a, b])).toEqual({ ...NO_QUOTA, queries_max: 7, executions_daily: 0, can_export: false });
		expect(resolveQuota([b, a])).toEqual(resolveQuota([a, b]));
		expect(resolveQuota([a])).toEqual(a);
	});

	it("changes days at midnight UTC", () => {
		expect(getDay(Date.parse("2026-01-31T23:59:30Z"))).toEqual({ day: "2026-01-31", secondsLeft: 30 });
		expect(getDay(Date.parse("2026-02-01T00:00:00Z"))).toEqual({ day: "2026-02-01", secondsLeft: 86_400 });
	});
});
