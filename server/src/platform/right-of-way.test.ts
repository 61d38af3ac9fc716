import { describe, expect, it, vi } from "vitest";
import { createRightOfWay } from "./right-of-way.ts";

/** Whether it is clear by now, without waiting. */
async function settled(promise: Promise<void>): Promise<boolean> {
	let done = false;
	void promise.then(() => {
		done = true;
	});
	for (let i = 0; i < 5; i++) await Promise.resolve();
	return done;
}

describe("the right of way", () => {
	it("is nobody's while no request is under way", async () => {
		expect(await settled(createRightOfWay(() => 0).clear())).toBe(true);
	});

	it("makes others wait until the last of the requests has ended", async () => {
		const way = createRightOfWay(() => 0);
		const [first, second] = [way.enter(), way.enter()];
		const waiting = [way.clear(), way.clear()];
		first();
		expect(await settled(Promise.race(waiting))).toBe(false);
		second();
		expect(await settled(Promise.all(waiting).then(() => undefined))).toBe(true);
		second();
		expect(await settled(way.clear())).toBe(true);
	});

	it("is never waited for for long", async () => {
		vi.useFakeTimers();
		const way = createRightOfWay(() => 0);
		way.enter();
		const waiting = way.clear();
		vi.advanceTimersByTime(24);
		expect(await settled(waiting)).toBe(false);
		vi.advanceTimersByTime(1);
		expect(await settled(waiting)).toBe(true);
		vi.useRealTimers();
	});

	it("is lost by a request that takes long itself", async () => {
		let now = 0;
		const way = createRightOfWay(() => now);
		const leave = way.enter();
		now = 100;
		expect(await settled(way.clear())).toBe(true);
		const later = way.enter();
		const waiting = way.clear();
		expect(await settled(waiting)).toBe(false);
		later();
		expect(await settled(waiting)).toBe(true);
		leave();
	});
});
