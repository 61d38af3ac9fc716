/** `weft login` and `weft logout`. */
import { authRoutes } from "@weft/contracts/browser";
import { createClient, type Tokens, type WeftClient, WeftError } from "@weft/sdk";
import type { Context } from "../../context.ts";
import { assertEncrypted } from "../../encrypted-address.ts";
import { buildInputError, CliError, EXIT } from "../../errors.ts";
import { addExamples, type Register } from "../../frame.ts";
import { fetchGuarded, findAddress, openSession } from "../../session.ts";

const PASSWORD_MAX_BYTES = 4_096;

interface LoginOptions {
	readonly username?: string | undefined;
	readonly browser?: true | undefined;
	readonly passwordStdin?: true | undefined;
	readonly code?: string | undefined;
	readonly directory?: true | undefined;
	readonly insecure?: true | undefined;
}

export const registerLogin: Register = (program, run) => {
	const login = program
		.command("login")
		.description("Sign in and store the session in a profile.")
		.option("--username <name>", "name of the user")
		.option("--browser", "sign in at the identity provider, with a browser on this computer")
		.option("--password-stdin", "read the password from standard input")
		.option("--code <code>", "code of the authenticator, or a backup code")
		.option("--directory", "sign in with the password of the directory (LDAP)")
		.option("--insecure", "send the password also to an http:// address of another computer")
		.action(run(signIn));
	addExamples(
		login,
		"weft login --url https://weft.example.com --username ada",
		"pass weft | weft login --username ada --password-stdin --code 123456",
		"weft login --url https://weft.example.com --browser",
	);
	const logout = program
		.command("logout")
		.description("End the session of the profile and forget it.")
		.action(run(signOut));
	addExamples(logout, "weft logout", "weft logout --profile lab");
};

async function signIn(context: Context, options: LoginOptions): Promise<void> {
	const { credentials, settings } = context;
	const url = await findAddress(settings, credentials);
	let tokens: Tokens | null = null;
	const client = createClient({
		baseUrl: url,
		now: context.clock.now,
		fetch: fetchGuarded(url, context.fetch),
		onTokens(given) {
			tokens = given;
		},
	});
	const username = await beginSignIn(context, client, options)
		.then((answer) => finishSignIn(context, client, options, answer))
		.catch((error: unknown) => {
			throw error instanceof WeftError && error.status === 401
				? new CliError(EXIT.notAllowed, formatDetail(error))
				: error;
		});
	if (tokens === null) throw new CliError(EXIT.unreachable, `${url} answered the sign-in without tokens.`);
	const profile = { url, username, ...(tokens as Tokens) };
	await credentials.exclusively(() => credentials.store(settings.profile, profile));
	context.note(`Signed in to ${url} as ${username}.`);
}

type Answer = Awaited<ReturnType<WeftClient["signIn"]>>;

/** The first step: with a password, or at the identity provider. */
async function beginSignIn(context: Context, client: WeftClient, options: LoginOptions): Promise<Answer> {
	const { browser, directory, passwordStdin } = options;
	if (browser && (options.username !== undefined || directory || passwordStdin))
		throw buildInputError(
			"--browser needs no --username, --password-stdin or --directory: the identity provider asks for them.",
		);
	if (!browser) assertEncrypted(client.baseUrl, options.insecure === true, "the password");
	const username = browser ? null : (options.username ?? (await askUsername(context, client)));
	if (username === null) {
		const { requestCodeFromBrowser } = await import("./browser-login.ts");
		const { code, verifier } = await requestCodeFromBrowser(context, await requireProvider(client));
		return client.signInWithCode(code, verifier);
	}
	const password = await readPassword(context, passwordStdin === true, "weft login");
	return client.signIn(username, password, directory ? "directory" : "password");
}

/** The second factor, where the account has one. Returns the name of the user. */
async function finishSignIn(
	{ input }: Context,
	client: WeftClient,
	options: LoginOptions,
	answer: Answer,
): Promise<string> {
	if (!("mfa_required" in answer)) return answer.user.username;
	const code = options.code ?? (await input.ask("Code: ", false));
	if (!code) throw buildInputError("The account has a second factor. Give its code with --code.");
	return (await client.finishSignIn(answer.mfa_token, code)).user.username;
}

/** Null: the user wants to sign in at the identity provider. */
async function askUsername({ input }: Context, client: WeftClient): Promise<string | null> {
	const { oidc_enabled, oidc_label } = await client.call(authRoutes.health);
	const hint = oidc_enabled ? ` (empty: sign in with ${oidc_label} in the browser)` : "";
	const username = await input.ask(`Username${hint}: `, false);
	if (username === "" && oidc_enabled) return null;
	if (!username)
		throw buildInputError(
			`Give the name of the user with --username${oidc_enabled ? ", or sign in with --browser" : ""}.`,
		);
	return username;
}

/** The address of a service that has an identity provider. @throws CliError if it has none */
async function requireProvider(client: WeftClient): Promise<string> {
	const { oidc_enabled } = await client.call(authRoutes.health);
	if (oidc_enabled) return client.baseUrl;
	throw buildInputError("This service has no identity provider. Sign in with --username.");
}

export const readPassword = (context: Context, fromStdin: boolean, command: string): Promise<string> =>
	readSecret(context, {
		fromStdin,
		question: "Password: ",
		missing: `There is no password. Pipe it into ${command} with --password-stdin.`,
	});

interface SecretSource {
	readonly fromStdin: boolean;
	readonly question: string;
	/** The message where there is none. */
	readonly missing: string;
}

/** A secret from standard input, or from the user; one line break at its end does not count. */
export async function readSecret({ input }: Context, { fromStdin, question, missing }: SecretSource): Promise<string> {
	const secret = fromStdin
		? (await input.readAll(PASSWORD_MAX_BYTES)).toString("utf8").replace(/\r?\n$/, "")
		: await input.ask(question, true);
	if (!secret) throw buildInputError(missing);
	return secret;
}

async function signOut(context: Context): Promise<void> {
	const { credentials, settings } = context;
	const profile = await credentials.find(settings.profile);
	if (profile === null) throw buildInputError(`There is no profile "${settings.profile}".`);
	const client = await openSession({ url: undefined, token: undefined, profile: settings.profile }, context);
	try {
		await client.signOut();
	} catch (error) {
		// The session has ended already.
		if (!(error instanceof WeftError && error.status === 401)) throw error;
	}
	await credentials.exclusively(() => credentials.store(settings.profile, null));
	context.note(`Signed out of ${profile.url}.`);
}

const formatDetail = ({ body }: WeftError): string =>
	String((body as { detail?: unknown } | null)?.detail ?? "The name or the password is wrong.");
