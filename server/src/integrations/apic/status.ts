/**
 * Failures known by the HTTP status alone: the web server in front of the controller answers HTML,
 * proxies anything.
 */

import { buildFailure, type Failure } from "./answer.ts";
import { ControllerError } from "./port-error.ts";
import type { RawAnswer } from "./transport.ts";

export function buildStatusFailure(
	{ status, location }: Pick<RawAnswer, "status" | "location">,
	{ host, method }: { host: string; method: string },
): Failure {
	const build = (kind: ControllerError["kind"], message: string, retryable = false) =>
		new ControllerError(kind, message, { status, retryable });

	if (status < 400) {
		const where = getOrigin(location);
		const message = `${host} redirects${where === null ? "" : ` to ${where}`} (HTTP ${status}); a controller does not. Check http or https, and the address.`;
		return buildFailure(build("not_a_controller", message));
	}
	switch (status) {
		case 401:
			return buildFailure(build("credentials", `${host} refused the session (HTTP 401).`), "never", { token: true });
		case 403:
			return buildFailure(build("permission", `${host} refused the request (HTTP 403).`), "never", { token: true });
		case 404:
			return buildFailure(build("not_a_controller", `${host} has no controller API at this address (HTTP 404).`));
		case 405:
			if (method === "GET") break;
			return buildFailure(build("rejected", `${host} does not accept ${method} here, or is throttling it (HTTP 405).`));
		case 408:
			return buildFailure(build("timeout", `${host} waited too long for the request (HTTP 408).`, true), "once");
		case 413:
			return buildFailure(build("limit", `The request is larger than ${host} accepts (HTTP 413).`));
		case 414:
		case 431:
			return buildFailure(build("limit", `The request line is longer than ${host} accepts (HTTP ${status}).`));
	}
	if (status === 405 || status === 429 || status === 503) {
		const message = `${host} is throttling requests or overloaded (HTTP ${status}). Try again later, or lower the load.`;
		return buildFailure(build("throttled", message, true), "yes");
	}
	if (status >= 500) {
		const passing = status === 502 || status === 504;
		const message = `The web server of ${host} failed (HTTP ${status})${passing ? "; the controller behind it does not answer" : ""}.`;
		return buildFailure(build("server", message, passing), passing ? "yes" : "never");
	}
	return buildFailure(build("rejected", `${host} refused the request (HTTP ${status}).`));
}

/** Without path and options, which may hold what should not be shown. */
function getOrigin(location: string | undefined): string | null {
	if (location === undefined || !URL.canParse(location)) return null;
	const { origin } = new URL(location);
	return origin === "null" ? null : origin;
}
