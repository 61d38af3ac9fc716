/**
 * Turns answers into values or errors (Django REST framework's error shapes, and those of proxies
 * in front).
 */
import { maskTexts } from "../../core/mask.ts";
import { readRetryAfter } from "../../core/system/retry-after.ts";
import { AutomationError } from "./port.ts";
import type { RawAnswer } from "./transport.ts";

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Characters of the server's words in a message. More than is ever shown, so that a secret in the
 * shown part is there as a whole and can be masked.
 */
const WORDS_MAX = 1_048_576;
const RETRY_AFTER_MAX_MS = 300_000;

/** The body of a good answer. @throws AutomationError for everything else */
export function readAnswer(answer: RawAnswer): Json {
	if (answer.status < 200 || answer.status > 299) throw getError(answer);
	if (answer.body.length === 0) return {};
	const parsed = getJson(answer);
	if (isObject(parsed)) return parsed;
	throw new AutomationError(
		answer.contentType.includes("json") ? "bad_answer" : "not_an_automation_server",
		"The answer is not what an automation server gives: no JSON object.",
		{ status: answer.status, retryable: answer.contentType.includes("json") },
	);
}

/**
 * The body with the connection's secrets masked. Undefined if it is no JSON, whatever its content
 * type.
 */
export function getJson(answer: RawAnswer): unknown {
	if (!answer.contentType.includes("json")) return undefined;
	try {
		return maskTexts(JSON.parse(answer.body.toString("utf8")), answer.mask);
	} catch {
		return undefined;
	}
}

/** What a status other than 2xx means. */
export function getError(answer: RawAnswer): AutomationError {
	const { status } = answer;
	const words = getErrorText(getJson(answer));
	const said = words === "" ? "" : ` It says: ${words}`;
	const make = (
		kind: AutomationError["kind"],
		message: string,
		more: { retryable?: boolean; retryAfterMs?: number | null } = {},
	) => new AutomationError(kind, message, { status, ...more });
	if (status === 401) {
		return make("credentials", "The automation server does not accept the token: it is wrong, revoked or has expired.");
	}
	if (status === 403)
		return make("permission", `The automation server does not allow this to the token's user.${said}`);
	if (status === 404) return make("not_found", "The automation server has no such object, or does not show it.");
	if (status === 400) return make("invalid", words === "" ? "The automation server refused the request." : words);
	if (status === 405 || status === 409) return make("conflict", `The automation server cannot do this now.${said}`);
	if (status === 413)
		return make(
			"invalid",
			"The request is too large for the proxy in front of the automation server. Raise its limit of " +
				"request bodies (nginx: client_max_body_size), or send fewer rows.",
		);
	if (status === 429) {
		return make("throttled", "The automation server asks to be asked less often.", {
			retryable: true,
			retryAfterMs: retryAfter(answer),
		});
	}
	if (status >= 300 && status < 400) {
		const migrating = answer.header("location")?.includes("migrations") === true;
		const text = migrating
			? "The automation server is migrating its database."
			: `The automation server sends elsewhere (${status}), which is not followed. Check the address of the connection.`;
		return make("redirect", text, { retryable: migrating });
	}
	if (status >= 500 || status === 408 || status === 425) {
		return make("server", `The automation server, or a proxy in front of it, failed with ${status}.${said}`, {
			retryable: true,
			retryAfterMs: retryAfter(answer),
		});
	}
	return make("invalid", `The automation server answered ${status}.${said}`);
}

function retryAfter(answer: RawAnswer): number | null {
	const wait = readRetryAfter(answer.header("retry-after"), Date.parse(answer.header("date") ?? ""));
	return wait === null ? null : Math.min(wait, RETRY_AFTER_MAX_MS);
}

const UNNAMED = new Set(["detail", "error", "msg", "__all__", "errors", ""]);

/**
 * `{detail}`, `{field: [messages]}`, `{field: "message"}`, nested or not, in one line: a sentence
 * for each field.
 */
function getErrorText(body: unknown): string {
	const byName = new Map<string, string[]>();
	const visit = (value: unknown, name: string): void => {
		if (typeof value === "string") {
			if (value.trim() !== "") byName.set(name, [...(byName.get(name) ?? []), value.trim()]);
		} else if (Array.isArray(value)) for (const one of value) visit(one, name);
		else if (isObject(value)) {
			for (const [key, one] of Object.entries(value)) visit(one, name === "" ? key : `${name}.${key}`);
		}
	};
	visit(body, "");
	const sentences = [...byName].map(([name, said]) => {
		const text = said.map((one, at) => (at === said.length - 1 ? one : one.replace(/\.$/, ""))).join("; ");
		return `${UNNAMED.has(name) ? "" : `${name}: `}${/[.!?]$/.test(text) ? text : `${text}.`}`;
	});
	return sentences.join(" ").slice(0, WORDS_MAX);
}
