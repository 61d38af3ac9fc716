/** The client of a command: with the token of the environment, or the session of a profile. */
import { createClient, findTokenProblem, type WeftClient } from "@weft/sdk";
import type { Clock } from "./clock.ts";
import type { Credentials, Profile } from "./credentials.ts";
import { buildInputError, CliError, EXIT, Unreachable } from "./errors.ts";

export interface SessionSettings {
	/** `--url` or WEFT_URL. */
	readonly url: string | undefined;
	/** WEFT_TOKEN. */
	readonly token: string | undefined;
	readonly profile: string;
}

interface SessionParts {
	readonly credentials: Credentials;
	readonly clock: Clock;
	readonly fetch: typeof fetch;
}

/** @throws CliError without an address, and for an address that is none */
export async function findAddress({ url, profile }: SessionSettings, credentials: Credentials): Promise<string> {
	const address = url ?? (await credentials.find(profile))?.url;
	if (address === undefined)
		throw buildInputError("The address of Weft is not known. Set WEFT_URL, or sign in with weft login.");
	if (!/^https?:\/\/[^/\s]/.test(address) || !URL.canParse(address))
		throw buildInputError(`"${address}" is no address. Give one such as https://weft.example.com.`);
	const trimmed = address.replace(/\/+$/, "");
	const service = trimmed.replace(/\/api$/, "");
	if (service !== trimmed)
		throw buildInputError(`"${address}" ends in /api, which weft adds. Give ${service} instead.`);
	return trimmed;
}

/** A client that is signed in. @throws CliError if there is neither a token nor a profile */
export async function openSession(settings: SessionSettings, deps: SessionParts): Promise<WeftClient> {
	const { credentials, clock } = deps;
	const baseUrl = await findAddress(settings, credentials);
	const options = { baseUrl, now: clock.now, fetch: fetchGuarded(baseUrl, deps.fetch) };
	const { token, profile: name } = settings;
	if (token !== undefined && token !== "") {
		const problem = findTokenProblem(token.trim());
		if (problem !== null) throw new CliError(EXIT.notAllowed, `WEFT_TOKEN ${problem}`);
		return createClient({ ...options, token });
	}
	const profile = await credentials.find(name);
	if (profile === null)
		throw new CliError(EXIT.notAllowed, "You are not signed in. Run weft login, or set WEFT_TOKEN.");
	if (profile.url !== baseUrl)
		throw buildInputError(
			`The profile "${name}" belongs to ${profile.url}. Sign in to ${baseUrl} with weft login, or unset WEFT_URL.`,
		);
	let current: Profile = profile;
	const client = createClient({
		...options,
		async exclusively(renew) {
			await credentials.exclusively(async () => {
				const stored = await credentials.find(name);
				// Another process has renewed the token, or signed in anew, while this one waited.
				if (stored !== null && stored.access !== current.access && stored.url === baseUrl) {
					current = stored;
					client.adopt(stored);
				}
				const before = current.access;
				await renew();
				if (stored !== null && current.access !== before) await credentials.store(name, current);
			});
		},
		onTokens(tokens) {
			if (tokens !== null) current = { ...current, ...tokens };
		},
	});
	client.adopt(profile);
	return client;
}

/**
 * Throws for a service that cannot be reached, and for web pages instead of answers.
 * @param allowsPages whether an answer of the service may be a web page
 */
export function fetchGuarded(url: string, request: typeof fetch, allowsPages = false): typeof fetch {
	return async (...args) => {
		const response = await request(...args).catch((error: unknown) => {
			throw error instanceof TypeError ? new Unreachable(url, error) : error;
		});
		if (!allowsPages && response.headers.get("content-type")?.startsWith("text/html")) {
			await response.body?.cancel();
			throw new CliError(
				EXIT.unreachable,
				`${url} answered ${response.status} with a web page. Check that it is the address of Weft.`,
			);
		}
		return response;
	};
}
