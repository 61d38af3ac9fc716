import { expect, test } from "vitest";
import { createPause } from "./pause.ts";

test("a thread sleeps after each half of a millisecond of computing, not more often", () => {
	let now = 100;
	const slept: number[] = [];
	const pause = createPause(
		() => now,
		(ms) => {
			slept.push(now);
			now += ms;
		},
	);
	for (let step = 0; step < 10; step++) {
		pause();
		now += 0.2;
	}
	expect(slept.map((at) => Number(at.toFixed(2)))).toEqual([100.6, 101.25, 101.9]);
});

test("its own sleep ends by itself", () => {
	let times = 0;
	const pause = createPause(() => times++);
	for (let left = 10; left > 0; left--) pause();
	expect(times).toBe(21);
});
