/** An identity provider (OpenID Connect) that people sign in at with their browser. */
import type { DirectoryGroup } from "../ldap/port.ts";

/** Secrets of one sign-in, known to the service only, and the address the provider returns to. */
export interface SignInSecrets {
	readonly redirectUri: string;
	readonly state: string;
	readonly nonce: string;
	/** PKCE (RFC 7636): 43 to 128 characters. */
	readonly verifier: string;
}

/** A person as the provider describes them. Texts are empty where a claim is missing. */
export interface ProviderPerson {
	/** The provider's identifier of the account: never given to another person. */
	readonly subject: string;
	readonly username: string;
	readonly email: string;
	readonly email_verified: boolean;
	readonly first_name: string;
	readonly last_name: string;
	/** Null: the provider does not name them in a form that can be read. */
	readonly groups: readonly DirectoryGroup[] | null;
	readonly idToken: string;
}

export interface IdentityProvider {
	readonly issuer: string;
	/**
	 * Where the browser goes to sign in. Asks the provider first. Rejects with `ProviderUnavailable`.
	 * @param prompt `login`: the provider asks for the credentials even within a session there
	 */
	authorizationUrl(secrets: SignInSecrets, prompt: "login" | null): Promise<string>;
	/**
	 * The person who has signed in. `query` is the callback's, as the provider formed it. Rejects
	 * with `ProviderUnavailable` or `ProviderRefusal`.
	 */
	redeem(query: URLSearchParams, secrets: SignInSecrets): Promise<ProviderPerson>;
	/**
	 * Where the browser ends its session at the provider; null if the provider has no such address,
	 * or cannot be reached.
	 * @param idToken of the session; null if unknown
	 */
	endSessionUrl(idToken: string | null, returnTo: string): Promise<string | null>;
	/** Whether people can sign in there at present, as far as the provider's metadata show. */
	isReachable(): Promise<boolean>;
}

/** The provider is unreachable, failed, or is not set up for the service. */
export class ProviderUnavailable extends Error {
	override readonly name = "ProviderUnavailable";
	/** Whether the settings are at fault. The message then names them, and is for the user. */
	readonly isMisconfigured: boolean;

	constructor(message: string, { isMisconfigured = false } = {}) {
		super(message);
		this.isMisconfigured = isMisconfigured;
	}
}

/** The sign-in failed: `denied` by provider or user, `token` if the answer did not pass a check. */
export class ProviderRefusal extends Error {
	override readonly name = "ProviderRefusal";
	readonly reason: "denied" | "token";

	constructor(reason: "denied" | "token") {
		super(`The sign-in at the identity provider failed: ${reason}.`);
		this.reason = reason;
	}
}
