/** aaaLogin and aaaRefresh: the requests, and what their answers mean. */

import { buildFailure, type Failure, type Outcome } from "./answer.ts";
import type { Exchange } from "./exchange.ts";
import type { Meter } from "./meter.ts";
import type { ControllerTarget, PasswordLogin } from "./port.ts";
import { ControllerError } from "./port-error.ts";
import { getHost } from "./transport-error.ts";

export interface Grant {
	readonly token: string;
	readonly refreshTimeoutMs: number;
	readonly maximumLifetimeMs: number;
	/** The controller's software version; null if it is not reported. */
	readonly version: string | null;
	/** DN of the controller that answered; null if it is not reported. */
	readonly node: string | null;
}

interface LoginParts {
	readonly target: Pick<ControllerTarget, "url" | "username"> & PasswordLogin;
	readonly exchange: Exchange;
}

export async function requestLogin(
	{ target, exchange }: LoginParts,
	signal: AbortSignal,
	meter: Meter,
): Promise<Outcome<Grant>> {
	const body = JSON.stringify({ aaaUser: { attributes: { name: target.username, pwd: target.password } } });
	const outcome = await exchange({ method: "POST", path: "/api/aaaLogin.json", body, signal, meter });
	if (!outcome.ok) return loginFailure(outcome, getHost(new URL(target.url)));
	return readGrant(outcome, getHost(new URL(target.url)));
}

export async function requestRefresh(
	{ target, exchange }: LoginParts,
	token: string,
	signal: AbortSignal,
	meter: Meter,
): Promise<Outcome<Grant>> {
	const outcome = await exchange({ method: "GET", path: "/api/aaaRefresh.json", token, signal, meter });
	return outcome.ok ? readGrant(outcome, getHost(new URL(target.url))) : outcome;
}

/**
 * A refused login is about the credentials; without the API's own error object it is not even a
 * controller that refused.
 */
function loginFailure(failed: Failure, host: string): Failure {
	const { kind, status, code, text } = failed.error;
	if (kind === "bad_answer") return buildNoControllerError(host, status);
	if (status !== 401 && status !== 403) return failed;
	if (text === undefined) return buildNoControllerError(host, status);
	const message = `The controller refused the username or password${text === "" ? "" : `: "${text}"`}. It is not tried again, so that the account is not locked.`;
	return buildFailure(
		new ControllerError("credentials", message, { status, text, ...(code === undefined ? {} : { code }) }),
	);
}

export function buildNoControllerError(host: string, status: number | undefined): Failure {
	const message = `${host} answers, but not like a controller. Check the address and port.`;
	return buildFailure(new ControllerError("not_a_controller", message, status === undefined ? {} : { status }));
}

/**
 * The class key is aaaLogin or, in some releases, aaaRefresh: the first one is taken. All values
 * are strings.
 */
function readGrant(outcome: Outcome & { ok: true }, host: string): Outcome<Grant> {
	const { objects, status } = outcome.answer;
	const [object] = Object.values(objects?.rows()[0] ?? {});
	const attributes = object?.attributes;
	const token = attributes?.token;
	// What could not stand in a cookie would forge headers.
	if (typeof token !== "string" || !/^[\x21-\x3a\x3c-\x7e]+$/.test(token)) return buildNoControllerError(host, status);
	return {
		ok: true,
		answer: {
			token,
			refreshTimeoutMs: readSecondsAsMs(attributes?.refreshTimeoutSeconds, 600),
			maximumLifetimeMs: readSecondsAsMs(attributes?.maximumLifetimeSeconds, 86_400),
			version: getText(attributes?.version),
			node: getText(attributes?.node),
		},
	};
}

function readSecondsAsMs(value: unknown, fallback: number): number {
	const number = Number(value);
	return (Number.isFinite(number) && number > 0 ? number : fallback) * 1000;
}

const getText = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
