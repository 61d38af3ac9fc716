import { describe, expect, it, vi } from "vitest";
import { createRequestPriority } from "./request-priority.ts";

/** Whether a promise has resolved by now, without waiting for it. */
async function isSettled(promise: Promise<void>): Promise<boolean> {
	let done = false;
	void promise.then(() => {
		done = true;
	});
	for (let i = 0; i < 5; i++) await Promise.resolve();
	return done;
}

describe("background work", () => {
	it("does not wait while no request is in flight", async () => {
		expect(await isSettled(createRequestPriority(() => 0).whenIdle())).toBe(true);
	});

	it("waits until the last of the requests has ended", async () => {
		const priority = createRequestPriority(() => 0);
		const [first, second] = [priority.begin(), priority.begin()];
		const waiting = [priority.whenIdle(), priority.whenIdle()];
		first();
		expect(await isSettled(Promise.race(waiting))).toBe(false);
		second();
		expect(await isSettled(Promise.all(waiting).then(() => undefined))).toBe(true);
		second();
		expect(await isSettled(priority.whenIdle())).toBe(true);
	});

	it("waits for 25 ms at most", async () => {
		vi.useFakeTimers();
		const priority = createRequestPriority(() => 0);
		priority.begin();
		const waiting = priority.whenIdle();
		vi.advanceTimersByTime(24);
		expect(await isSettled(waiting)).toBe(false);
		vi.advanceTimersByTime(1);
		expect(await isSettled(waiting)).toBe(true);
		vi.useRealTimers();
	});

	it("does not wait for a request that takes long itself", async () => {
		let now = 0;
		const priority = createRequestPriority(() => now);
		const end = priority.begin();
		now = 100;
		expect(await isSettled(priority.whenIdle())).toBe(true);
		const later = priority.begin();
		const waiting = priority.whenIdle();
		expect(await isSettled(waiting)).toBe(false);
		later();
		expect(await isSettled(waiting)).toBe(true);
		end();
	});
});
