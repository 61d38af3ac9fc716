import { describe, expect, it } from "vitest";
import { computeLockSeconds, WINDOW_MS } from "./lockout.ts";

const NOW = Date.UTC(2026, 0, 15, 12);
/** Failures one second apart, the last one now: each number stands for an address. */
const failFrom = (addresses: readonly number[]) =>
	addresses.map((address, at) => ({ at: NOW - (addresses.length - 1 - at) * 1_000, ip: `10.${address}.0.1` }));
const listNumbers = (count: number) => Array.from({ length: count }, (_, at) => at);

describe("lockout of a username", () => {
	it("a username is locked for an address from its fifth failure on, until the first of the five leaves the window", () => {
		expect(computeLockSeconds(failFrom([7, 7, 7, 7]), "10.7.0.1", NOW)).toBe(0);
		expect(computeLockSeconds(failFrom([7, 7, 7, 7, 7]), "10.7.0.1", NOW)).toBe(WINDOW_MS - 4_000);
		expect(computeLockSeconds(failFrom([7, 7, 7, 7, 7]), "10.8.0.1", NOW)).toBe(0);
	});

	it("a username is locked for every address from its twentieth failure on, wherever the failures came from", () => {
		expect(computeLockSeconds(failFrom(listNumbers(19)), "10.99.0.1", NOW)).toBe(0);
		expect(computeLockSeconds(failFrom(listNumbers(20)), "10.99.0.1", NOW)).toBe(WINDOW_MS - 19_000);
		expect(computeLockSeconds(failFrom(listNumbers(21)), "10.99.0.1", NOW)).toBe(WINDOW_MS - 19_000);
	});

	it("a username is free again once a failure is as old as the window, in whatever order failures are given", () => {
		const failures = failFrom([7, 7, 7, 7, 7]).reverse();
		expect(computeLockSeconds(failures, "10.7.0.1", NOW + WINDOW_MS - 4_001)).toBe(1);
		expect(computeLockSeconds(failures, "10.7.0.1", NOW + WINDOW_MS - 4_000)).toBe(0);
	});
});
