import { expect, test, vi } from "vitest";
import { createBodyMemory, letGo } from "./body-memory.ts";

const MB = 1024 * 1024;
/** Memory that is new has room for an eighth more; what was used before is recognised by its length. */
const fresh = (bytes: number) => Math.ceil(bytes * 1.125);

test("memory that was given back is used again, also for a little more", () => {
	const memory = createBodyMemory();
	const first = memory.take(MB);
	expect(first.length).toBe(fresh(MB));
	memory.give(first.subarray(0, MB));
	expect(memory.take(MB + 1000).length).toBe(fresh(MB));
	expect(memory.take(MB + 1000).length).toBe(fresh(MB + 1000));
});

test("it is shared, so that a thread may read it where it is, and is kept once however often it is given", () => {
	const memory = createBodyMemory();
	const body = memory.take(MB);
	expect(body.buffer).toBeInstanceOf(SharedArrayBuffer);
	memory.give(body.subarray(10, 20));
	memory.give(body);
	expect(memory.take(MB).buffer).toBe(body.buffer);
	expect(memory.take(MB).buffer).not.toBe(body.buffer);
});

test("no more than 96 MB are shared: others have memory that the engine knows of", () => {
	const memory = createBodyMemory();
	const bodies = Array.from({ length: 9 }, () => memory.take(12 * MB));
	expect(bodies.map(({ buffer }) => buffer instanceof SharedArrayBuffer)).toEqual([
		...Array.from({ length: 7 }, () => true),
		...[false, false],
	]);
	expect(bodies[8]?.length).toBe(fresh(12 * MB));
});

test("memory that did not come from here is not taken", () => {
	const memory = createBodyMemory();
	memory.give(Buffer.alloc(MB + 1000));
	expect(memory.take(MB).length).toBe(fresh(MB));
});

test("bytes are let go only where they are all of their memory, and enough to be worth it", () => {
	const [whole, shared, few] = [Buffer.alloc(20_000), Buffer.alloc(20_001).subarray(1), Buffer.alloc(1000)];
	for (const bytes of [whole, shared, few]) letGo(bytes);
	expect([whole, shared, few].map(({ length }) => length)).toEqual([0, 20_000, 1000]);
});

test("neither small nor much larger memory is used, and no more than 32 MB are kept", () => {
	const memory = createBodyMemory();
	const isUsed = (bytes: number) => memory.take(bytes).length !== fresh(bytes);
	memory.give(Buffer.alloc(2000));
	memory.give(memory.take(4 * MB));
	expect([memory.take(1000).length, isUsed(MB), isUsed(3 * MB), isUsed(3 * MB)]).toEqual([1000, false, true, false]);
	const three = [memory.take(12 * MB), memory.take(12 * MB), memory.take(12 * MB)];
	for (const bytes of three) memory.give(bytes);
	expect([isUsed(11 * MB), isUsed(11 * MB), isUsed(11 * MB)]).toEqual([true, true, false]);
});

test("what nobody takes is let go", () => {
	vi.useFakeTimers();
	try {
		const memory = createBodyMemory();
		memory.give(memory.take(MB));
		vi.advanceTimersByTime(60_000);
		expect(memory.take(MB + 1000).length).toBe(fresh(MB + 1000));
	} finally {
		vi.useRealTimers();
	}
});
