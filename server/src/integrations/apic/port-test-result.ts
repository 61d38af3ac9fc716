/** The outcome of a test of a connection to a controller. */
import type { ControllerErrorKind, MemberState } from "./port-error.ts";

/** A controller of the cluster, as a test found it. */
export interface TestedMember {
	/** Null for a controller whose address the connection lacks. */
	readonly url: string | null;
	/** Null where an address could not be assigned to a controller. */
	readonly name: string | null;
	readonly nodeId: number | null;
	/** Of its management network. */
	readonly address: string | null;
	readonly answered: boolean;
	readonly state: MemberState;
	/** Why it did not answer, or must not be used; null: nothing is wrong. */
	readonly error: string | null;
	/** `fully-fit`, or the controller's word for the defect. */
	readonly health: string | null;
	readonly version: string | null;
}

/** A certificate that a test met and that nothing trusts. */
export interface UntrustedCertificate {
	readonly url: string;
	/** SHA-256, `AB:CD:…`. */
	readonly fingerprint: string;
	readonly subject: string;
	readonly issuer: string;
	/** Milliseconds since the epoch. */
	readonly validFrom: number;
	readonly validTo: number;
}

export type ControllerTestResult =
	| {
			readonly ok: true;
			readonly version: string | null;
			readonly latencyMs: number;
			/** Null if the user may not read it. */
			readonly fabricId: string | null;
			/** Why members cannot stand in for each other, for the user; null if they can. */
			readonly doubt: string | null;
			readonly members: readonly TestedMember[];
			/** Addresses of the controllers that the connection lacks. */
			readonly suggestedUrls: readonly string[];
			readonly untrusted?: readonly UntrustedCertificate[];
	  }
	| {
			readonly ok: false;
			readonly kind: ControllerErrorKind;
			readonly message: string;
			readonly untrusted?: readonly UntrustedCertificate[];
			readonly members?: readonly TestedMember[];
	  };

export type PrivateKeyCheck =
	/** PEM, PKCS#8, not encrypted. */
	| { readonly ok: true; readonly privateKey: string }
	/** The message says what the key, or its passphrase, must be. */
	| { readonly ok: false; readonly about: "key" | "passphrase"; readonly message: string };
