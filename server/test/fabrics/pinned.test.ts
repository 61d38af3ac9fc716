/** Controllers with a certificate of an unknown issuer: shown by a test, trusted by fingerprint. */
import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";

const PATH = "/api/controller/connections/";
const NO_OPENSSL = "openssl makes the certificates of this test, and is not installed";

function makeCertificate(name: string): { key: string; cert: string; fingerprint: string } | null {
	const folder = mkdtempSync(join(tmpdir(), "weft-pinned-"));
	const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
	// Of another name than the address, as certificates of controllers are.
	const subject = ["-subj", `/O=Fabric/CN=${name}`, "-days", "30"];
	try {
		const fixed = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", keyFile, "-out", certFile];
		execFileSync("openssl", [...fixed, ...subject], { stdio: "ignore" });
		const cert = readFileSync(certFile, "utf8");
		return { key: readFileSync(keyFile, "utf8"), cert, fingerprint: new X509Certificate(cert).fingerprint256 };
	} catch (error) {
		if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
		throw error;
	} finally {
		rmSync(folder, { recursive: true });
	}
}

const first = makeCertificate("apic-1");
const second = makeCertificate("apic-2");
const isMade = first !== null && second !== null;

describe.skipIf(!isMade)("a certificate without a known issuer (skipped where openssl is absent)", () => {
	let t: TestApp;
	let ada: TestUser;
	let lab: RunningController;
	let other: RunningController;
	let [pin, otherPin] = ["", ""];
	beforeAll(async () => {
		if (first === null || second === null) throw new Error(NO_OPENSSL);
		[pin, otherPin] = [first.fingerprint, second.fingerprint];
		lab = await startController({ tls: first });
		other = await startController({ tls: second });
		t = await startTestApp({});
		ada = await t.user("ada", ["Editor"]);
	});
	afterAll(async () => {
		await t?.close();
		await lab?.close();
		await other?.close();
	});

	let made = 0;
	async function addConnection(fields: Record<string, unknown> = {}): Promise<string> {
		const { username, password, url } = lab;
		const { status, body, text } = await ada.api.post(PATH, {
			name: `Fabric ${++made}`,
			url,
			username,
			password,
			...fields,
		});
		expect([status, text]).toEqual([201, text]);
		return body.id;
	}
	const test = (id: string) => ada.api.post(`${PATH}${id}/test/`);
	const logins = () => [lab, other].map((one) => one.stats().logins);

	it("is shown by the test, and nothing is sent to its server", async () => {
		const before = logins();
		const { status, body } = await test(await addConnection());
		expect([status, body]).toMatchObject([
			400,
			{
				reason: "tls",
				message: expect.stringContaining("pinned_certificate"),
				untrusted_certificates: [
					{
						url: lab.url,
						fingerprint: pin,
						subject: "apic-1",
						issuer: "apic-1",
						valid_from: expect.stringMatching(/Z$/),
						valid_to: expect.stringMatching(/Z$/),
					},
				],
			},
		]);
		expect(logins()).toEqual(before);
	});

	it("is used when its fingerprint is trusted, and no other is", async () => {
		const pinned_certificate = pin.toLowerCase().replaceAll(":", "");
		const id = await addConnection({ pinned_certificate });
		expect((await ada.api.get(`${PATH}${id}/`)).body.pinned_certificate).toBe(pin);
		expect((await test(id)).body).toEqual(expect.not.objectContaining({ untrusted_certificates: expect.anything() }));
		const read = { connection_id: id, method: "GET", query_path: "/api/class/fvTenant.json" };
		expect((await ada.api.post(`${PATH}execute_query/`, read)).status).toBe(200);
		const before = logins();
		const replaced = await addConnection({ url: other.url, pinned_certificate: pin });
		expect((await test(replaced)).body).toMatchObject({
			reason: "tls",
			untrusted_certificates: [{ url: other.url, fingerprint: otherPin }],
		});
		expect(logins()).toEqual(before);
	});

	it("of each member of a cluster is trusted by its own fingerprint", async () => {
		const id = await addConnection({ alternate_urls: [other.url], pinned_certificate: pin });
		expect((await test(id)).body.untrusted_certificates).toMatchObject([{ url: other.url, fingerprint: otherPin }]);
		const both = await addConnection({
			alternate_urls: [other.url],
			pinned_certificate: `${pin}, ${otherPin}\n${pin}`,
		});
		expect((await ada.api.get(`${PATH}${both}/`)).body.pinned_certificate).toBe(`${pin},${otherPin}`);
		const trusted = await test(both);
		expect(trusted.status, trusted.text).toBe(200);
		expect(trusted.body).toEqual(expect.not.objectContaining({ untrusted_certificates: expect.anything() }));
	});

	it("needs the secret again when it becomes trusted, and not when it no longer is", async () => {
		const id = await addConnection();
		const patch = (fields: object) => ada.api.patch(`${PATH}${id}/`, fields);
		expect(await patch({ pinned_certificate: pin })).toMatchObject({
			status: 400,
			body: { password: [/certificate/] },
		});
		expect((await patch({ pinned_certificate: pin, password: lab.password })).status).toBe(200);
		expect((await test(id)).status).toBe(200);
		expect((await patch({ description: "as it was" })).body.pinned_certificate).toBe(pin);
		expect((await patch({ pinned_certificate: null })).body.pinned_certificate).toBeNull();
		expect((await test(id)).body.reason).toBe("tls");
	});

	it.each([
		["a SHA-1 digest", "AB:CD"],
		["not hexadecimal", "z".repeat(64)],
		["one of ten", Array.from({ length: 10 }, (_, i) => String(i).repeat(64)).join()],
		["too long", "a".repeat(2_001)],
	])("refuses a fingerprint that is %s", async (_, pinned_certificate) => {
		const { username, password, url } = lab;
		const body = { name: "Wrong", url, username, password, pinned_certificate };
		expect(await ada.api.post(PATH, body)).toMatchObject({
			status: 400,
			body: { pinned_certificate: [expect.stringMatching(/^Must be/)] },
		});
	});
});
