import { expect, test } from "vitest";
import { captureRejection } from "../../../test/support/controllers.ts";
import { createLimiter } from "./limiter.ts";

test("places are given in the order of asking, also around those who gave up", async () => {
	const limiter = createLimiter(2);
	const order: string[] = [];
	const enter = async (name: string, signal?: AbortSignal) => {
		const release = await limiter.acquire(signal);
		order.push(name);
		return release;
	};
	const first = await enter("a");
	const second = await enter("b");
	const giveUp = new AbortController();
	const third = captureRejection(enter("c", giveUp.signal));
	const fourth = enter("d");
	const fifth = enter("e");
	giveUp.abort(new Error("enough"));
	expect(await third).toEqual(new Error("enough"));
	first();
	first();
	(await fourth)();
	second();
	(await fifth)();
	expect(order).toEqual(["a", "b", "d", "e"]);
	const again = await Promise.all([enter("f"), enter("g")]);
	expect(order).toEqual(["a", "b", "d", "e", "f", "g"]);
	for (const release of again) release();
});

test("an aborted signal gets no place", async () => {
	const limiter = createLimiter(1);
	expect(await captureRejection(limiter.acquire(AbortSignal.abort("no")))).toBe("no");
	(await limiter.acquire())();
});
