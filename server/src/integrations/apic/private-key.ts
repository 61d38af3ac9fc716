/**
 * Private keys for certificate login: which ones are accepted, and their decryption. A key is
 * decrypted when it is saved, so its passphrase is not stored.
 */
import { createPrivateKey, type KeyObject } from "node:crypto";
import type { PrivateKeyCheck } from "./port-test-result.ts";

const BITS = { min: 2_048, max: 8_192 } as const;
/** Rounds of PBKDF2. They are computed on the event loop, about 0.2 s for this many. */
const ITERATIONS_MAX = 600_000;

const PKCS8 = "openssl pkcs8 -topk8 -in KEY -out NEW_KEY";

const buildProblem = (about: "key" | "passphrase", message: string): PrivateKeyCheck => ({ ok: false, about, message });

/**
 * PEM whose line ends are written as `\n`, as variables of pipelines and JSON hold them, with line
 * ends. PEM itself has no backslashes.
 */
const restoreLineEnds = (pem: string): string => pem.replace(/(?:\\{1,8}r)?\\{1,8}n/g, "\n");

/** Reads the PEM text of one key. Text around the key, such as a certificate, is ignored. */
export function checkPrivateKey(given: string, passphrase: string | undefined): PrivateKeyCheck {
	const pem = restoreLineEnds(given);
	const label = /-----BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY)-----/.exec(pem)?.[1];
	if (label === undefined) return buildProblem("key", buildNoPemError(pem));
	if (label === "OPENSSH PRIVATE KEY") {
		return buildProblem("key", "Must be in PEM format (PKCS#1 or PKCS#8). Convert it: ssh-keygen -p -m PEM -f KEY");
	}
	const head = `-----BEGIN ${label}-----`;
	const start = pem.indexOf(head);
	const end = pem.indexOf(`-----END ${label}-----`, start);
	if (end < 0) return buildProblem("key", `Must end with the line -----END ${label}-----.`);
	const body = pem.slice(start + head.length, end);
	const isPkcs8Encrypted = label === "ENCRYPTED PRIVATE KEY";
	const isPkcs1Encrypted = /^Proc-Type: *4, *ENCRYPTED/m.test(body);
	const isEncrypted = isPkcs8Encrypted || isPkcs1Encrypted;
	// Spaces stand for line ends, which a variable lost. Only headers of PKCS#1 have spaces.
	const lines = isPkcs1Encrypted ? body : `\n${body.trim().replace(/\s+/g, "\n")}\n`;
	const block = `${head}${lines}-----END ${label}-----\n`;
	if (isEncrypted && passphrase === undefined) {
		return buildProblem("passphrase", "The private key is encrypted. Enter its passphrase.");
	}
	if (isPkcs8Encrypted && !isCheap(block)) {
		return buildProblem(
			"key",
			`Must be encrypted with PBKDF2 and at most ${ITERATIONS_MAX} iterations. Encrypt it again: ${PKCS8}`,
		);
	}
	let key: KeyObject;
	try {
		key = createPrivateKey({ key: block, ...(isEncrypted ? { passphrase: passphrase ?? "" } : {}) });
	} catch {
		return isEncrypted
			? buildProblem("passphrase", "The passphrase does not open the private key, or the key is damaged.")
			: buildProblem("key", "Cannot be read: the text between its first and last line is damaged.");
	}
	const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
	if (key.asymmetricKeyType !== "rsa") {
		return buildProblem("key", `Must be an RSA key; controllers accept no ${key.asymmetricKeyType ?? "other"} key.`);
	}
	if (bits < BITS.min || bits > BITS.max) {
		return buildProblem("key", `Must have ${BITS.min} to ${BITS.max} bits; this one has ${bits}.`);
	}
	return { ok: true, privateKey: key.export({ type: "pkcs8", format: "pem" }).toString() };
}

function buildNoPemError(text: string): string {
	if (/-----BEGIN (TRUSTED )?CERTIFICATE-----/.test(text)) {
		return "Must be the private key; this is a certificate. The controller has the certificate.";
	}
	if (/-----BEGIN [A-Z ]{0,40}PUBLIC KEY-----/.test(text)) return "Must be the private key; this is a public key.";
	return "Must be in PEM format: text that starts with -----BEGIN PRIVATE KEY----- or -----BEGIN RSA PRIVATE KEY-----.";
}

interface Der {
	readonly tag: number;
	readonly body: Buffer;
	readonly rest: Buffer;
}

const [SEQUENCE, OBJECT_ID, OCTETS, INTEGER] = [0x30, 0x06, 0x04, 0x02] as const;
/** 1.2.840.113549.1.5.13 and .12, in hexadecimal DER. */
const [PBES2, PBKDF2] = ["2a864886f70d01050d", "2a864886f70d01050c"] as const;

/** Whether the key is derived with PBKDF2 in few enough rounds (RFC 8018, appendix A). */
function isCheap(block: string): boolean {
	const der = Buffer.from(block.replace(/-----[^-]*-----/g, ""), "base64");
	const algorithm = readInnerDer(readInnerDer(readDer(der), SEQUENCE), SEQUENCE);
	const scheme = readInnerDer(readNextDer(algorithm, OBJECT_ID, PBES2), SEQUENCE);
	const derivation = readInnerDer(scheme, SEQUENCE);
	const salt = readInnerDer(readNextDer(derivation, OBJECT_ID, PBKDF2), SEQUENCE);
	const rounds = salt?.tag === OCTETS ? readDer(salt.rest) : null;
	if (rounds?.tag !== INTEGER || rounds.body.length === 0 || rounds.body.length > 4) return false;
	return rounds.body.readUIntBE(0, rounds.body.length) <= ITERATIONS_MAX;
}

/** The first value; null where there is none. */
function readDer(bytes: Buffer): Der | null {
	const [tag, first] = bytes;
	if (tag === undefined || first === undefined) return null;
	const extra = first < 0x80 ? 0 : first & 0x7f;
	if (extra > 3 || bytes.length < 2 + extra) return null;
	const length = extra === 0 ? first : bytes.readUIntBE(2, extra);
	const start = 2 + extra;
	if (bytes.length < start + length) return null;
	return { tag, body: bytes.subarray(start, start + length), rest: bytes.subarray(start + length) };
}

/** The first value inside. */
const readInnerDer = (value: Der | null, tag: number): Der | null => (value?.tag === tag ? readDer(value.body) : null);

/** The value after one that must have this content. */
const readNextDer = (value: Der | null, tag: number, hex: string): Der | null =>
	value?.tag === tag && value.body.toString("hex") === hex ? readDer(value.rest) : null;
