/**
 * A controller's error object (`{error:{attributes:{code,text}}}`) as a failure: what kind it is,
 * what the user can do, whether to try again.
 */

import { buildFailure, type Failure } from "./answer.ts";
import { ControllerError } from "./port-error.ts";

/**
 * Codes that are HTTP statuses; all others are the controller's own and come with 400, or in old
 * releases with 200.
 */
const STATUS_CODES: ReadonlySet<string> = new Set(["401", "403", "404", "429", "503"]);
/**
 * Refused tokens, not missing rights: "Token was invalid (Error: Token timeout)", "Need a valid
 * webtoken cookie …".
 */
const TOKEN_TEXT = /token|cookie/i;

export function describeError(
	refusal: { code: string; text: string },
	httpStatus: number,
	context: { host: string; clean: (text: string) => string },
): Failure {
	const text = context.clean(refusal.text);
	const code = context.clean(refusal.code);
	const status = httpStatus < 400 && STATUS_CODES.has(code) ? Number(code) : httpStatus;
	const details = { status, text, ...(code === "" ? {} : { code }) };
	const said = text === "" ? `error ${code || status}` : `"${text}"${code === "" ? "" : ` (code ${code})`}`;
	const build = (kind: ControllerError["kind"], message: string, retryable = false) =>
		new ControllerError(kind, message, { ...details, retryable });

	if (/resolve timeout/i.test(text)) {
		const advice = "Narrow it: a filter, fewer classes, a smaller subtree.";
		const message = `The controller gave the query up after its own limit, about 90 s: ${said}. ${advice}`;
		return buildFailure(build("timeout", message, true), "once");
	}
	if (/dataset is too big/i.test(text)) {
		return buildFailure(
			build("too_big", `The controller refuses to build so large an answer: ${said}. ${TOO_BIG_ADVICE}`),
		);
	}
	if (status === 401 || (status === 403 && TOKEN_TEXT.test(text))) {
		const message = `The controller refused the session: ${said}.`;
		return buildFailure(build(status === 401 ? "credentials" : "permission", message), "never", { token: true });
	}
	if (status === 403)
		return buildFailure(build("permission", `The controller does not allow this to the user: ${said}.`));
	if (status === 429)
		return buildFailure(build("throttled", `The controller is throttling requests: ${said}.`, true), "yes");
	if (status >= 500) {
		return buildFailure(
			build("server", `The controller failed: ${said}.`, status !== 500),
			status === 500 ? "never" : "yes",
		);
	}
	return buildFailure(build("rejected", `The controller refused the request: ${said}.`));
}

export const TOO_BIG_ADVICE =
	"Read less at once: add a filter, name the nested classes (rsp-subtree-class) or leave nested objects out (no rsp-subtree=full).";
