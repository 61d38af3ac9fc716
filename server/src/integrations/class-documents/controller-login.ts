/**
 * The login of a Cisco ACI APIC for its documents. Some releases serve them without a session,
 * others require one.
 */
import type { CertificateLogin, ControllerTarget, PasswordLogin } from "../apic/port.ts";
import { createSigner, WHOAMI_PATH } from "../apic/signature.ts";
import type { Http } from "./http.ts";
import { ModelSourceError } from "./port.ts";

/**
 * Returns the cookie for a request to `path`; called with the rejected cookie after a 401 or 403.
 * Throws ModelSourceError if the controller refuses the login.
 */
export type Cookies = (stale: string | null, signal: AbortSignal, path: string) => Promise<string>;

/** A cookie younger than this has not run out: what it does not open is not there. */
const FRESH_MS = 30_000;

export const createLogin = (http: Http, target: ControllerTarget, clock: { now(): number }): Cookies =>
	"privateKey" in target ? createSignatures(http, target) : createSession(http, target, clock);

/**
 * Signs in when there is no cookie, or when the given one may have run out. One login at a time.
 */
function createSession(
	http: Http,
	{ username, password, url }: ControllerTarget & PasswordLogin,
	clock: { now(): number },
): Cookies {
	let cookie: string | null = null;
	let since = 0;
	let signingIn: Promise<string> | null = null;

	async function signIn(signal: AbortSignal): Promise<string> {
		const body = JSON.stringify({ aaaUser: { attributes: { name: username, pwd: password } } });
		const answer = await http.send({ path: "/api/aaaLogin.json", method: "POST", body, signal });
		const token = answer.status === 200 ? getToken(answer.body) : null;
		if (token !== null) return `APIC-cookie=${token}`;
		const { host } = new URL(url);
		throw new ModelSourceError(
			answer.status === 401 || answer.status === 403
				? `The controller ${host} refuses the username or password of the connection.`
				: `The controller ${host} answered a login with ${answer.status}.`,
		);
	}

	return async (stale, signal) => {
		if (cookie !== null && (cookie !== stale || clock.now() - since < FRESH_MS)) return cookie;
		signingIn ??= signIn(signal).finally(() => {
			signingIn = null;
		});
		cookie = await signingIn;
		since = clock.now();
		return cookie;
	};
}

/**
 * Signs each request. After a refused document it checks once that the controller accepts the
 * certificate: a document that is refused again is not there.
 */
function createSignatures(http: Http, target: ControllerTarget & CertificateLogin): Cookies {
	const sign = createSigner(target);
	let works: Promise<void> | null = null;

	async function checkCertificate(signal: AbortSignal): Promise<void> {
		const { cookie } = await sign("GET", WHOAMI_PATH);
		const { status } = await http.send({ path: WHOAMI_PATH, cookie, signal });
		if (status !== 401 && status !== 403) return;
		const { host } = new URL(target.url);
		throw new ModelSourceError(`The controller ${host} refuses the certificate or private key of the connection.`);
	}

	return async (stale, signal, path) => {
		if (stale !== null) {
			works ??= checkCertificate(signal).catch((error: unknown) => {
				works = null;
				throw error;
			});
			await works;
		}
		return (await sign("GET", path)).cookie;
	};
}

function getToken(body: Uint8Array): string | null {
	try {
		const token = JSON.parse(Buffer.from(body).toString("utf8")).imdata[0].aaaLogin.attributes.token;
		return typeof token === "string" && /^[\w+/=.-]+$/.test(token) ? token : null;
	} catch {
		return null;
	}
}
