/** Certificate login against the simulated controller, which checks each signature. */
import { generateKeyPairSync } from "node:crypto";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
	buildTarget,
	captureRejection,
	createErrorReply,
	createReply,
	createTestDriver,
	useBenches,
} from "../../../test/support/controllers.ts";

const makeKeys = () =>
	generateKeyPairSync("rsa", {
		modulusLength: 2_048,
		publicKeyEncoding: { type: "spki", format: "pem" },
		privateKeyEncoding: { type: "pkcs8", format: "pem" },
	});
const [keys, otherKeys] = [makeKeys(), makeKeys()];
const DN = "uni/userext/user-weft/usercert-ci";
const APP_DN = "uni/userext/appuser-Weft/usercert-ci";
const SIGNED = { certificateDn: DN, privateKey: keys.privateKey };

const makeBench = useBenches();
let lab: RunningController;
let bench: ReturnType<typeof createTestDriver>;
beforeAll(async () => {
	lab = await startController({
		certificates: [
			{ user: "weft", name: "ci", pem: keys.publicKey },
			{ user: "Weft", name: "ci", pem: keys.publicKey, isApp: true },
		],
	});
});
afterEach(async () => {
	await bench?.driver.close();
	lab.clearFaults();
});
afterAll(() => lab.close());

function setUp(changes: Parameters<typeof buildTarget>[1] = {}) {
	bench = createTestDriver();
	lab.resetStats();
	return { ...bench, target: buildTarget(lab, { ...SIGNED, ...changes }) };
}

describe("signed requests", () => {
	test("read pages, counts and single objects without a login", async () => {
		const { driver, target } = setUp();
		const path = '/api/class/fvAEPg.json?query-target-filter=wcard(fvAEPg.name,"[a-z]|x")';
		const { rows } = await driver.rows(target, { path, orderBy: "fvAEPg.name|desc", pageSize: 5 });
		expect(rows.length).toBeGreaterThan(10);
		expect(await driver.count(target, { path })).toBe(rows.length);
		const one = '/api/mo/uni/tn-common/ctx-default.json?rsp-subtree=full&rsp-prop-include=config-only&x=a%20b"ü';
		expect(await driver.request(target, { method: "GET", path: one })).toMatchObject({ status: 200 });
		expect(lab.stats().kinds.aaaLogin).toBeUndefined();
	});

	test("write bodies as they are, objects and texts beyond ASCII", async () => {
		const { driver, target } = setUp();
		const path = "/api/mo/uni/tn-signed.json";
		const body = { fvTenant: { attributes: { name: "signed", descr: "a/b c" } } };
		await driver.request(target, { method: "POST", path, body });
		await driver.request(target, { method: "POST", path, body: JSON.stringify(body, null, 2) });
		const { data } = await driver.request(target, { method: "GET", path });
		expect(data).toMatchObject({ imdata: [{ fvTenant: { attributes: { descr: "a/b c" } } }] });
		const foreign = { fvTenant: { attributes: { name: "signed", descr: "Prüfung" } } };
		// The signature holds; the value does not.
		expect(await captureRejection(driver.request(target, { method: "POST", path, body: foreign }))).toMatchObject({
			code: "801",
		});
		await driver.request(target, { method: "DELETE", path });
	});

	test("of an app carry its DN", async () => {
		const { driver, target } = setUp({ certificateDn: APP_DN });
		expect(await driver.test(target)).toMatchObject({ ok: true });
	});

	test("are signed below a path prefix as the controller sees them", async () => {
		const { fake, driver } = await makeBench(() => createReply([]));
		const target = buildTarget({ url: `${fake.url}/fabric-1` }, SIGNED);
		await driver.request(target, { method: "GET", path: "/api/class/fvBD.json" });
		const { driver: direct, target: same } = setUp();
		await direct.request(same, { method: "GET", path: "/api/class/fvBD.json" });
		const [seen] = fake.seen;
		expect(seen?.url).toBe("/fabric-1/api/class/fvBD.json");
		expect(seen?.cookies).toEqual([
			expect.stringMatching(
				/^APIC-Certificate-Algorithm=v1\.0; APIC-Certificate-Fingerprint=fingerprint; APIC-Certificate-DN=uni\/userext\/user-weft\/usercert-ci; APIC-Request-Signature=[A-Za-z0-9+/]{342}==$/,
			),
		]);
		// The controller behind the prefix checks the same text.
		const response = await fetch(`${lab.url}/api/class/fvBD.json`, { headers: { cookie: seen?.cookies[0] ?? "" } });
		expect(response.status).toBe(200);
	});

	test("are repeated like others", async () => {
		const { driver, target } = setUp();
		lab.setFaults({ html_error: { count: 2 }, reset: { count: 1 } });
		expect(await driver.count(target, { path: "/api/class/fvTenant.json" })).toBeGreaterThan(0);
	});

	test("lacking a right are a matter of rights", async () => {
		const { driver, target } = setUp();
		lab.setFaults({ access_denied: true });
		expect(await captureRejection(driver.count(target, { path: "/api/class/fvTenant.json" }))).toMatchObject({
			kind: "permission",
		});
	});
});

describe("the test of a certificate login", () => {
	test("tells version and latency, and opens no session", async () => {
		const { driver, target } = setUp();
		expect(await driver.test(target)).toMatchObject({
			ok: true,
			version: "6.0(9c)",
			latencyMs: 0,
			fabricId: "weft-fabric/FDO20000001",
			members: [
				{ url: lab.url, nodeId: 1, state: "ok" },
				{ url: null, nodeId: 2 },
				{ url: null, nodeId: 3 },
			],
		});
		expect(lab.stats()).toMatchObject({ requests: 5, logins: 0 });
	});

	test.each([
		[
			"the key of another certificate",
			{ privateKey: otherKeys.privateKey },
			/bad signature.*private key does not match.*user-weft\/usercert-ci/,
		],
		["an unknown certificate", { certificateDn: `${DN}-2` }, /not found.*Add the certificate .*usercert-ci-2/],
		["an app instead of a user", { certificateDn: "uni/userext/appuser-weft/usercert-ci" }, /Add the certificate/],
	])("tells %s, and so do reads, after one request", async (_, changes, message) => {
		const { driver, target, slept } = setUp(changes);
		const result = await driver.test(target);
		expect(result).toEqual({ ok: false, kind: "credentials", message: expect.stringMatching(message) });
		expect(await captureRejection(driver.count(target, { path: "/api/class/fvTenant.json" }))).toMatchObject({
			kind: "credentials",
			message: expect.stringMatching(message),
		});
		expect([lab.stats().requests, slept]).toEqual([2, []]);
		expect(JSON.stringify(result)).not.toContain("PRIVATE KEY");
	});

	test.each([
		[
			"the refusal of old releases",
			createErrorReply(403, "403", "padding check failed"),
			"credentials",
			/does not match/,
		],
		["a refusal in other words", createErrorReply(401, "401", "no"), "credentials", /"no".*Check that the user has/],
		["a refused right", createErrorReply(403, "403", "Access restricted"), "permission", /Access restricted/],
		["another service", { json: { version: "1.0" } }, "not_a_controller", /not like a controller/],
		["text", { text: "hello" }, "not_a_controller", /not like a controller/],
	] as const)("tells %s", async (_, reply, kind, message) => {
		const { fake, driver } = await makeBench(() => reply);
		const result = await driver.test(buildTarget(fake, SIGNED));
		expect(result).toEqual({ ok: false, kind, message: expect.stringMatching(message) });
	});

	test("succeeds for a user who may not read the version", async () => {
		const { fake, driver } = await makeBench(() => createReply([]));
		expect(await driver.test(buildTarget(fake, SIGNED))).toMatchObject({ ok: true, version: null });
	});

	test("shows no signature that the controller repeats", async () => {
		const { fake, driver } = await makeBench(({ cookies }) => createErrorReply(401, "401", `bad cookie ${cookies[0]}`));
		const result = await driver.test(buildTarget(fake, SIGNED));
		const signature = /APIC-Request-Signature=(.+)$/.exec(fake.seen[0]?.cookies[0] ?? "")?.[1] ?? "";
		expect(signature.length).toBeGreaterThan(300);
		expect(JSON.stringify(result)).not.toContain(signature);
	});
});
