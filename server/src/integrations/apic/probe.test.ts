import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import {
	awaitCondition,
	buildTarget,
	captureRejection,
	createErrorReply,
	createHtmlReply,
	createLoginReply,
	createReply,
	type FakeOptions,
	type Reply,
	useBenches,
} from "../../../test/support/controllers.ts";
import type { ControllerTarget } from "./port.ts";
import { buildTransportError } from "./transport-error.ts";

const makeBench = useBenches();
const setUp = (options: FakeOptions = {}) => makeBench(() => createReply([]), options);

async function freePort(): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	await new Promise((resolve) => server.close(resolve));
	return typeof address === "object" ? (address?.port ?? 0) : 0;
}

describe("the connection test", () => {
	test("logs in anew each time, tells version and latency, and ends its session", async () => {
		const bench = await setUp({
			auth: ({ path }) => {
				if (path.endsWith("aaaLogin.json")) bench.clock.ms += 42;
				return undefined;
			},
		});
		const { fake, driver } = bench;
		expect(await driver.test(buildTarget(fake))).toMatchObject({ ok: true, version: "6.0(9c)", latencyMs: 42 });
		await driver.request(buildTarget(fake), { method: "GET", path: "/api/class/fvBD.json" });
		await driver.test(buildTarget(fake));
		expect(fake.to("aaaLogin.json")).toHaveLength(3);
		expect(fake.to("aaaLogout.json").map(({ cookies }) => cookies)).toEqual([
			["APIC-cookie=token-1"],
			["APIC-cookie=token-3"],
		]);
	});

	test("succeeds without a version, and whatever becomes of the logout", async () => {
		const { fake, driver } = await setUp({
			auth: ({ path }) => (path.endsWith("aaaLogout.json") ? "drop" : createLoginReply("t", { version: "" })),
		});
		expect(await driver.test(buildTarget(fake))).toEqual({
			ok: true,
			doubt: null,
			version: null,
			latencyMs: 0,
			fabricId: null,
			members: [
				{
					url: fake.url,
					name: null,
					nodeId: null,
					address: null,
					answered: true,
					state: "unknown",
					error: null,
					health: null,
					version: null,
				},
			],
			suggestedUrls: [],
		});
	});

	const wrong = createErrorReply(401, "401", "Username or password is incorrect - FAILED local authentication");
	test.each<[string, Reply, string, RegExp]>([
		["wrong credentials", wrong, "credentials", /username or password.*FAILED local authentication/],
		["a locked account", createErrorReply(403, "403", "User account is locked"), "credentials", /locked/],
		["another web server", createHtmlReply(200), "not_a_controller", /web page/],
		["a web server without the API", createHtmlReply(404), "not_a_controller", /404/],
		["a proxy's own login", createHtmlReply(401), "not_a_controller", /not like a controller/],
		["JSON of another service", { json: { version: "1.0" } }, "not_a_controller", /not like a controller/],
		["an object list of another kind", createReply([{ name: "x" }]), "not_a_controller", /not like a controller/],
		["text", { text: "hello" }, "not_a_controller", /not like a controller/],
		[
			"a redirect",
			{ status: 301, headers: { location: "https://other.example/" } },
			"not_a_controller",
			/redirects to https:\/\/other\.example/,
		],
		["throttling", createHtmlReply(503), "throttled", /throttling/],
		["a failed gateway", createHtmlReply(502), "server", /502/],
		["an unknown login domain", createErrorReply(400, "400", "unknown domain"), "rejected", /unknown domain/],
		["a dropped connection", "drop", "reset", /dropped/],
	])("tells %s, after one try", async (_, reply, kind, message) => {
		const { fake, driver, slept } = await setUp({ auth: () => reply });
		expect(await driver.test(buildTarget(fake))).toEqual({ ok: false, kind, message: expect.stringMatching(message) });
		expect([fake.seen.length, slept]).toEqual([1, []]);
		await awaitCondition(() => fake.sockets.size === 0);
	});

	test("tells that nobody answers", async () => {
		const { fake, driver, deadlines } = await setUp({ auth: () => "hang" });
		const pending = driver.test(buildTarget(fake));
		await awaitCondition(() => fake.seen.length === 1);
		for (const expired of deadlines) expired();
		expect(await pending).toMatchObject({ ok: false, kind: "timeout", message: expect.stringContaining("within 5 s") });
	});

	test("tells that nothing listens", async () => {
		const { driver } = await setUp();
		const url = `http://127.0.0.1:${await freePort()}`;
		expect(await driver.test(buildTarget({ url }))).toMatchObject({
			ok: false,
			kind: "refused",
			message: expect.stringMatching(/refused/),
		});
	});

	test("tells that the name is unknown", async () => {
		const { driver } = await setUp();
		const result = await driver.test(buildTarget({ url: "https://apic.invalid" }));
		expect(result).toMatchObject({ ok: false, kind: "dns", message: expect.stringContaining("apic.invalid") });
	});

	test("is cancelled by its signal", async () => {
		const { fake, driver } = await setUp({ auth: () => "hang" });
		const stop = new AbortController();
		const pending = captureRejection(driver.test(buildTarget(fake), stop.signal));
		await awaitCondition(() => fake.seen.length === 1);
		stop.abort();
		expect(await pending).toMatchObject({ kind: "cancelled" });
		expect(await captureRejection(driver.test(buildTarget(fake), stop.signal))).toMatchObject({ kind: "cancelled" });
	});
});

test.each([
	["ENETUNREACH", "refused"],
	["EAI_AGAIN", "dns"],
	["UND_ERR_CONNECT_TIMEOUT", "timeout"],
	["CERT_HAS_EXPIRED", "tls"],
	["CERT_NOT_YET_VALID", "tls"],
	["CERT_REVOKED", "tls"],
	["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tls"],
	["HPE_INVALID_CONSTANT", "not_a_controller"],
	["UND_ERR_SOCKET", "reset"],
	["ESOMETHING", "reset"],
])("%s is told as %s", (code, kind) => {
	const url = new URL("https://apic.example");
	const error = Object.assign(new Error("password=s3cret"), { code });
	for (const given of [error, new AggregateError([error]), new TypeError("failed", { cause: error })]) {
		expect(buildTransportError(given, url)).toMatchObject({
			kind,
			code,
			message: expect.not.stringContaining("s3cret"),
		});
	}
});

test("an error without a code is still told", () => {
	expect(buildTransportError("odd", new URL("http://[::1]:80"))).toMatchObject({
		kind: "reset",
		message: expect.stringMatching(/\[::1\]:80/),
	});
});

describe.skipIf(!hasOpenssl())("TLS (skipped where openssl is absent)", () => {
	const folder = mkdtempSync(join(tmpdir(), "weft-tls-"));
	afterAll(() => rmSync(folder, { recursive: true }));
	let made = 0;

	function createCertificate(...options: string[]): { key: string; cert: string } {
		made += 1;
		const [key, cert] = [join(folder, `${made}.key`), join(folder, `${made}.crt`)];
		const fixed = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-subj", "/CN=apic"];
		execFileSync("openssl", [...fixed, ...options], { stdio: "ignore" });
		return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
	}

	async function buildTest(host: string, tls: { key: string; cert: string }, changes: Partial<ControllerTarget> = {}) {
		const bench = await setUp({ tls, host });
		return { ...bench, result: await bench.driver.test(buildTarget(bench.fake, changes)) };
	}

	test("a self-signed certificate is refused, and accepted with a warning on each use when not validated", async () => {
		const tls = createCertificate("-days", "2", "-addext", "subjectAltName=IP:127.0.0.1");
		const { result, unverified, fake, driver } = await buildTest("127.0.0.1", tls);
		expect(result).toMatchObject({ ok: false, kind: "tls", message: expect.stringContaining("self-signed") });
		expect([unverified, fake.seen]).toEqual([[], []]);
		const target = buildTarget(fake, { verifyTls: false });
		expect(await driver.test(target)).toMatchObject({ ok: true });
		await driver.request(target, { method: "GET", path: "/api/class/fvBD.json" });
		await driver.rows(target, { path: "/api/class/fvBD.json" });
		await driver.count(target, { path: "/api/class/fvBD.json" });
		expect(unverified).toEqual(["c1", "c1", "c1", "c1"]);
	});

	test("an address of version 6 works", async () => {
		const { result } = await buildTest("::1", createCertificate("-days", "2"), { verifyTls: false });
		expect(result).toMatchObject({ ok: true });
	});

	test("a controller without TLS is told", async () => {
		const { fake, driver } = await setUp();
		const url = fake.url.replace("http:", "https:");
		expect(await driver.test(buildTarget({ url }))).toMatchObject({
			ok: false,
			kind: "tls",
			message: expect.stringMatching(/does not speak TLS/),
		});
	});
});

function hasOpenssl(): boolean {
	try {
		execFileSync("openssl", ["version"], { stdio: "ignore" });
		return true;
	} catch {
		return false;
	}
}
