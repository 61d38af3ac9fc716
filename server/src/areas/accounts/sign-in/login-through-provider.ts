/**
 * Signs in at an identity provider. Nothing is kept in the process: any node answers the callback
 * and the exchange of a sign-in that another one started.
 */
import { createHash, createHmac } from "node:crypto";
import { formatTerminalCode, type OidcError, type OidcStart } from "@weft/contracts";
import { type Context, getNow } from "../../../context.ts";
import type { Origin } from "../../../core/caller.ts";
import {
	AppError,
	buildNotFoundError,
	buildUnauthenticatedError,
	buildUnavailableError,
} from "../../../core/errors.ts";
import type { SealedColumn } from "../../../core/ports/secrets.ts";
import type { Tx } from "../../../core/ports/store.ts";
import {
	type ProviderPerson,
	ProviderRefusal,
	ProviderUnavailable,
	type SignInSecrets,
} from "../../../integrations/oidc/port.ts";
import { admitUser, endFailedAttempt, openAttempt, rejectAttempt, runSignInAlone } from "./login-with-password.ts";
import { provisionUser } from "./provisioning.ts";
import { buildBindingCookie, readBinding } from "./rules/browser-binding.ts";
import { buildUsernameKey, USERNAME } from "./rules/names.ts";
import {
	consumeOidcCode,
	consumeOidcState,
	consumeTerminal,
	findOidcAccount,
	findTerminal,
	findUserByOidc,
	insertOidcCode,
	insertOidcState,
	saveOidcAccount,
} from "./sql/oidc.ts";
import type { UserRow } from "./sql/sign-in.ts";
import { findUser, findUserByKey, lockUsername, removeAttempt } from "./sql/sign-in.ts";

/** The headers that bind a sign-in to a browser. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

const STATE_SECONDS = 600;
const CODE_SECONDS = 60;
const SECRET_BYTES = 32;
const ID_TOKEN_MAX = 16 * 1024;
const NO_TERMINAL =
	"No sign-in of a terminal waits for you in this browser. It was decided, or took longer than 10 minutes: run weft login again.";
const WRONG_CODE = "The code is unknown, was used before, or is older than 60 seconds. Sign in again.";

const buildIdTokenContext = (userId: number | string): string => `oidc_accounts:${userId}:id_token`;

export const oidcSecrets: readonly SealedColumn[] = [
	{ table: "oidc_accounts", key: "user_id", column: "id_token_sealed", context: buildIdTokenContext },
];

const hashText = (text: string): string => createHash("sha256").update(text).digest("base64url");

const SOURCE = {
	auth_source: "oidc",
	name: "identity provider",
	action: "oidc",
	groupsRemedy:
		"Check WEFT_OIDC_GROUPS_CLAIM and WEFT_OIDC_SCOPES. Entra ID leaves groups out above 200: limit the claim to the " +
		"groups that are assigned to the application, or use application roles.",
} as const;

/** Ends a callback with a word for the sign-in page. */
class CallbackFailure extends Error {
	readonly word: OidcError;

	constructor(word: OidcError) {
		super(word);
		this.word = word;
	}
}

const isSecure = ({ frontendUrl }: Context): boolean => frontendUrl.startsWith("https:");

const getSignInKey = ({ secrets }: Context): Buffer => secrets.derive("oidc-sign-in");

const formatRedirectUri = ({ frontendUrl }: Context): string => `${frontendUrl}/api/auth/oidc/callback/`;

const addSeconds = (ctx: Context, seconds: number) => new Date(ctx.clock.now() + seconds * 1_000);

const getBinding = (ctx: Context, { cookie }: Headers) =>
	readBinding(cookie === undefined ? undefined : String(cookie), isSecure(ctx));

/** A code is in the fragment, which reaches no server and no log. */
function formatSignInPage(ctx: Context, search: Record<string, string>, code?: string): string {
	const query = new URLSearchParams(search).toString();
	const fragment = code === undefined ? "" : `#oidc=${code}`;
	return `${ctx.frontendUrl}/login${query === "" ? "" : `?${query}`}${fragment}`;
}

function requireProvider(ctx: Context) {
	if (ctx.identityProvider === null) throw buildNotFoundError("Signing in at an identity provider is not configured.");
	return ctx.identityProvider;
}

const hashCode = (ctx: Context, code: string, headers: Headers) => ({
	codeHash: hashText(code),
	browserHash: hashText(getBinding(ctx, headers) ?? ""),
});

/** Nonce and verifier follow from the state and the service's key: they are not stored. */
function getSecrets(ctx: Context, state: string): SignInSecrets {
	const derive = (what: string) =>
		createHmac("sha256", getSignInKey(ctx)).update(`${what}:${state}`).digest("base64url");
	return { redirectUri: formatRedirectUri(ctx), state, nonce: derive("nonce"), verifier: derive("verifier") };
}

/**
 * The user of a person: by the account at the provider, else by the username, which must be free
 * or belong to an account of a provider that was configured before.
 */
async function findOrProvision(
	ctx: Context,
	tx: Tx,
	person: ProviderPerson,
	origin: Origin,
): Promise<UserRow | OidcError> {
	const { issuer, rules } = requireProvider(ctx);
	const username = buildUsernameKey(person.username);
	await lockUsername(tx, username);
	const known = await findOidcAccount(tx.db, issuer, person.subject);
	const before = known === undefined ? await findUserByKey(tx.db, username) : await findUser(tx.db, known.user_id);
	if (before !== undefined && before.auth_source !== "oidc") return "taken";
	if (known === undefined && before !== undefined) {
		const other = await findUserByOidc(tx.db, before.id);
		if (other?.issuer === issuer) return "taken";
	}
	if (before !== undefined && !before.is_active) return "inactive";
	const user = await provisionUser(ctx, tx, { ...SOURCE, rules }, person, before, origin);
	const { idToken } = person;
	await saveOidcAccount(tx, {
		user_id: user.id,
		issuer,
		subject: person.subject,
		id_token_sealed: idToken.length > ID_TOKEN_MAX ? null : ctx.secrets.seal(idToken, buildIdTokenContext(user.id)),
	});
	return user;
}

/** The person that the provider names. */
async function redeemCallback(ctx: Context, query: URLSearchParams): Promise<ProviderPerson> {
	const provider = requireProvider(ctx);
	const person = await provider.redeem(query, getSecrets(ctx, query.get("state") ?? "")).catch((error: unknown) => {
		if (error instanceof ProviderRefusal) throw new CallbackFailure(error.reason);
		if (error instanceof ProviderUnavailable) throw new CallbackFailure("unavailable");
		throw error;
	});
	if (USERNAME.test(person.username)) return person;
	ctx.log.warn({}, "the identity provider gives a user no username, or one that cannot be one here");
	throw new CallbackFailure("username");
}

/**
 * Creates or updates the user. Returns a one-time code for the exchange, or, for a program, for
 * the page that asks the user first.
 */
async function issueSignInCode(
	ctx: Context,
	person: ProviderPerson,
	bound: { browser_hash: string; code_challenge: string | null; redirect_uri: string | null },
	origin: Origin,
): Promise<string> {
	const attempt = await openAttempt(ctx, person.username, origin).catch((error: unknown) => {
		throw error instanceof AppError && error.status === 429 ? new CallbackFailure("locked") : error;
	});
	const code = ctx.ids.token(SECRET_BYTES);
	const refusal = await ctx.store.transaction(async (tx) => {
		const user = await findOrProvision(ctx, tx, person, origin);
		if (typeof user === "string") return user;
		// The attempt is counted with the exchange.
		await removeAttempt(tx, attempt.id);
		const row = { code_hash: hashText(code), ...bound, user_id: user.id };
		const seconds = bound.redirect_uri === null ? CODE_SECONDS : STATE_SECONDS;
		await insertOidcCode(tx, { ...row, expires_at: addSeconds(ctx, seconds) });
		return null;
	});
	if (refusal === null) return code;
	if (refusal === "taken") {
		ctx.log.warn({ username: person.username }, "the identity provider names a user by the name of another account");
	}
	await endFailedAttempt(ctx, attempt, refusal === "inactive" ? "inactive_user" : "oidc_taken");
	throw new CallbackFailure(refusal);
}

/**
 * Begins a sign-in, of the web interface or of a program on the user's computer. Returns the
 * provider's address, and the cookie for this browser.
 * @throws 404 without a provider, 503 when it cannot be reached
 */
export async function startSignIn(
	ctx: Context,
	{ next = "", redirect_uri, code_challenge, prompt }: OidcStart,
	headers: Headers,
): Promise<{ location: string; cookie: string }> {
	const provider = requireProvider(ctx);
	const state = ctx.ids.token(SECRET_BYTES);
	// Kept, so that sign-ins in several tabs do not end each other.
	const binding = getBinding(ctx, headers) ?? ctx.ids.token(SECRET_BYTES);
	const location = await provider.authorizationUrl(getSecrets(ctx, state), prompt ?? null).catch((error: unknown) => {
		if (!(error instanceof ProviderUnavailable)) throw error;
		throw buildUnavailableError(
			error.isMisconfigured
				? error.message
				: "The identity provider cannot be reached. Try again shortly, or sign in with a password.",
		);
	});
	const program = { redirect_uri: redirect_uri ?? null, code_challenge: code_challenge ?? null };
	const row = { state_hash: hashText(state), browser_hash: hashText(binding), next, ...program };
	await ctx.store.transaction((tx) => insertOidcState(tx, { ...row, expires_at: addSeconds(ctx, STATE_SECONDS) }));
	return { location, cookie: buildBindingCookie(binding, STATE_SECONDS, isSecure(ctx)) };
}

/**
 * Ends the part at the provider. Returns the address of the sign-in page, or of the page that
 * asks whether a program may sign in, and renews the browser's cookie for it. Only an error
 * leads to the program at once.
 * @param query of the callback, as the provider formed it
 */
export async function answerCallback(
	ctx: Context,
	query: URLSearchParams,
	origin: Origin,
	headers: Headers,
): Promise<{ location: string; cookie: string | null }> {
	requireProvider(ctx);
	const binding = getBinding(ctx, headers);
	const browser_hash = hashText(binding ?? "");
	const stateHash = hashText(query.get("state") ?? "");
	const state = await consumeOidcState(ctx.store.db, { stateHash, browserHash: browser_hash, now: getNow(ctx) });
	if (binding === null || state === undefined) {
		ctx.log.warn({ ip: origin.ip }, "a sign-in came back to a browser that did not begin it");
		return { location: formatSignInPage(ctx, { oidc_error: "state" }), cookie: null };
	}
	const { next, redirect_uri, code_challenge } = state;
	const answer = await redeemCallback(ctx, query)
		.then(async (person) => {
			const bound = { browser_hash, code_challenge, redirect_uri };
			return {
				code: await runSignInAlone(ctx, person.username, origin, () => issueSignInCode(ctx, person, bound, origin)),
			};
		})
		.catch((error: unknown) => {
			if (error instanceof CallbackFailure) return { error: error.word };
			throw error;
		});
	const cookie = buildBindingCookie(binding, STATE_SECONDS, isSecure(ctx));
	const search = next === "" ? {} : { next };
	if ("error" in answer) {
		const location =
			redirect_uri === null
				? formatSignInPage(ctx, { ...search, oidc_error: answer.error })
				: `${redirect_uri}?${new URLSearchParams(answer)}`;
		return { location, cookie };
	}
	if (redirect_uri === null) return { location: formatSignInPage(ctx, search, answer.code), cookie };
	return { location: `${ctx.frontendUrl}/login/terminal#request=${answer.code}`, cookie };
}

/** @throws 404 unless the program's sign-in waits for a decision in this browser */
export async function readTerminal(ctx: Context, request: string, headers: Headers) {
	requireProvider(ctx);
	const found = await findTerminal(ctx.store.db, { ...hashCode(ctx, request, headers), now: getNow(ctx) });
	if (found === undefined) throw buildNotFoundError(NO_TERMINAL);
	const { username, code_challenge, redirect_uri, expires_at } = found;
	const code = formatTerminalCode(code_challenge);
	return { code, username, address: new URL(redirect_uri).host, expires_at: expires_at.toISOString() };
}

/**
 * Signs a program in, or refuses it. Returns the program's address with a one-time code or an
 * error.
 * @throws 404 unless the program's sign-in waits for a decision in this browser
 */
export async function decideTerminal(
	ctx: Context,
	{ request, decision }: { request: string; decision: "sign_in" | "cancel" },
	headers: Headers,
): Promise<{ location: string }> {
	requireProvider(ctx);
	const hashes = hashCode(ctx, request, headers);
	const code = ctx.ids.token(SECRET_BYTES);
	const address = await ctx.store.transaction(async (tx) => {
		const found = await consumeTerminal(tx.db, { ...hashes, now: getNow(ctx) });
		if (found === undefined) return null;
		const { redirect_uri, ...row } = found;
		if (decision === "cancel") return `${redirect_uri}?error=denied`;
		const code_hash = hashText(code);
		await insertOidcCode(tx, { ...row, code_hash, redirect_uri: null, expires_at: addSeconds(ctx, CODE_SECONDS) });
		return `${redirect_uri}?code=${code}`;
	});
	if (address === null) throw buildNotFoundError(NO_TERMINAL);
	return { location: address };
}

/**
 * Signs in with a code. A browser must be the one that started, and prove it by its cookie:
 * otherwise an address with a code would sign its reader in as another person. A program must
 * have the verifier: another one on the computer may have read the code. A code that came with
 * a wrong verifier is consumed.
 */
export async function exchangeCode(
	ctx: Context,
	{ code, code_verifier }: { code: string; code_verifier?: string | undefined },
	origin: Origin,
	headers: Headers,
) {
	requireProvider(ctx);
	const found = await consumeOidcCode(ctx.store.db, { ...hashCode(ctx, code, headers), now: getNow(ctx) });
	const given = code_verifier === undefined ? null : hashText(code_verifier);
	const user = found?.code_challenge === given ? await findUser(ctx.store.db, found.user_id) : undefined;
	if (user === undefined) throw buildUnauthenticatedError(WRONG_CODE);
	return runSignInAlone(ctx, user.username, origin, async () => {
		const attempt = await openAttempt(ctx, user.username, origin);
		if (!user.is_active) return rejectAttempt(ctx, attempt, "inactive_user");
		return admitUser(ctx, user, attempt);
	});
}

/** Where a user who signed in at the provider ends the session there; null: nowhere. */
export async function findEndSessionUrl(ctx: Context, userId: number): Promise<string | null> {
	if (ctx.identityProvider === null) return null;
	const account = await findUserByOidc(ctx.store.db, userId);
	if (account?.issuer !== ctx.identityProvider.issuer) return null;
	const sealed = account.id_token_sealed;
	const idToken = sealed === null ? null : ctx.secrets.open(sealed, buildIdTokenContext(userId));
	return ctx.identityProvider.endSessionUrl(idToken, `${ctx.frontendUrl}/login`);
}
