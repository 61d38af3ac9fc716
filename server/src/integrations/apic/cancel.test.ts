import { describe, expect, test } from "vitest";
import {
	awaitCondition,
	captureRejection,
	createHtmlReply,
	createReply,
	useBenches,
} from "../../../test/support/controllers.ts";

const setUp = useBenches();

describe("cancelling", () => {
	test("ends a call at once, and lets its read under way end at the controller", async () => {
		const { send, fake, asked, driver } = await setUp(() => "hang");
		const stop = new AbortController();
		const pending = captureRejection(send({ path: "/api/class/fvBD.json", signal: stop.signal }));
		await awaitCondition(() => asked().length === 1);
		stop.abort();
		expect(await pending).toMatchObject({ kind: "cancelled" });
		expect(fake.unanswered.size).toBe(1);
		await driver.close();
		await awaitCondition(() => fake.unanswered.size === 0);
	});

	test("ends waiting for a place", async () => {
		const { send, asked, driver } = await setUp(() => "hang", { concurrency: 1 });
		const stop = new AbortController();
		const running = captureRejection(send());
		await awaitCondition(() => asked().length === 1);
		const queued = captureRejection(send({ path: "/api/class/fvCtx.json", signal: stop.signal }));
		stop.abort();
		expect(await queued).toMatchObject({ kind: "cancelled" });
		expect(asked().length).toBe(1);
		await driver.close();
		await running;
	});

	test("ends the pause before the next try", async () => {
		const stop = new AbortController();
		const { send, asked } = await setUp(() => createHtmlReply(503), {
			sleep: (_, signal) =>
				new Promise((_resolve, reject) => {
					signal.addEventListener("abort", () => reject(signal.reason));
					stop.abort();
				}),
		});
		expect(await captureRejection(send({ path: "/api/class/fvBD.json", signal: stop.signal }))).toMatchObject({
			kind: "cancelled",
		});
		expect(asked().length).toBe(1);
	});

	test("ends waiting for a login, which goes on for the others", async () => {
		let allow = () => {};
		const allowed = new Promise<void>((resolve) => {
			allow = resolve;
		});
		const { send, fake } = await setUp(() => createReply([]), {
			auth: async () => {
				await allowed;
				return undefined;
			},
		});
		const stop = new AbortController();
		const first = captureRejection(send({ signal: stop.signal }));
		const second = send();
		await awaitCondition(() => fake.to("aaaLogin.json").length === 1);
		stop.abort();
		expect(await first).toMatchObject({ kind: "cancelled" });
		allow();
		expect(await second).toMatchObject({ status: 200 });
		expect(fake.to("aaaLogin.json")).toHaveLength(1);
	});

	test("before the start sends nothing", async () => {
		const { send, fake } = await setUp(() => createReply([]));
		expect(await captureRejection(send({ path: "/api/class/fvBD.json", signal: AbortSignal.abort() }))).toMatchObject({
			kind: "cancelled",
		});
		expect(fake.seen).toEqual([]);
	});

	test("keeps the place of its read for a moment only", async () => {
		const { send, asked, deadlines, limits } = await setUp(() => "hang", { concurrency: 1, lingerMs: 700 });
		const stop = new AbortController();
		const given = captureRejection(send({ signal: stop.signal }));
		await awaitCondition(() => asked().length === 1);
		const next = send({ path: "/api/class/fvCtx.json" });
		next.catch(() => undefined);
		stop.abort();
		await given;
		for (let i = 0; i < 50; i += 1) await new Promise((resolve) => setImmediate(resolve));
		expect(asked()).toHaveLength(1);
		expect(limits.at(-1)).toBe(700);
		[...deadlines].at(-1)?.();
		await awaitCondition(() => asked().length === 2);
	});

	test("drops the oldest of its reads when too many hang", async () => {
		const { send, asked, deadlines, fake } = await setUp(() => "hang", { concurrency: 2 });
		for (let i = 1; i <= 4; i += 1) {
			const stop = new AbortController();
			const given = captureRejection(send({ path: `/api/class/fvBD.json?page=${i}`, signal: stop.signal }));
			await awaitCondition(() => asked().length === i);
			stop.abort();
			await given;
			[...deadlines].at(-1)?.();
		}
		await awaitCondition(() => fake.unanswered.size === 2);
		expect([...fake.unanswered].map(({ query }) => query.get("page"))).toEqual(["3", "4"]);
	});

	test("lets a read end that has no place any more, and nothing is left of it", async () => {
		let release = () => {};
		const released = new Promise<void>((resolve) => {
			release = resolve;
		});
		const { send, asked, deadlines, fake } = await setUp(async () => {
			await released;
			return createReply([]);
		});
		const stop = new AbortController();
		const given = captureRejection(send({ signal: stop.signal }));
		await awaitCondition(() => asked().length === 1);
		stop.abort();
		await given;
		[...deadlines].at(-1)?.();
		expect(fake.unanswered.size).toBe(1);
		release();
		await awaitCondition(() => fake.unanswered.size === 0 && deadlines.size === 0);
		expect(await send()).toMatchObject({ status: 200 });
	});
});
