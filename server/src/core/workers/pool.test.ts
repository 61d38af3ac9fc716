import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { runInShare, type WorkShare } from "../work-share.ts";
import type { testTasks } from "./pool.test-worker.ts";
import {
	createSharedPool,
	createWorkerPool,
	type WorkerPool,
	WorkerPoolError,
	type WorkerPoolOptions,
} from "./pool.ts";
import { makeDetachable } from "./serve.ts";
import { getWorkerUrl } from "./worker-url.ts";

const pools: WorkerPool<typeof testTasks>[] = [];

function createPool(options: Partial<WorkerPoolOptions> = {}): WorkerPool<typeof testTasks> {
	const made = createWorkerPool<typeof testTasks>({
		url: getWorkerUrl(import.meta.url, "./pool.test-worker.ts"),
		size: 2,
		...options,
	});
	pools.push(made);
	return made;
}

afterEach(async () => {
	await Promise.all(pools.splice(0).map((made) => made.close()));
});

describe("worker pool", () => {
	test("runs more tasks than threads, and reuses threads", async () => {
		const made = createPool();
		const inputs = Array.from({ length: 20 }, (_, index) => index);
		expect(await Promise.all(inputs.map((input) => made.run("double", input)))).toEqual(
			inputs.map((input) => input * 2),
		);
		const ids = await Promise.all(inputs.map(() => made.run("thread", null)));
		expect(new Set(ids).size).toBeLessThanOrEqual(2);
	});

	test("hands memory over, there and back", async () => {
		const { bytes, memory } = makeDetachable(new Uint8Array([1, 2, 3]));
		expect(await createPool().run("reverse", bytes, { transfer: [memory] })).toEqual(new Uint8Array([3, 2, 1]));
		expect(memory.byteLength).toBe(0);
	});

	test("small buffers do not give away memory that others share", () => {
		const small = Buffer.from("abc");
		const { bytes, memory } = makeDetachable(small);
		expect(memory).not.toBe(small.buffer);
		expect(memory.byteLength).toBe(3);
		expect(Buffer.from(bytes).toString()).toBe("abc");
	});

	test("what a task throws comes back as its error", async () => {
		const made = createPool();
		await expect(made.run("fail", "no")).rejects.toMatchObject({ name: "RangeError", message: "no" });
		await expect(made.run("unclonable", null)).rejects.toThrow(/could not be cloned/);
		expect(await made.run("double", 2)).toBe(4);
	});

	test("a task may wait, is given what the thread was started with, and its error keeps its code", async () => {
		const made = createPool({ size: 1, data: { name: "given" } });
		expect(await Promise.all([made.run("later", 1), made.run("later", 2)])).toEqual([1, 2]);
		await expect(made.run("later", -1)).rejects.toMatchObject({ message: "below zero", code: "E_BELOW" });
		expect(await made.run("data", null)).toEqual({ name: "given" });
	});

	test("a thread that comes down fails its task only and is replaced", async () => {
		const made = createPool({ size: 1, maxHeapMb: 24 });
		const down = [made.run("exit", 3), made.run("exhaust", null), made.run("exit", 0)];
		const after = made.run("double", 21);
		for (const task of down) await expect(task).rejects.toMatchObject({ name: "WorkerPoolError", code: "stopped" });
		expect(await after).toBe(42);
	});

	test("time runs out", async () => {
		const made = createPool({ size: 1 });
		await expect(made.run("hang", null, { timeoutMs: 50 })).rejects.toMatchObject({ code: "timeout" });
		expect(await made.run("double", 1)).toBe(2);
	});

	test("the start of a thread takes none of a task's time", async () => {
		const made = createPool({ size: 1, data: { slowStartMs: 1_500 } });
		expect(await made.run("double", 1, { timeoutMs: 1_000 })).toBe(2);
	});

	test("abort: before, while waiting, while running", async () => {
		const made = createPool({ size: 1 });
		await expect(made.run("double", 1, { signal: AbortSignal.abort("early") })).rejects.toBe("early");
		const running = new AbortController();
		const waiting = new AbortController();
		const first = made.run("hang", null, { signal: running.signal });
		const second = made.run("double", 1, { signal: waiting.signal });
		const third = made.run("double", 4);
		waiting.abort("waiting");
		await expect(second).rejects.toBe("waiting");
		running.abort("running");
		await expect(first).rejects.toBe("running");
		expect(await third).toBe(8);
	});

	test("a full queue and a closed pool refuse", async () => {
		const made = createPool({ size: 1, maxQueue: 1 });
		const settled = Promise.allSettled([made.run("hang", null), made.run("double", 1)]);
		await expect(made.run("double", 2)).rejects.toMatchObject({ code: "full" });
		await made.close();
		expect(await settled).toMatchObject([{ reason: { code: "closed" } }, { reason: { code: "closed" } }]);
		await expect(made.run("double", 3)).rejects.toThrow(WorkerPoolError);
	});

	test("idle threads stop and others take over", async () => {
		const made = createPool({ size: 1, idleMs: 0 });
		const first = await made.run("thread", null);
		let next = first;
		while (next === first) {
			await new Promise((resolve) => setTimeout(resolve, 2));
			next = await made.run("thread", null);
		}
		expect(next).not.toBe(first);
	});
});

describe("a pool that users share", () => {
	const shared = (options: Partial<WorkerPoolOptions> = {}) => {
		const made = createSharedPool<typeof testTasks>({
			url: getWorkerUrl(import.meta.url, "./pool.test-worker.ts"),
			size: 1,
			recordingSize: 1,
			...options,
		});
		pools.push(made);
		return made;
	};
	const asUser = <T>(userId: number, run: () => T, lane: WorkShare["lane"] = "interactive"): T =>
		runInShare({ userId, lane }, run);

	test("serves another user after the running task of the one who floods it", async () => {
		const made = shared();
		const served: string[] = [];
		const run = (user: number, name: string) =>
			asUser(user, () => made.run("double", 1)).then(() => void served.push(name));
		const flood = Array.from({ length: 20 }, (_, index) => run(1, `flood ${index}`));
		await Promise.all([...flood, run(2, "other")]);
		expect(served.indexOf("other")).toBe(1);
		expect(served.filter((name) => name !== "other")).toEqual(flood.map((_, index) => `flood ${index}`));
	});

	test("leaves a thread to others while a user's task hangs", async () => {
		const made = shared({ size: 2 });
		const hanging = new AbortController();
		const hang = () => asUser(1, () => made.run("hang", null, { signal: hanging.signal }));
		const hangs = Promise.allSettled([hang(), hang(), hang()]);
		expect(await asUser(2, () => made.run("double", 21))).toBe(42);
		hanging.abort("enough");
		expect((await hangs).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
	});

	test("records results while requests hold every thread of theirs", async () => {
		const made = shared();
		const hanging = new AbortController();
		const hangs = Promise.allSettled([
			asUser(1, () => made.run("hang", null, { signal: hanging.signal })),
			asUser(2, () => made.run("hang", null, { signal: hanging.signal })),
		]);
		expect(await asUser(1, () => made.run("double", 1), "recording")).toBe(2);
		expect(await made.run("double", 2)).toBe(4);
		hanging.abort("enough");
		await hangs;
	});

	test("lets a task that has begun end, and refuses its user who took all time of the minute, with the time to wait", async () => {
		let now = 0;
		const made = shared({ userMsPerMinute: 30_000, now: () => now });
		// The time of a task counts from when its thread is loaded.
		await asUser(2, () => made.run("double", 1));
		const first = asUser(1, () => made.run("double", 1));
		const second = asUser(1, () => made.run("double", 1));
		now = 31_000;
		expect(await first).toBe(2);
		await expect(second).rejects.toMatchObject({
			status: 429,
			body: {
				detail: expect.stringMatching(/^Your requests took 30 s of computing time within a minute.*in 60 seconds/),
			},
			headers: { "retry-after": "60" },
		});
		expect(await asUser(2, () => made.run("double", 2))).toBe(4);
		expect(await asUser(1, () => made.run("double", 2), "recording")).toBe(4);
		now = 92_000;
		expect(await asUser(1, () => made.run("double", 3))).toBe(6);
	});

	test("bounds the waiting tasks of each user", async () => {
		const made = shared({ maxQueuePerUser: 1 });
		const settled = Promise.allSettled([1, 2, 3].map(() => asUser(1, () => made.run("hang", null))));
		const other = asUser(2, () => made.run("double", 1)).catch(() => "closed");
		await expect(asUser(1, () => made.run("double", 1))).rejects.toMatchObject({ code: "full" });
		await made.close();
		expect((await settled).at(-1)).toMatchObject({ reason: { code: "full" } });
		expect(await other).toBe("closed");
	});
});

describe("worker url", () => {
	const folder = mkdtempSync(join(tmpdir(), "weft src "));
	const place = (...path: string[]) => pathToFileURL(join(folder, ...path)).href;
	mkdirSync(join(folder, "dist", "a"), { recursive: true });
	writeFileSync(join(folder, "dist", "a", "w.js"), "");

	test("is the compiled file, from sources and from the build", () => {
		expect(getWorkerUrl(place("src", "a", "x.ts"), "./w.ts").href).toBe(place("dist", "a", "w.js"));
		expect(getWorkerUrl(place("dist", "a", "x.js"), "./w.ts").href).toBe(place("dist", "a", "w.js"));
	});

	test("says when it is not built", () => {
		expect(() => getWorkerUrl(place("src", "a", "x.ts"), "./other.ts")).toThrow(/not built: run npm run build/);
		rmSync(folder, { recursive: true });
	});
});
