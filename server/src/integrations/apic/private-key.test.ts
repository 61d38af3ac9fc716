/** Which private keys certificate login accepts, and the remedies that it names for the others. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { describe, expect, test } from "vitest";
import { checkPrivateKey } from "./private-key.ts";

const createRsaKeys = (modulusLength: number) => generateKeyPairSync("rsa", { modulusLength });
const pair = createRsaKeys(2_048);
const { privateKey: key, publicKey } = pair;
const PHRASE = "planted pass phrase";

const pkcs1 = key.export({ type: "pkcs1", format: "pem" }).toString();
const pkcs8 = key.export({ type: "pkcs8", format: "pem" }).toString();
const exportEncryptedKey = (type: "pkcs1" | "pkcs8", from: KeyObject = key): string =>
	from.export({ type, format: "pem", cipher: "aes-256-cbc", passphrase: PHRASE }).toString();

/** A PKCS#8 key that is encrypted with this number of PBKDF2 rounds. */
function withRounds(rounds: number): string {
	const der = Buffer.from(exportEncryptedKey("pkcs8").replace(/-----[^-]*-----/g, ""), "base64");
	// INTEGER 2048, as OpenSSL writes it, becomes one of the same length.
	const at = der.indexOf(Buffer.from([0x02, 0x02, 0x08, 0x00]));
	expect(at).toBeGreaterThan(0);
	der.writeUInt16BE(rounds, at + 2);
	return formatPem(der);
}

const formatPem = (der: Buffer): string =>
	`-----BEGIN ENCRYPTED PRIVATE KEY-----\n${der.toString("base64")}\n-----END ENCRYPTED PRIVATE KEY-----\n`;

describe("a private key", () => {
	test.each([
		["PKCS#1", pkcs1, undefined],
		["PKCS#8", pkcs8, undefined],
		["PKCS#8 with a passphrase that is not needed", pkcs8, PHRASE],
		["Windows line ends", pkcs8.replaceAll("\n", "\r\n"), undefined],
		["line ends written as \\n, as variables of pipelines hold them", pkcs8.replaceAll("\n", "\\n"), undefined],
		["line ends written as \\r\\n", pkcs1.replaceAll("\n", "\\r\\n"), undefined],
		["line ends escaped twice, in quotes", `"${pkcs8.replaceAll("\n", "\\\\n")}"`, undefined],
		["spaces for line ends", pkcs8.replaceAll("\n", " "), undefined],
		["encrypted PKCS#1 with line ends written as \\n", exportEncryptedKey("pkcs1").replaceAll("\n", "\\n"), PHRASE],
		["encrypted PKCS#8 with line ends written as \\n", exportEncryptedKey("pkcs8").replaceAll("\n", "\\n"), PHRASE],
		[
			"text around it",
			`subject=/CN=weft\n${pkcs1}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
			undefined,
		],
		["encrypted PKCS#1", exportEncryptedKey("pkcs1"), PHRASE],
		["encrypted PKCS#8", exportEncryptedKey("pkcs8"), PHRASE],
	])("is read from %s, and given back decrypted as PKCS#8", (_, text, passphrase) => {
		expect(checkPrivateKey(text, passphrase)).toEqual({ ok: true, privateKey: pkcs8 });
	});

	const other = (type: "ec" | "ed25519") =>
		(type === "ec" ? generateKeyPairSync("ec", { namedCurve: "P-256" }) : generateKeyPairSync("ed25519")).privateKey
			.export({ type: "pkcs8", format: "pem" })
			.toString();
	const small = createRsaKeys(1_024).privateKey;
	test.each([
		["nothing", "", undefined, "key", /PEM format/],
		["a word", "secret", undefined, "key", /PEM format/],
		["a public key", publicKey.export({ type: "spki", format: "pem" }).toString(), undefined, "key", /public key/],
		["a certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", undefined, "key", /certificate/],
		["OpenSSH's own format", "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n", undefined, "key", /ssh-keygen -p -m PEM/],
		["a key that is cut off", pkcs8.slice(0, 900), undefined, "key", /Must end with the line/],
		["a damaged key", pkcs8.replace(/\n.{20}/, "\nAAAAAAAAAAAAAAAAAAAA"), undefined, "key", /damaged/],
		["an EC key", other("ec"), undefined, "key", /RSA key; controllers accept no ec key/],
		["an Ed25519 key", other("ed25519"), undefined, "key", /no ed25519 key/],
		["1,024 bits", small.export({ type: "pkcs1", format: "pem" }).toString(), undefined, "key", /this one has 1024/],
		["1,024 bits, encrypted", exportEncryptedKey("pkcs8", small), PHRASE, "key", /this one has 1024/],
		["no passphrase for PKCS#1", exportEncryptedKey("pkcs1"), undefined, "passphrase", /Enter its passphrase/],
		["no passphrase for PKCS#8", exportEncryptedKey("pkcs8"), undefined, "passphrase", /Enter its passphrase/],
		["a wrong passphrase for PKCS#1", exportEncryptedKey("pkcs1"), "wrong", "passphrase", /does not open/],
		["a wrong passphrase for PKCS#8", exportEncryptedKey("pkcs8"), "wrong", "passphrase", /does not open/],
	])("is refused: %s", (_, text, passphrase, about, message) => {
		const result = checkPrivateKey(text, passphrase);
		expect(result).toEqual({ ok: false, about, message: expect.stringMatching(message) });
		expect(JSON.stringify(result)).not.toContain(PHRASE);
	});

	test("is refused before it costs minutes to decrypt", () => {
		expect(checkPrivateKey(withRounds(32_767), PHRASE)).toMatchObject({ about: "passphrase" });
		const der = Buffer.from(exportEncryptedKey("pkcs8").replace(/-----[^-]*-----/g, ""), "base64");
		// The same length for a number of four bytes: two bytes are taken from the salt.
		const salt = der.indexOf(Buffer.from("2a864886f70d01050c", "hex")) + 11;
		const saltLength = der[salt + 1] ?? 0;
		const rounds = Buffer.from([0x02, 0x04, 0x7f, 0xff, 0xff, 0xff]);
		const kept = der.subarray(salt + 2, salt + saltLength);
		const changed = Buffer.concat([
			der.subarray(0, salt),
			Buffer.from([0x04, saltLength - 2]),
			kept,
			rounds,
			der.subarray(salt + 2 + saltLength + 4),
		]);
		expect(changed.length).toBe(der.length);
		expect(checkPrivateKey(formatPem(changed), PHRASE)).toEqual({
			ok: false,
			about: "key",
			message: expect.stringContaining("600000 iterations"),
		});
	});

	test("encrypted in another way than with PBKDF2 is refused", () => {
		for (const der of [Buffer.alloc(0), Buffer.from("3003020100", "hex"), Buffer.from("30840000", "hex")]) {
			expect(checkPrivateKey(formatPem(der), PHRASE)).toMatchObject({ ok: false, about: "key" });
		}
	});

	test("given back can be read without a passphrase", () => {
		const result = checkPrivateKey(exportEncryptedKey("pkcs8"), PHRASE);
		expect(result.ok && createPrivateKey(result.privateKey).equals(key)).toBe(true);
	});
});
