/**
 * The login of a Cisco ACI APIC for its documents. Some releases serve them without a session,
 * others require one.
 */
import type { ControllerTarget } from "../../ports/controller.ts";
import { ModelSourceError } from "../../ports/model-source.ts";
import type { Http } from "./http.ts";

/** A cookie younger than this has not run out: what it does not open is not there. */
const FRESH_MS = 30_000;

/**
 * Gives the cookie to send; signs in when there is none, or when the given one may have run out.
 * One login at a time.
 */
export function createLogin(
	http: Http,
	{ username, password, url }: Pick<ControllerTarget, "username" | "password" | "url">,
	clock: { now(): number },
) {
	let cookie: string | null = null;
	let since = 0;
	let signingIn: Promise<string> | null = null;

	async function signIn(signal: AbortSignal): Promise<string> {
		const body = JSON.stringify({ aaaUser: { attributes: { name: username, pwd: password } } });
		const answer = await http.send({ path: "/api/aaaLogin.json", method: "POST", body, signal });
		const token = answer.status === 200 ? tokenOf(answer.body) : null;
		if (token !== null) return `APIC-cookie=${token}`;
		const { host } = new URL(url);
		throw new ModelSourceError(
			answer.status === 401 || answer.status === 403
				? `The controller ${host} refuses the username or password of the connection.`
				: `The controller ${host} answered a login with ${answer.status}.`,
		);
	}

	return async (stale: string | null, signal: AbortSignal): Promise<string> => {
		if (cookie !== null && (cookie !== stale || clock.now() - since < FRESH_MS)) return cookie;
		signingIn ??= signIn(signal).finally(() => {
			signingIn = null;
		});
		cookie = await signingIn;
		since = clock.now();
		return cookie;
	};
}

function tokenOf(body: Uint8Array): string | null {
	try {
		const token = JSON.parse(Buffer.from(body).toString("utf8")).imdata[0].aaaLogin.attributes.token;
		return typeof token === "string" && /^[\w+/=.-]+$/.test(token) ? token : null;
	} catch {
		return null;
	}
}
