/**
 * Certificate authentication: four cookies per request and no session. The signature covers method,
 * path with query, and body, concatenated, without the host; RSA PKCS#1 v1.5 with SHA-256.
 */
import { createPublicKey, type KeyObject, verify, X509Certificate } from "node:crypto";
import { ApiError } from "../errors.ts";
import { readValue } from "../store/mo.ts";
import type { Store } from "../store/store.ts";
import { findFirstCookie } from "./cookies.ts";

export interface Certificate {
	readonly user: string;
	readonly name: string;
	/** The user is an app of the controller: `appuser-` instead of `user-` in the DN. */
	readonly isApp?: boolean;
	/** PEM of a certificate or a public key. */
	readonly pem: string;
}

const createRefusal = (text: string) => new ApiError(401, text);
const getDn = ({ user, name, isApp = false }: Certificate) =>
	`uni/userext/${isApp ? "appuser" : "user"}-${user}/usercert-${name}`;

export function createSignatureCheck(certificates: readonly Certificate[], store: Pick<Store, "get">) {
	function getKey(dn: string): KeyObject | null {
		const configured = certificates.find((certificate) => getDn(certificate) === dn);
		if (configured !== undefined) return readKey(configured.pem);
		// A certificate that was written to the controller works too.
		const mo = store.get(dn);
		return mo === undefined ? null : readKey(readValue(mo, "data") ?? "");
	}

	return {
		/** True when the request carries signature cookies. */
		claims: (cookies: ReadonlyMap<string, readonly string[]>) => cookies.has("apic-request-signature"),
		/**
		 * @returns the user
		 * @throws ApiError 401
		 */
		check(cookies: ReadonlyMap<string, readonly string[]>, method: string, target: string, body: string): string {
			const dn = findFirstCookie(cookies, "APIC-Certificate-DN") ?? "";
			const key = getKey(dn);
			if (key === null) throw createRefusal(`Certificate ${dn} not found`);
			if (findFirstCookie(cookies, "APIC-Certificate-Algorithm") !== "v1.0")
				throw createRefusal("Unknown signature algorithm");
			// The word itself, not a fingerprint.
			if (findFirstCookie(cookies, "APIC-Certificate-Fingerprint") !== "fingerprint")
				throw createRefusal("Unknown certificate fingerprint");
			const signature = Buffer.from(findFirstCookie(cookies, "APIC-Request-Signature") ?? "", "base64");
			if (!verify("RSA-SHA256", Buffer.from(method + target + body), key, signature))
				throw new ApiError(403, "bad signature");
			return /user-([^/]+)\//.exec(dn)?.[1] ?? "";
		},
	};
}

function readKey(pem: string): KeyObject | null {
	try {
		return pem.includes("BEGIN CERTIFICATE") ? new X509Certificate(pem).publicKey : createPublicKey(pem);
	} catch {
		return null;
	}
}
