/** One suite per port, run by every adapter. Redis is tried where WEFT_TEST_REDIS_URL names one. */
import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createThrottle, DEFAULT_RATES } from "../../src/core/http/throttle.ts";
import { systemClock } from "../../src/core/system/clock.ts";
import { createIds } from "../../src/core/system/ids.ts";
import { createMemoryCache } from "../../src/storage/memory/cache.ts";
import { createMemoryPubSub } from "../../src/storage/memory/pubsub.ts";
import { createRedisCache, createRedisPubSub } from "../../src/storage/redis/redis.ts";
import { createSecrets } from "../../src/storage/secrets/secrets.ts";
import { startTestApp, type TestApp, waitUntil } from "../support/harness.ts";

const log = pino({ level: "silent" });
const redisUrl = process.env.WEFT_TEST_REDIS_URL;
const without = redisUrl ? "" : " (no WEFT_TEST_REDIS_URL)";

const caches = [
	{ name: "in process", open: async () => createMemoryCache(systemClock), skip: false },
	{ name: `Redis${without}`, open: () => createRedisCache(redisUrl ?? "", log), skip: !redisUrl },
];

describe.each(caches)("cache $name", ({ open, skip }) => {
	it.skipIf(skip)("keeps a value until it is taken, by one taker only, or its time is over", async () => {
		const cache = await open();
		const key = randomUUID();
		await cache.set(key, "value", 60_000);
		const takers = await Promise.all(Array.from({ length: 10 }, () => cache.take(key)));
		expect(takers.filter((value) => value === "value")).toHaveLength(1);
		await cache.set(key, "short", 20);
		await waitUntil("the value is gone", async () => {
			const value = await cache.take(key);
			if (value !== null) await cache.set(key, value, 20);
			return value === null;
		});
		await cache.ping();
		await cache.close();
	});

	it.skipIf(skip)("counts exactly, from the first increment to the end of the window", async () => {
		const cache = await open();
		const key = randomUUID();
		const counts = await Promise.all(Array.from({ length: 20 }, () => cache.increment(key, 300)));
		expect(counts.map(({ count }) => count).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
		expect(counts.every(({ resetMs }) => resetMs > 0 && resetMs <= 300)).toBe(true);
		await waitUntil("a new window opens", async () => (await cache.increment(key, 60_000)).count === 1);
		await cache.remove(key);
		expect((await cache.increment(key, 60_000)).count).toBe(1);
		await cache.decrement(key);
		expect((await cache.increment(key, 60_000)).count).toBe(1);
		await cache.remove(key);
		await cache.decrement(key);
		expect((await cache.increment(key, 60_000)).count).toBe(1);
		await cache.remove(key);
		await cache.close();
	});
});

const hubs = [
	{ name: "in process", open: async () => createMemoryPubSub(), skip: false },
	{ name: `Redis${without}`, open: () => createRedisPubSub(redisUrl ?? "", log), skip: !redisUrl },
];

describe.each(hubs)("fan-out $name", ({ open, skip }) => {
	it.skipIf(skip)("reaches every listener of a topic, in order, and none after it has left", async () => {
		const hub = await open();
		const topic = randomUUID();
		const heard: string[][] = [[], []];
		const subscriptions = await Promise.all(heard.map((list) => hub.subscribe(topic, (message) => list.push(message))));
		await waitUntil("both listen", async () => {
			await hub.publish(topic, "hello");
			return heard.every((list) => list.length > 0);
		});
		await subscriptions[1]?.unsubscribe();
		const before = heard[1]?.length;
		for (let i = 0; i < 5; i++) await hub.publish(topic, String(i));
		await waitUntil("all arrived", () => heard[0]?.at(-1) === "4");
		expect(heard[0]?.slice(-5)).toEqual(["0", "1", "2", "3", "4"]);
		expect(heard[1]?.length).toBe(before);
		await hub.close();
	});
});

describe("Redis that is away", () => {
	it("lets the throttle count in the process", async () => {
		const cache = await createRedisCache("redis://127.0.0.1:1", log);
		const throttle = createThrottle({
			rates: { ...DEFAULT_RATES, anon: { requests: 2, windowMs: 60_000 } },
			cache,
			fallback: createMemoryCache(systemClock),
		});
		await throttle("anon", "a");
		await throttle("anon", "a");
		await expect(throttle("anon", "a")).rejects.toMatchObject({ status: 429 });
		await throttle("anon", "b");
		await cache.close();
	});
});

describe("secrets", () => {
	const secrets = createSecrets(["the first key of all of them"]);

	it("open under their own context only, and never twice the same text", () => {
		const sealed = secrets.seal("pässwörd", "row:1");
		expect(secrets.open(sealed, "row:1")).toBe("pässwörd");
		expect(secrets.seal("pässwörd", "row:1")).not.toBe(sealed);
		expect(() => secrets.open(sealed, "row:2")).toThrow();
		const changed = sealed.replace(/.(?=.{9}$)/, (letter) => (letter === "A" ? "B" : "A"));
		expect(() => secrets.open(changed, "row:1")).toThrow();
	});

	it("are opened by an older key after a rotation, and sealed by the new one", () => {
		const sealed = secrets.seal("x", "c");
		const rotated = createSecrets(["the second key of them all", "the first key of all of them"]);
		expect(rotated.open(sealed, "c")).toBe("x");
		expect(() => secrets.open(rotated.seal("x", "c"), "c")).toThrow(/another key/);
	});
});

describe("ids", () => {
	it("are UUIDs of version 7 that rise", () => {
		const ids = createIds({ now: () => 1_700_000_000_000 });
		const made = Array.from({ length: 10_000 }, () => ids.uuid());
		expect(made[0]).toMatch(/^018bcfe5-6800-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
		expect([...made].sort()).toEqual(made);
		expect(new Set(made).size).toBe(made.length);
	});
});

describe("queue tasks and announcements", () => {
	const done: string[] = [];
	let app: TestApp;
	beforeAll(async () => {
		app = await startTestApp();
	});
	afterAll(() => app.close());

	it("a queue task exists only if its transaction does, and is tried again when it fails", async () => {
		const { jobs, store } = app.deps;
		let tries = 0;
		await jobs.work([
			{
				name: "try",
				concurrency: 2,
				handler: async (data) => {
					const { name } = data as { name: string };
					if (name === "flaky" && ++tries < 2) throw new Error("not yet");
					done.push(name);
				},
			},
		]);
		await store.transaction((tx) => jobs.enqueue(tx, "try", { name: "kept" }));
		await store.transaction((tx) => jobs.enqueue(tx, "try", { name: "flaky" }));
		await store
			.transaction(async (tx) => {
				await jobs.enqueue(tx, "try", { name: "undone" });
				await jobs.enqueueAll(tx, "try", [{ name: "undone" }]);
				throw new Error("roll back");
			})
			.catch(() => {});
		await waitUntil("both queue tasks are done", () => done.includes("kept") && done.includes("flaky"));
		expect(done).not.toContain("undone");
		expect(tries).toBe(2);
		const many = Array.from({ length: 50 }, (_, i) => ({ name: `many ${i}` }));
		await store.transaction((tx) => jobs.enqueueAll(tx, "try", many));
		await waitUntil("all of many are done", () => done.filter((name) => name.startsWith("many")).length === 50);
		expect(new Set(done).size).toBe(done.length);
	});

	it("an announcement is heard when its transaction commits, and not when it does not", async () => {
		const { announcements, store } = app.deps;
		const heard: string[] = [];
		announcements.listen(
			"test",
			(message) => heard.push(message),
			() => {},
		);
		await store
			.transaction(async (tx) => {
				await announcements.announce(tx, "test", "undone");
				throw new Error("roll back");
			})
			.catch(() => {});
		await store.transaction((tx) => announcements.announce(tx, "test", "kept: with a colon"));
		await waitUntil("it is heard", () => heard.length > 0);
		expect(heard).toEqual(["kept: with a colon"]);
	});
});
