/**
 * Certificate login: each request carries its own signature, and there is no session. The signed
 * text is method, path with options, and body, as they reach the controller, without host or
 * separators.
 */
import { createPrivateKey, sign } from "node:crypto";
import { promisify } from "node:util";
import { buildFailure, type Failure } from "./answer.ts";
import type { CertificateLogin, ControllerTarget } from "./port.ts";
import { ControllerError } from "./port-error.ts";

export interface Signature {
	/** The Cookie header. */
	readonly cookie: string;
	/** The part of it that no message may show. */
	readonly secret: string;
}

export type Signer = (method: string, path: string, body?: string) => Promise<Signature>;

/** Off the event loop: a signature takes milliseconds with a long key. */
const signAside = promisify(sign);

/** A read that every user may send; its answer has the controller's version. */
export const WHOAMI_PATH =
	"/api/class/topSystem.json?query-target-filter=eq(topSystem.role,%22controller%22)&page=0&page-size=1";

export function createSigner({ certificateDn, privateKey }: CertificateLogin): Signer {
	const key = createPrivateKey(privateKey);
	const fixed =
		"APIC-Certificate-Algorithm=v1.0; APIC-Certificate-Fingerprint=fingerprint; " +
		`APIC-Certificate-DN=${certificateDn}; APIC-Request-Signature=`;
	return async (method, path, body = "") => {
		const secret = (await signAside("RSA-SHA256", Buffer.from(method + path + body), key)).toString("base64");
		return { cookie: fixed + secret, secret };
	};
}

/** Refusals that are about the signature, not about rights. */
const ABOUT_SIGNATURE = /signature|padding|cert|token|cookie/i;

/** A failure of a signed request; a refused signature is a matter of credentials, and named so. */
export function explainSignedFailure(failed: Failure, target: ControllerTarget): Failure {
	const { status, code, text } = failed.error;
	const isRefused = status === 401 || (status === 403 && ABOUT_SIGNATURE.test(text ?? ""));
	if (!isRefused || text === undefined || !("privateKey" in target)) return failed;
	const said = text === "" ? "" : `: "${text}"`;
	const message = `The controller refused the certificate login${said}. ${suggestRemedy(text, target.certificateDn)}`;
	return buildFailure(new ControllerError("credentials", message, { status, code, text }));
}

function suggestRemedy(text: string, dn: string): string {
	if (/signature|padding/i.test(text)) return `The private key does not match the certificate ${dn}.`;
	if (/cert/i.test(text)) {
		return `Add the certificate ${dn} to the user on the controller, or correct the connection's certificate_dn.`;
	}
	return `Check that the user has the certificate ${dn}, and that the private key belongs to it.`;
}
