import { describe, expect, test } from "vitest";
import {
	awaitCondition,
	buildTarget,
	captureRejection,
	createControllerObjects,
	createReply,
	useBenches,
} from "../../../test/support/controllers.ts";

const setUp = useBenches();

const createBdAnswer = () => createReply(createControllerObjects(1));

describe("a connection's life", () => {
	test("a new revision brings a new session and closes the sockets of the old one", async () => {
		const { fake, driver } = await setUp(createBdAnswer);
		const ask = (revision: string, password: string) =>
			driver.request(buildTarget(fake, { revision, password }), { method: "GET", path: "/api/class/fvBD.json" });
		await ask("1", "old-password");
		const [old] = fake.sockets;
		await ask("2", "new-password");
		await awaitCondition(() => old !== undefined && !fake.sockets.has(old));
		expect(fake.to("aaaLogin.json").map(({ body }) => JSON.parse(body).aaaUser.attributes.pwd)).toEqual([
			"old-password",
			"new-password",
		]);
	});

	test("forget lets requests finish and then starts over", async () => {
		let release = () => {};
		const held = new Promise<void>((resolve) => {
			release = resolve;
		});
		const { fake, send, driver } = await setUp(async () => {
			await held;
			return createBdAnswer();
		});
		const pending = send();
		await awaitCondition(() => fake.to("fvBD.json").length === 1);
		driver.forget("c1");
		driver.forget("unknown");
		release();
		expect(await pending).toMatchObject({ status: 200 });
		await awaitCondition(() => fake.sockets.size === 0);
		await send();
		expect(fake.to("aaaLogin.json")).toHaveLength(2);
	});

	test("close cancels what runs, refuses what comes and leaves no socket", async () => {
		const { fake, send, driver } = await setUp(() => "hang");
		const pending = captureRejection(send());
		await awaitCondition(() => fake.to("fvBD.json").length === 1);
		await driver.close();
		expect(await pending).toMatchObject({ kind: "cancelled" });
		expect(await captureRejection(send())).toMatchObject({ kind: "cancelled" });
		await awaitCondition(() => fake.sockets.size === 0);
	});

	test("sockets are kept and used again", async () => {
		const { fake, send } = await setUp(createBdAnswer);
		for (let i = 0; i < 20; i += 1) await send();
		expect(fake.connections()).toBeLessThanOrEqual(2);
	});

	test("a path in the address is kept, also for the login", async () => {
		const { fake, driver } = await setUp(createBdAnswer);
		await driver.request(buildTarget({ url: `${fake.url}/proxy/apic/` }), {
			method: "GET",
			path: "/api/class/fvBD.json",
		});
		expect(fake.seen.map(({ path }) => path)).toEqual([
			"/proxy/apic/api/aaaLogin.json",
			"/proxy/apic/api/class/fvBD.json",
		]);
	});

	test("at most six requests are under way", async () => {
		let running = 0;
		let most = 0;
		let reached = () => {};
		const six = new Promise<void>((resolve) => {
			reached = resolve;
		});
		const { send } = await setUp(async () => {
			running += 1;
			most = Math.max(most, running);
			if (running === 6) reached();
			await six;
			running -= 1;
			return createBdAnswer();
		});
		await Promise.all(Array.from({ length: 30 }, () => send()));
		expect(most).toBe(6);
	});
});
