/**
 * An identity provider over OpenID Connect: authorization code flow with PKCE. Metadata and keys
 * are fetched at each sign-in, so that a change at the provider, such as a new key, holds at once.
 */
import {
	AuthorizationResponseError,
	allowInsecureRequests,
	authorizationCodeGrant,
	buildAuthorizationUrl,
	buildEndSessionUrl,
	type ClientAuth,
	ClientSecretBasic,
	ClientSecretPost,
	Configuration,
	type CustomFetch,
	calculatePKCECodeChallenge,
	clockSkew,
	clockTolerance,
	customFetch,
	discovery,
	enableNonRepudiationChecks,
	fetchUserInfo,
	type IDToken,
	ResponseBodyError,
	type ServerMetadata,
} from "openid-client";
import { request } from "undici";
import type { Clock } from "../../ports/clock.ts";
import {
	type IdentityProvider,
	type ProviderPerson,
	ProviderRefusal,
	ProviderUnavailable,
} from "../../ports/identity-provider.ts";
import type { Log } from "../../ports/log.ts";
import { createOutgoingAgent, type OutgoingProxy } from "../system/outgoing-proxy.ts";
import { type Claims, readFlag, readGroups, readNames, readText } from "./claims.ts";

export interface OidcOptions {
	readonly issuer: string;
	readonly clientId: string;
	readonly clientSecret: string;
	/** With spaces between them; contains `openid`. */
	readonly scopes: string;
	readonly usernameClaim: string;
	readonly groupsClaim: string;
}

const CONNECT_MS = 4_000;
/** Upper bound of all requests of one sign-in, and of those of one end of a session. */
const SIGN_IN_MS = 10_000;
const END_MS = 3_000;
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_HEADER_BYTES = 32 * 1024;
/** Seconds that the provider's clock may be off, ahead or behind. */
const CLOCK_SECONDS = 300;
/** Characters of another issuer that messages quote. */
const MAX_ISSUER = 200;
/** An ID token goes into an address; a longer one is left out. */
const MAX_HINT = 4_096;

/** @param proxy the web proxy to reach the provider through; null: none */
export function createOidcProvider(
	options: OidcOptions,
	clock: Pick<Clock, "now">,
	log: Log,
	proxy: OutgoingProxy | null = null,
): IdentityProvider & { close(): Promise<void> } {
	const { issuer, clientId, clientSecret, scopes, usernameClaim, groupsClaim } = options;
	const isPlain = issuer.startsWith("http:");
	const agent = createOutgoingAgent(proxy, { connect: { timeout: CONNECT_MS }, maxHeaderSize: MAX_HEADER_BYTES });

	/** Requests that end together, whose answers are bounded. Redirects are not followed. */
	function boundedFetch(ms: number): CustomFetch {
		const signal = AbortSignal.timeout(ms);
		return async (url, init) => {
			try {
				const { statusCode, headers, body } = await request(url, {
					method: init.method as "GET",
					headers: init.headers,
					...(init.body ? { body: String(init.body) } : {}),
					dispatcher: agent,
					signal,
				});
				const pieces: Buffer[] = [];
				let bytes = 0;
				for await (const piece of body as AsyncIterable<Buffer>) {
					bytes += piece.length;
					if (bytes > MAX_BODY_BYTES) throw new Error("The answer is too large.");
					pieces.push(piece);
				}
				if (statusCode >= 500 || statusCode === 429) throw new Error(`The provider answered ${statusCode}.`);
				const type = headers["content-type"];
				const hasBody = statusCode !== 204 && statusCode !== 304;
				return new Response(hasBody ? Buffer.concat(pieces) : null, {
					status: statusCode,
					headers: type === undefined ? {} : { "content-type": String(type) },
				});
			} catch (error) {
				throw new ProviderUnavailable((error as Error).message);
			}
		};
	}

	/** @throws ProviderUnavailable also where the settings do not match the provider */
	async function discoverConfiguration(ms: number): Promise<Configuration> {
		const fetcher = boundedFetch(ms);
		const execute = isPlain ? [allowInsecureRequests] : [];
		const found = await discovery(new URL(issuer), clientId, undefined, ClientSecretBasic(clientSecret), {
			execute,
			[customFetch]: fetcher,
		}).catch((error: unknown) => {
			const other = findOtherIssuer(error);
			throw other === null ? buildProviderUnavailable(error) : buildIssuerMismatch(other);
		});
		const server = found.serverMetadata();
		const config = new Configuration(
			withUserInfoAlgorithms(server),
			clientId,
			{
				[clockSkew]: Math.round((clock.now() - Date.now()) / 1_000),
				[clockTolerance]: CLOCK_SECONDS,
			},
			chooseAuthentication(server, clientSecret),
		);
		config[customFetch] = fetcher;
		if (isPlain) allowInsecureRequests(config);
		enableNonRepudiationChecks(config);
		return config;
	}

	function buildProviderUnavailable(error: unknown): ProviderUnavailable {
		log.warn({ reason: getReason(error) }, "the identity provider could not be used");
		return new ProviderUnavailable("The identity provider could not be used.");
	}

	function buildIssuerMismatch(other: string): ProviderUnavailable {
		const message = `WEFT_OIDC_ISSUER is ${issuer}, but the identity provider calls itself ${other}. Set the same text.`;
		log.warn({ issuer, other }, "WEFT_OIDC_ISSUER differs from the issuer that the identity provider names");
		return new ProviderUnavailable(message, { isMisconfigured: true });
	}

	/** What a failed sign-in is to the caller. Tokens are in no message of the library. */
	function classifyFailure(error: unknown): ProviderUnavailable | ProviderRefusal {
		const codes = error instanceof AuthorizationResponseError || error instanceof ResponseBodyError ? error.error : "";
		if (isUnavailable(error) || /^(temporarily_unavailable|server_error)$/.test(codes))
			return buildProviderUnavailable(error);
		log.warn({ reason: getReason(error) }, "a sign-in at the identity provider failed");
		return new ProviderRefusal(error instanceof AuthorizationResponseError ? "denied" : "token");
	}

	/** The library compares `exp`; a fresh token of a clock that is behind passes that check. */
	function checkIssuedAt({ iat }: IDToken): void {
		const off = Math.floor(clock.now() / 1_000) - iat;
		if (Math.abs(off) <= CLOCK_SECONDS) return;
		log.warn({ seconds: off }, "the clock of the identity provider is more than 5 minutes off");
		throw new ProviderRefusal("token");
	}

	function readPerson(claims: Claims, subject: string, idToken: string): ProviderPerson {
		return {
			subject,
			username: readText(claims, usernameClaim),
			email: readText(claims, "email"),
			email_verified: readFlag(claims, "email_verified"),
			...readNames(claims),
			groups: readGroups(claims, groupsClaim),
			idToken,
		};
	}

	return {
		issuer,

		async isReachable() {
			try {
				await discoverConfiguration(SIGN_IN_MS);
				return true;
			} catch (error) {
				if (error instanceof ProviderUnavailable) return false;
				throw error;
			}
		},

		async authorizationUrl({ redirectUri, state, nonce, verifier }, prompt) {
			const config = await discoverConfiguration(SIGN_IN_MS);
			const parameters = {
				redirect_uri: redirectUri,
				scope: scopes,
				state,
				nonce,
				code_challenge: await calculatePKCECodeChallenge(verifier),
				code_challenge_method: "S256",
				...(prompt === null ? {} : { prompt }),
			};
			try {
				return buildAuthorizationUrl(config, parameters).href;
			} catch (error) {
				throw buildProviderUnavailable(error);
			}
		},

		async redeem(query, { redirectUri, state, nonce, verifier }) {
			const config = await discoverConfiguration(SIGN_IN_MS);
			try {
				const tokens = await authorizationCodeGrant(config, new URL(`${redirectUri}?${query}`), {
					expectedState: state,
					expectedNonce: nonce,
					pkceCodeVerifier: verifier,
					idTokenExpected: true,
				});
				const claims = tokens.claims();
				if (claims === undefined || tokens.id_token === undefined) throw new ProviderRefusal("token");
				checkIssuedAt(claims);
				const more = config.serverMetadata().userinfo_endpoint
					? await fetchUserInfo(config, tokens.access_token, claims.sub)
					: {};
				return readPerson({ ...more, ...claims }, claims.sub, tokens.id_token);
			} catch (error) {
				if (error instanceof ProviderRefusal) throw error;
				throw classifyFailure(error);
			}
		},

		async endSessionUrl(idToken, returnTo) {
			try {
				const config = await discoverConfiguration(END_MS);
				if (config.serverMetadata().end_session_endpoint === undefined) return null;
				return buildEndSessionUrl(config, {
					post_logout_redirect_uri: returnTo,
					...(idToken !== null && idToken.length <= MAX_HINT ? { id_token_hint: idToken } : {}),
				}).href;
			} catch (error) {
				if (error instanceof ProviderUnavailable) return null;
				throw error;
			}
		},

		close: () => agent.destroy(),
	};
}

/** `client_secret_basic` unless the provider offers other ways only (Discovery 1.0, section 3). */
function chooseAuthentication(server: ServerMetadata, secret: string): ClientAuth {
	const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
	return methods.includes("client_secret_basic") ? ClientSecretBasic(secret) : ClientSecretPost(secret);
}

/** The issuer that metadata name instead of the expected one; null for other failures. */
function findOtherIssuer(error: unknown): string | null {
	for (let each = error; each instanceof Error; each = each.cause) {
		const { attribute, body } = (each.cause ?? {}) as { attribute?: unknown; body?: { issuer?: unknown } };
		if (attribute === "issuer" && typeof body?.issuer === "string") return body.issuer.slice(0, MAX_ISSUER);
	}
	return null;
}

/**
 * Providers that sign user info, but name no algorithm for it, sign it as they sign ID tokens. The
 * library needs to know the algorithms to verify the signature.
 */
function withUserInfoAlgorithms(server: ServerMetadata): ServerMetadata {
	const algorithms = server.userinfo_signing_alg_values_supported ??
		server.id_token_signing_alg_values_supported ?? ["RS256"];
	return { ...server, userinfo_signing_alg_values_supported: algorithms.filter((name) => name !== "none") };
}

/** The library wraps what its requests reject with. */
function isUnavailable(error: unknown): boolean {
	for (let each = error; each instanceof Error; each = each.cause) if (each instanceof ProviderUnavailable) return true;
	return false;
}

/** Names and codes along the causes. A description that the provider writes is left out. */
function getReason(error: unknown): string {
	const parts: string[] = [];
	for (let each = error; each instanceof Error && parts.length < 4; each = each.cause) {
		const { code, error: word } = each as { code?: unknown; error?: unknown };
		parts.push([each.name, code, word, each.message].filter((part) => typeof part === "string").join(" "));
	}
	return parts.join(": ").slice(0, 500);
}
