import { describe, expect, it } from "vitest";
import type { Log } from "../ports/log.ts";
import { openTrustedProxies } from "./trusted-proxies.ts";

/** A name server and a clock that the test moves. */
function createNames(addresses: Record<string, readonly string[]>) {
	const ticks: (() => void)[] = [];
	const warnings: string[] = [];
	const ignore = () => {};
	const log: Log = { debug: ignore, info: ignore, error: ignore, warn: (_, text) => void warnings.push(text) };
	const clock = {
		now: () => 0,
		sleep: async () => {},
		every: (_: number, tick: () => void) => {
			ticks.push(tick);
			return { stop: () => void ticks.splice(ticks.indexOf(tick), 1) };
		},
	};
	const resolve = async (name: string) => {
		const found = addresses[name];
		if (found === undefined) throw new Error(`no address of ${name}`);
		return found;
	};
	const tick = async () => {
		for (const each of ticks) each();
		await new Promise((resolve) => setImmediate(resolve));
	};
	return { addresses, warnings, tick, ticks, context: { clock, log, resolve } };
}

describe("trusted proxies", () => {
	it.each(["loopback", 0, 2] as const)("trusts %s as the setting says", async (setting) => {
		expect((await openTrustedProxies(setting, createNames({}).context)).trusted).toBe(setting);
	});

	it("trusts the networks of the setting, and all addresses of its host names", async () => {
		const names = createNames({ "proxies.example.net": ["192.0.2.7", "2001:DB8::7"] });
		const { trusted } = await openTrustedProxies(["10.1.0.0/16", "proxies.example.net"], names.context);
		const check = (address: string) => typeof trusted === "object" && trusted.has(address);
		const asked = ["10.1.2.3", "192.0.2.7", "2001:db8::7", "10.2.0.1", "192.0.2.8", ""];
		expect(asked.filter(check)).toEqual(["10.1.2.3", "192.0.2.7", "2001:db8::7"]);
	});

	it("follows a change of a name, and keeps the last addresses while it cannot be resolved", async () => {
		const names = createNames({});
		const { trusted, close } = await openTrustedProxies(["proxies.example.net"], names.context);
		const check = (address: string) => typeof trusted === "object" && trusted.has(address);
		expect([check("192.0.2.7"), names.warnings.length]).toEqual([false, 1]);
		names.addresses["proxies.example.net"] = ["192.0.2.7"];
		await names.tick();
		expect(check("192.0.2.7")).toBe(true);
		names.addresses["proxies.example.net"] = ["192.0.2.8"];
		await names.tick();
		expect([check("192.0.2.7"), check("192.0.2.8")]).toEqual([false, true]);
		delete names.addresses["proxies.example.net"];
		await names.tick();
		await names.tick();
		expect([check("192.0.2.8"), names.warnings.length]).toEqual([true, 2]);
		await close();
		expect(names.ticks).toEqual([]);
	});
});
