/**
 * A failure in words: what happened, what it means, what to do, and by which field. There are
 * three kinds: answers of the service, requests without an answer, and errors of the program.
 */
import { WeftError } from "@weft/sdk";
import { UnreachableError, UserError } from "./failures.ts";

export interface Problem {
	readonly title: string;
	readonly detail: string;
	/** The service's messages by field, dotted for nested ones. */
	readonly fields: Readonly<Record<string, string>>;
	readonly status: number | null;
	/** To find it in the service's log. */
	readonly requestId: string | null;
}

/** Messages of the TypeError with which browsers reject an import that they cannot fetch. */
const UNFETCHED_MODULE = /dynamically imported module|Importing a module script failed|Unable to preload CSS/;

function isUnreachable(error: unknown): boolean {
	if (error instanceof UnreachableError) return true;
	return error instanceof Error && UNFETCHED_MODULE.test(error.message);
}

/** Whether the error is a fault of the program itself, which no repetition mends. */
export function isProgramError(error: unknown): boolean {
	if (error instanceof WeftError || error instanceof UserError || isUnreachable(error)) return false;
	return !(error instanceof DOMException && (error.name === "AbortError" || error.name === "TimeoutError"));
}

/** Passes an error of the program to the window, which shows it. Drops every other error. */
export function reportProgramError(error: unknown): void {
	if (isProgramError(error)) reportError(error);
}

export function isWorthRetrying(error: unknown): boolean {
	if (!(error instanceof WeftError)) return isUnreachable(error);
	return [502, 503, 504].includes(error.status);
}

export function findProblem(error: unknown): Problem {
	if (!(error instanceof WeftError)) return describeOwnError(error);
	const { status, body, requestId } = error;
	const record = isRecord(body) ? body : {};
	const detail = typeof record.detail === "string" ? record.detail : "";
	const fields = status === 400 ? getFields(record) : {};
	const base = { status, requestId, fields };
	const general = fields.non_field_errors ?? detail;
	if (status === 400) {
		const named = Object.entries(fields).filter(([name]) => name !== "non_field_errors");
		const text = general || findMessage(record) || named.map(([name, message]) => `${name}: ${message}`).join(" ");
		return { ...base, title: "Invalid input", detail: text || "The service refused the request." };
	}
	return { ...base, title: TITLES[status] ?? (status >= 500 ? "The service failed" : "The request failed"), detail };
}

/**
 * The name of a quota that is used up and the service's words, as the reason of a closed socket
 * has them: `sockets_max: Your quota …`. Null for every other error.
 */
export function findQuotaReason(error: unknown): string | null {
	if (!(error instanceof WeftError) || !isRecord(error.body)) return null;
	return error.body.quota ? `${error.body.quota}: ${error.body.detail}` : null;
}

const findRefusal = (error: unknown): unknown =>
	error instanceof WeftError && error.status === 403 && isRecord(error.body) ? error.body.code : null;

/** Whether the service asks for a sign-in of the last minutes before it does this. */
export const needsRecentSignIn = (error: unknown): boolean => findRefusal(error) === "reauthentication_required";

/** Whether the session reaches nothing before a new password or a second factor. */
export const needsFirstSteps = (error: unknown): boolean =>
	/^(password_change|mfa_setup)_required$/.test(String(findRefusal(error)));

const TITLES: Readonly<Record<number, string>> = {
	401: "Your session has ended",
	403: "Permission denied",
	404: "Not found",
	409: "Conflict",
	413: "Too large",
	429: "Too many requests",
	502: "An upstream system failed",
	503: "Weft is unavailable",
	504: "An upstream system timed out",
};

function describeOwnError(error: unknown): Problem {
	const base = { fields: {}, status: null, requestId: null };
	if (isUnreachable(error)) {
		return { ...base, title: "Weft is unreachable", detail: "Check the network, then try again. Your input is kept." };
	}
	const message = error instanceof Error ? error.message : String(error);
	const title = isProgramError(error) ? "This part of the page failed" : "Not done";
	return { ...base, title, detail: message };
}

/** The sentence of an answer that is no refused field, such as a failed test of a connection. */
const findMessage = ({ message, error }: Readonly<Record<string, unknown>>) =>
	[message, error].find((text) => typeof text === "string" && text !== "") as string | undefined;

function getFields(body: Readonly<Record<string, unknown>>): Record<string, string> {
	const fields: Record<string, string> = {};
	for (const [name, messages] of Object.entries(body)) {
		if (Array.isArray(messages))
			fields[name] = messages.map((m) => (typeof m === "string" ? m : JSON.stringify(m))).join(" ");
	}
	return fields;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === "object" && value !== null && !Array.isArray(value);
