/** A real OpenID Connect provider, at which the person that the test names is signed in at once. */
import { generateKeyPair, randomBytes, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import Provider, { type Configuration } from "oidc-provider";

interface ProviderAccount {
	readonly preferred_username?: string;
	readonly email?: string;
	readonly email_verified?: unknown;
	readonly given_name?: string;
	readonly family_name?: string;
	readonly name?: string;
	readonly groups?: unknown;
	/** Claims that another source has (OpenID Connect Core, section 5.6.2). */
	readonly _claim_names?: Readonly<Record<string, string>>;
	readonly _claim_sources?: Readonly<Record<string, { readonly endpoint: string }>>;
}

export interface TestProvider {
	readonly issuer: string;
	readonly clientId: string;
	readonly clientSecret: string;
	/** People by subject. */
	readonly people: Map<string, ProviderAccount>;
	/** Whether it publishes no key, so that its signatures cannot be checked. */
	hidesKeys: boolean;
	/** Whether signed user info names another person than its signature is for. */
	forgesUserInfo: boolean;
	/** The issuer that its metadata name instead of its own. */
	claimedIssuer: string | null;
	/** Signs tokens with a new key from now on, and publishes only that one. */
	rotate(): Promise<void>;
	/** Cuts all connections and answers no more, until `start`. */
	stop(): Promise<void>;
	start(): Promise<void>;
	/**
	 * Follows redirects from the provider's address as a new browser that signs in as `subject`.
	 * Returns the first address that begins with `until`.
	 */
	signIn(location: string, subject: string, until: string): Promise<string>;
}

const SUBJECT = "x-subject";

async function createKey() {
	const { privateKey } = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
	return { ...privateKey.export({ format: "jwk" }), kid: randomUUID(), use: "sig", alg: "RS256" };
}

/** Replaces the body that an answer ends with. */
function changeBody(response: ServerResponse, change: (body: string) => string): void {
	const end = response.end.bind(response);
	response.end = ((body: string | Buffer) => {
		response.removeHeader("content-length");
		return end(change(String(body)));
	}) as typeof response.end;
}

/** @param signsUserInfo whether user info is a signed JWT */
export async function startIdentityProvider(frontendUrl: string, signsUserInfo = false): Promise<TestProvider> {
	const [clientId, clientSecret] = ["weft", `planted-${randomBytes(16).toString("hex")}`];
	const people = new Map<string, ProviderAccount>();
	let server: Server;
	let handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
	let port = 0;

	async function startListening(): Promise<void> {
		server = createServer((request, response) => void handle(request, response));
		await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
		port = (server.address() as AddressInfo).port;
	}

	async function buildProvider(issuer: string): Promise<void> {
		const configuration: Configuration = {
			clients: [
				{
					client_id: clientId,
					client_secret: clientSecret,
					redirect_uris: [`${frontendUrl}/api/auth/oidc/callback/`],
					post_logout_redirect_uris: [`${frontendUrl}/login`],
					...(signsUserInfo ? { userinfo_signed_response_alg: "RS256" } : {}),
				},
			],
			claims: {
				openid: ["sub", "groups"],
				profile: ["preferred_username", "name", "given_name", "family_name"],
				email: ["email", "email_verified"],
			},
			cookies: { keys: ["a key that only tests use"] },
			jwks: { keys: [await createKey()] },
			ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
			pkce: { required: () => true },
			features: { devInteractions: { enabled: false }, jwtUserinfo: { enabled: signsUserInfo } },
			interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
			findAccount: (_context, sub) => {
				const person = people.get(sub);
				return person && { accountId: sub, claims: () => ({ sub, ...person }) };
			},
			async loadExistingGrant({ oidc }) {
				const grant = new oidc.provider.Grant({
					clientId: oidc.client?.clientId,
					accountId: oidc.session?.accountId,
				});
				grant.addOIDCScope("openid profile email");
				await grant.save();
				return grant;
			},
		};
		const provider = new Provider(issuer, configuration);
		const callback = provider.callback();
		handle = async (request, response) => {
			if (request.url === "/jwks" && fixture.hidesKeys) {
				return void response.setHeader("content-type", "application/json").end('{"keys": []}');
			}
			if (request.url === "/.well-known/openid-configuration" && fixture.claimedIssuer !== null) {
				const [authorization_endpoint, token_endpoint] = [`${issuer}/auth`, `${issuer}/token`];
				const metadata = { issuer: fixture.claimedIssuer, authorization_endpoint, token_endpoint };
				return void response.setHeader("content-type", "application/json").end(JSON.stringify(metadata));
			}
			if (request.url === "/.well-known/openid-configuration" && signsUserInfo) {
				// Providers that sign user info often do not say so.
				changeBody(response, (body) => {
					const { userinfo_signing_alg_values_supported: _, ...metadata } = JSON.parse(body);
					return JSON.stringify(metadata);
				});
			}
			if (request.url === "/me" && fixture.forgesUserInfo) {
				const forged = JSON.stringify({ sub: "signed", preferred_username: "forged" });
				changeBody(response, (jwt) => {
					const [header, , signature] = jwt.split(".");
					return [header, Buffer.from(forged).toString("base64url"), signature].join(".");
				});
			}
			if (!request.url?.startsWith("/interaction/")) return void (await callback(request, response));
			const accountId = String(request.headers[SUBJECT]);
			await provider.interactionFinished(request, response, { login: { accountId } });
		};
	}

	await startListening();
	const issuer = `http://127.0.0.1:${port}`;
	const fixture: TestProvider = {
		issuer,
		hidesKeys: false,
		forgesUserInfo: false,
		claimedIssuer: null,
		clientId,
		clientSecret,
		people,
		rotate: () => buildProvider(issuer),
		async stop() {
			const closed = new Promise((resolve) => server.close(resolve));
			server.closeAllConnections();
			await closed;
		},
		start: startListening,
		async signIn(location, subject, until) {
			const cookies = new Map<string, string>();
			let next = location;
			for (let hop = 0; hop < 10 && !next.startsWith(until); hop++) {
				const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
				const response = await fetch(next, { redirect: "manual", headers: { cookie, [SUBJECT]: subject } });
				for (const line of response.headers.getSetCookie()) {
					const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
					cookies.set(name, value);
				}
				const to = response.headers.get("location");
				if (to === null) throw new Error(`${next} answered ${response.status}: ${await response.text()}`);
				next = new URL(to, next).href;
			}
			return next;
		},
	};
	await buildProvider(issuer);
	return fixture;
}
