/**
 * A name whose address changes between two lookups: the address that was checked is the one that is
 * connected to, and another one is checked anew.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { type RunningAutomation, type RunningController, startAutomation, startController } from "@weft/lab";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { systemClock } from "../../src/core/system/clock.ts";
import type { Resolve } from "../../src/core/system/networks.ts";
import { createOutgoingTargets } from "../../src/core/system/outgoing.ts";
import { createControllerDriver } from "../../src/integrations/apic/index.ts";
import { createAutomationDriver } from "../../src/integrations/awx/index.ts";
import { createModelSource } from "../../src/integrations/class-documents/index.ts";
import { createWebhookSender } from "../../src/integrations/webhooks/sender.ts";
import { type Receiver, startReceiver } from "../support/webhook-receiver.ts";

const ALLOWED = "127.0.0.1";
/** Another address of this host, where only a connection that was not checked arrives. */
const FORBIDDEN = "127.0.0.9";
const NAME = "fabric.test";

let lab: RunningController;
let automation: RunningAutomation;
let receiver: Receiver;
beforeAll(async () => {
	[lab, automation, receiver] = await Promise.all([
		startController({ size: "empty" }),
		startAutomation(),
		startReceiver(),
	]);
});
afterAll(() => Promise.all([lab.close(), automation.close(), receiver.close()]));

const decoys: Server[] = [];
afterEach(() => {
	for (const decoy of decoys.splice(0)) decoy.close();
});

/** Counts the connections to the forbidden address at the port of `url`. */
async function watchForbidden(url: string): Promise<{ connections: number }> {
	const seen = { connections: 0 };
	const decoy = createServer((socket) => {
		seen.connections++;
		socket.destroy();
	}).listen(Number(new URL(url).port), FORBIDDEN);
	decoys.push(decoy);
	await once(decoy, "listening");
	return seen;
}

/** A name service that answers the allowed address `times` times, and then the forbidden one. */
function startChangingAfter(times: number): { readonly resolve: Resolve; readonly names: string[] } {
	const names: string[] = [];
	return {
		names,
		resolve(hostname, _options, done) {
			names.push(hostname);
			done(null, [{ address: names.length <= times ? ALLOWED : FORBIDDEN, family: 4 }]);
		},
	};
}

/** How many connections the HTTP client makes meanwhile. */
async function listConnections(work: () => Promise<unknown>): Promise<number> {
	let count = 0;
	const onConnected = () => {
		count++;
	};
	subscribe("undici:client:connected", onConnected);
	await work();
	unsubscribe("undici:client:connected", onConnected);
	return count;
}

/** Connects to `url`; `"address"` where the settings refuse the address. */
type Connect = (url: string, resolve: Resolve) => Promise<"connected" | "address">;

const getOutcome = (result: { ok: true } | { ok: false; kind: string }) =>
	result.ok ? "connected" : (result.kind as "address");
const getTargets = (resolve: Resolve) => createOutgoingTargets([`${ALLOWED}/32`], resolve);
const buildTarget = (url: string) => ({ id: "c", revision: "1", url, verifyTls: true, timeoutMs: 5_000 });

async function connectController(url: string, resolve: Resolve) {
	const driver = createControllerDriver({ clock: systemClock, targets: getTargets(resolve) });
	const { username, password } = lab;
	const result = await driver.test({ ...buildTarget(url), username, password });
	await driver.close();
	return getOutcome(result);
}

async function connectAutomation(url: string, resolve: Resolve) {
	const driver = createAutomationDriver({ pace: 0, targets: getTargets(resolve) });
	const result = await driver.test({ ...buildTarget(url), username: "", token: automation.token });
	await driver.close();
	return getOutcome(result);
}

async function connectModelSource(url: string, resolve: Resolve) {
	const pacing = { ...systemClock, random: () => 0 };
	const models = createModelSource({ pacing, retries: 0, targets: getTargets(resolve) });
	const { username, password } = lab;
	const source = await models.open({ kind: "controller", target: { ...buildTarget(url), username, password } }, 1);
	const fetched = await source.fetch("fvTenant", new AbortController().signal).catch((error: unknown) => error);
	await source.close();
	return JSON.stringify([fetched, String(fetched)]).includes("do not allow") ? "address" : "connected";
}

async function sendWebhook(url: string, resolve: Resolve) {
	const sender = createWebhookSender({ public: false, networks: [ALLOWED] }, { resolve });
	const { signal } = new AbortController();
	const sent = sender.send({ url, headers: {}, body: "{}", signal });
	const result = await sent.then(
		() => "connected" as const,
		({ reason }) => reason,
	);
	await sender.close();
	return result;
}

it.each<[string, Connect, () => string]>([
	["a controller", connectController, () => lab.url],
	["an automation server", connectAutomation, () => automation.url],
	["a controller as the source of a class model", connectModelSource, () => lab.url],
	["a webhook", sendWebhook, () => receiver.url],
])("of %s", async (_name, connect, address) => {
	const forbidden = await watchForbidden(address());
	const url = address().replace(ALLOWED, NAME);
	const made = await listConnections(() => connect(url, startChangingAfter(Number.POSITIVE_INFINITY).resolve));
	expect(made).toBeGreaterThan(0);
	// One answer for each connection: a second lookup of a checked name gets the other address.
	const changing = startChangingAfter(made);
	expect(await connect(url, changing.resolve)).toBe("connected");
	expect(changing.names).toEqual(Array.from({ length: made }, () => NAME));
	expect(await connect(url, changing.resolve)).toBe("address");
	expect(forbidden.connections).toBe(0);
});
