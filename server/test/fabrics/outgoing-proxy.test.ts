/** Each sender through a web proxy, which the settings or the usual variables name. */
import {
	type RunningAutomation,
	type RunningController,
	type RunningModelSource,
	startAutomation,
	startController,
	startModelSource,
} from "@weft/lab";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { readConfig } from "../../src/config.ts";
import { systemClock } from "../../src/core/system/clock.ts";
import type { Resolve } from "../../src/core/system/networks.ts";
import { createControllerDriver } from "../../src/integrations/apic/index.ts";
import { createAutomationDriver } from "../../src/integrations/awx/index.ts";
import { createModelSource } from "../../src/integrations/class-documents/index.ts";
import { createOidcProvider } from "../../src/integrations/oidc/oidc.ts";
import { createWebhookSender } from "../../src/integrations/webhooks/sender.ts";
import { type ConnectProxy, startConnectProxy } from "../support/connect-proxy.ts";
import { startIdentityProvider, type TestProvider } from "../support/identity-provider.ts";
import { type Receiver, startReceiver } from "../support/webhook-receiver.ts";

let lab: RunningController;
let automation: RunningAutomation;
let site: RunningModelSource;
let receiver: Receiver;
let provider: TestProvider;
let proxy: ConnectProxy;
beforeAll(async () => {
	[lab, automation, site, receiver, provider] = await Promise.all([
		startController({ size: "empty" }),
		startAutomation(),
		startModelSource({ classes: 20 }),
		startReceiver(),
		startIdentityProvider("https://weft.example.net"),
	]);
});
afterAll(() => Promise.all([lab.close(), automation.close(), site.close(), receiver.close(), provider.stop()]));
beforeEach(async () => {
	proxy = await startConnectProxy();
});
afterEach(async () => {
	vi.unstubAllEnvs();
	await proxy.close();
});

type Environment = Readonly<Record<string, string>>;
const never = new AbortController().signal;
const getTarget = (url: string): string => new URL(url).host;

/** A name service that knows one address. */
const resolvesTo =
	(address: string): Resolve =>
	(_hostname, _options, done) =>
		done(null, [{ address, family: 4 }]);

async function sendHook(environment: Environment, url: string, address = "127.0.0.1"): Promise<number> {
	const { outgoingProxy } = readConfig(environment);
	const options = { resolve: resolvesTo(address), proxy: outgoingProxy };
	const sender = createWebhookSender({ public: false, networks: ["127.0.0.1/32"] }, options);
	try {
		return (await sender.send({ url, headers: {}, body: "{}", signal: never })).status;
	} finally {
		await sender.close();
	}
}

async function askProvider(environment: Environment): Promise<void> {
	const { issuer, clientId, clientSecret } = provider;
	const options = { issuer, clientId, clientSecret, scopes: "openid", usernameClaim: "sub", groupsClaim: "groups" };
	const silent = { info() {}, warn() {}, error() {}, debug() {} };
	const adapter = createOidcProvider(options, systemClock, silent, readConfig(environment).outgoingProxy);
	const grant = { redirectUri: "https://weft.example.net/cb", state: "s", nonce: "n", verifier: "v".repeat(43) };
	expect(await adapter.authorizationUrl(grant, null)).toContain("code_challenge=");
	await adapter.close();
}

async function fetchDocument(environment: Environment): Promise<void> {
	const pacing = { ...systemClock, random: () => 0 };
	const models = createModelSource({ pacing, retries: 0, proxy: readConfig(environment).outgoingProxy });
	const source = await models.open({ kind: "remote", chain: [{ key: "611", url: site.url }] }, 2);
	const [name = ""] = site.published("611");
	expect(await source.fetch(name, never)).toMatchObject({ kind: "found" });
	await source.close();
}

const SENDERS: readonly [string, (environment: Environment) => Promise<unknown>, () => string][] = [
	["A webhook", (environment) => sendHook(environment, receiver.url), () => receiver.url],
	["The identity provider", askProvider, () => provider.issuer],
	["The site with the class model", fetchDocument, () => site.url],
];

describe.each(SENDERS)("%s", (_name, use, address) => {
	it.each(["WEFT_OUTGOING_PROXY", "HTTP_PROXY", "http_proxy"])("is reached through the proxy of %s", async (name) => {
		await use({ [name]: proxy.url });
		expect(new Set(proxy.targets)).toEqual(new Set([getTarget(address())]));
	});

	it("is reached directly where NO_PROXY names it, and with WEFT_OUTGOING_PROXY=off", async () => {
		await use({ WEFT_OUTGOING_PROXY: proxy.url, NO_PROXY: "other.example.net,127.0.0.1" });
		await use({ HTTP_PROXY: proxy.url, WEFT_OUTGOING_PROXY: "off" });
		expect(proxy.targets).toEqual([]);
	});
});

it("Controllers and automation servers are asked directly, whatever the variables say", async () => {
	vi.stubEnv("HTTP_PROXY", proxy.url);
	vi.stubEnv("HTTPS_PROXY", proxy.url);
	const buildTarget = (url: string) => ({ id: "c", revision: "1", url, verifyTls: true, timeoutMs: 5_000 });
	const controllers = createControllerDriver({ clock: systemClock });
	const { username, password } = lab;
	expect(await controllers.test({ ...buildTarget(lab.url), username, password })).toMatchObject({ ok: true });
	await controllers.close();
	const jobs = createAutomationDriver({ pace: 0 });
	const login = { username: "", token: automation.token };
	expect(await jobs.test({ ...buildTarget(automation.url), ...login })).toMatchObject({ ok: true });
	await jobs.close();
	expect(proxy.targets).toEqual([]);
});

describe("A webhook through the proxy", () => {
	const byName = (name: string): string => receiver.url.replace("127.0.0.1", name);

	it("is sent to a name that resolves to an allowed address", async () => {
		expect(await sendHook({ WEFT_OUTGOING_PROXY: proxy.url }, byName("hooks.test"))).toBe(204);
		expect(proxy.targets).toEqual([getTarget(byName("hooks.test"))]);
	});

	it("is refused without a CONNECT where the name resolves to an address that is not allowed", async () => {
		const sent = sendHook({ WEFT_OUTGOING_PROXY: proxy.url }, byName("hooks.test"), "127.0.0.9");
		await expect(sent).rejects.toMatchObject({ name: "WebhookError", reason: "address" });
		const literal = sendHook({ WEFT_OUTGOING_PROXY: proxy.url }, byName("127.0.0.9"));
		await expect(literal).rejects.toMatchObject({ name: "WebhookError", reason: "address" });
		expect(proxy.targets).toEqual([]);
	});

	it("fails with a message that names the proxy as a possible cause, and none of its password", async () => {
		const url = proxy.url.replace("//", "//weft:s3cret-of-proxy@");
		expect(await sendHook({ WEFT_OUTGOING_PROXY: url }, receiver.url)).toBe(204);
		expect(proxy.authorization()).toBe(`Basic ${Buffer.from("weft:s3cret-of-proxy").toString("base64")}`);
		proxy.refuse(403);
		const error = await sendHook({ WEFT_OUTGOING_PROXY: url }, receiver.url).catch((reason: unknown) => reason);
		expect(error).toMatchObject({ name: "WebhookError", reason: "connection" });
		expect(String(error)).toContain("web proxy");
		expect(String(error)).not.toContain("s3cret");
	});
});

it("An address of a proxy that is none is refused at the start, without repeating it", () => {
	for (const name of ["WEFT_OUTGOING_PROXY", "HTTPS_PROXY"])
		expect(() => readConfig({ [name]: "ftp://weft:s3cret@proxy" })).toThrow(
			expect.objectContaining({ message: expect.not.stringContaining("s3cret") }),
		);
	expect(readConfig({ HTTPS_PROXY: "proxy.example.net:3128" }).outgoingProxy).toEqual({
		http: null,
		https: "http://proxy.example.net:3128",
		noProxy: "",
	});
});
