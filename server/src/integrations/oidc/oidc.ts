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
import type { Clock } from "../../core/ports/clock.ts";
import type { Log } from "../../core/ports/log.ts";
import { createOutgoingAgent, type OutgoingProxy } from "../../core/system/outgoing-proxy.ts";
import { type Claims, readFlag, readGroups, readNames, readText } from "./claims.ts";
import type { SignInSecrets } from "./port.ts";
import { type IdentityProvider, type ProviderPerson, ProviderRefusal, ProviderUnavailable } from "./port.ts";

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

/** A provider's settings and the agent of its requests. */
interface ProviderState {
	readonly options: OidcOptions;
	readonly clock: Pick<Clock, "now">;
	readonly log: Log;
	readonly isPlain: boolean;
	readonly agent: ReturnType<typeof createOutgoingAgent>;
}

/** Requests that end together, whose answers are bounded. Redirects are not followed. */
function fetchBounded(provider: ProviderState, ms: number): CustomFetch {
	const signal = AbortSignal.timeout(ms);
	return async (url, init) => {
		try {
			const { statusCode, headers, body } = await request(url, {
				method: init.method as "GET",
				headers: init.headers,
				...(init.body ? { body: String(init.body) } : {}),
				dispatcher: provider.agent,
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
async function discoverConfiguration(provider: ProviderState, ms: number): Promise<Configuration> {
	const fetcher = fetchBounded(provider, ms);
	const execute = provider.isPlain ? [allowInsecureRequests] : [];
	const found = await discovery(
		new URL(provider.options.issuer),
		provider.options.clientId,
		undefined,
		ClientSecretBasic(provider.options.clientSecret),
		{
			execute,
			[customFetch]: fetcher,
		},
	).catch((error: unknown) => {
		const other = findOtherIssuer(error);
		throw other === null ? buildProviderUnavailable(provider, error) : buildIssuerMismatch(provider, other);
	});
	const server = found.serverMetadata();
	const config = new Configuration(
		withUserInfoAlgorithms(server),
		provider.options.clientId,
		{
			[clockSkew]: Math.round((provider.clock.now() - Date.now()) / 1_000),
			[clockTolerance]: CLOCK_SECONDS,
		},
		chooseAuthentication(server, provider.options.clientSecret),
	);
	config[customFetch] = fetcher;
	if (provider.isPlain) allowInsecureRequests(config);
	enableNonRepudiationChecks(config);
	return config;
}

function buildProviderUnavailable(provider: ProviderState, error: unknown): ProviderUnavailable {
	provider.log.warn({ reason: getReason(error) }, "the identity provider could not be used");
	return new ProviderUnavailable("The identity provider could not be used.");
}

function buildIssuerMismatch(provider: ProviderState, other: string): ProviderUnavailable {
	const message = `WEFT_OIDC_ISSUER is ${provider.options.issuer}, but the identity provider calls itself ${other}. Set the same text.`;
	provider.log.warn(
		{ issuer: provider.options.issuer, other },
		"WEFT_OIDC_ISSUER differs from the issuer that the identity provider names",
	);
	return new ProviderUnavailable(message, { isMisconfigured: true });
}

/** What a failed sign-in is to the caller. Tokens are in no message of the library. */
function classifyFailure(provider: ProviderState, error: unknown): ProviderUnavailable | ProviderRefusal {
	const codes = error instanceof AuthorizationResponseError || error instanceof ResponseBodyError ? error.error : "";
	if (isUnavailable(error) || /^(temporarily_unavailable|server_error)$/.test(codes))
		return buildProviderUnavailable(provider, error);
	provider.log.warn({ reason: getReason(error) }, "a sign-in at the identity provider failed");
	return new ProviderRefusal(error instanceof AuthorizationResponseError ? "denied" : "token");
}

/** The library compares `exp`; a fresh token of a clock that is behind passes that check. */
function checkIssuedAt(provider: ProviderState, { iat }: IDToken): void {
	const off = Math.floor(provider.clock.now() / 1_000) - iat;
	if (Math.abs(off) <= CLOCK_SECONDS) return;
	provider.log.warn({ seconds: off }, "the clock of the identity provider is more than 5 minutes off");
	throw new ProviderRefusal("token");
}

function readPerson(provider: ProviderState, claims: Claims, subject: string, idToken: string): ProviderPerson {
	return {
		subject,
		username: readText(claims, provider.options.usernameClaim),
		email: readText(claims, "email"),
		email_verified: readFlag(claims, "email_verified"),
		...readNames(claims),
		groups: readGroups(claims, provider.options.groupsClaim),
		idToken,
	};
}

async function checkReachable(provider: ProviderState): Promise<boolean> {
	try {
		await discoverConfiguration(provider, SIGN_IN_MS);
		return true;
	} catch (error) {
		if (error instanceof ProviderUnavailable) return false;
		throw error;
	}
}

async function startSignIn(
	provider: ProviderState,
	{ redirectUri, state, nonce, verifier }: SignInSecrets,
	prompt: "login" | null,
): Promise<string> {
	const config = await discoverConfiguration(provider, SIGN_IN_MS);
	const parameters = {
		redirect_uri: redirectUri,
		scope: provider.options.scopes,
		state,
		nonce,
		code_challenge: await calculatePKCECodeChallenge(verifier),
		code_challenge_method: "S256",
		...(prompt === null ? {} : { prompt }),
	};
	try {
		return buildAuthorizationUrl(config, parameters).href;
	} catch (error) {
		throw buildProviderUnavailable(provider, error);
	}
}

async function redeemCode(
	provider: ProviderState,
	query: URLSearchParams,
	{ redirectUri, state, nonce, verifier }: SignInSecrets,
): Promise<ProviderPerson> {
	const config = await discoverConfiguration(provider, SIGN_IN_MS);
	try {
		const tokens = await authorizationCodeGrant(config, new URL(`${redirectUri}?${query}`), {
			expectedState: state,
			expectedNonce: nonce,
			pkceCodeVerifier: verifier,
			idTokenExpected: true,
		});
		const claims = tokens.claims();
		if (claims === undefined || tokens.id_token === undefined) throw new ProviderRefusal("token");
		checkIssuedAt(provider, claims);
		const more = config.serverMetadata().userinfo_endpoint
			? await fetchUserInfo(config, tokens.access_token, claims.sub)
			: {};
		return readPerson(provider, { ...more, ...claims }, claims.sub, tokens.id_token);
	} catch (error) {
		if (error instanceof ProviderRefusal) throw error;
		throw classifyFailure(provider, error);
	}
}

async function findEndSessionUrl(
	provider: ProviderState,
	idToken: string | null,
	returnTo: string,
): Promise<string | null> {
	try {
		const config = await discoverConfiguration(provider, END_MS);
		if (config.serverMetadata().end_session_endpoint === undefined) return null;
		return buildEndSessionUrl(config, {
			post_logout_redirect_uri: returnTo,
			...(idToken !== null && idToken.length <= MAX_HINT ? { id_token_hint: idToken } : {}),
		}).href;
	} catch (error) {
		if (error instanceof ProviderUnavailable) return null;
		throw error;
	}
}

/** @param proxy the web proxy to reach the provider through; null: none */
export function createOidcProvider(
	options: OidcOptions,
	clock: Pick<Clock, "now">,
	log: Log,
	proxy: OutgoingProxy | null = null,
): IdentityProvider & { close(): Promise<void> } {
	const { issuer } = options;
	const agent = createOutgoingAgent(proxy, { connect: { timeout: CONNECT_MS }, maxHeaderSize: MAX_HEADER_BYTES });
	const provider: ProviderState = { options, clock, log, isPlain: issuer.startsWith("http:"), agent };

	return {
		issuer,

		isReachable: () => checkReachable(provider),

		authorizationUrl: (secrets, prompt) => startSignIn(provider, secrets, prompt),

		redeem: (query, secrets) => redeemCode(provider, query, secrets),

		endSessionUrl: (idToken, returnTo) => findEndSessionUrl(provider, idToken, returnTo),

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

/** Names and codes of the chain of causes. A description that the provider writes is left out. */
function getReason(error: unknown): string {
	const parts: string[] = [];
	for (let each = error; each instanceof Error && parts.length < 4; each = each.cause) {
		const { code, error: word } = each as { code?: unknown; error?: unknown };
		parts.push([each.name, code, word, each.message].filter((part) => typeof part === "string").join(" "));
	}
	return parts.join(": ").slice(0, 500);
}
