/** A failure in words: what happened, what it means, what to do, and by which field. */
import { WeftError } from "@weft/sdk";

export interface Problem {
	readonly title: string;
	readonly detail: string;
	/** The service's messages by field, dotted for nested ones. */
	readonly fields: Readonly<Record<string, string>>;
	readonly status: number | null;
	/** To find it in the service's log. */
	readonly requestId: string | null;
	/** Whether the same may succeed a little later. */
	readonly transient: boolean;
}

export function isWorthRetrying(error: unknown): boolean {
	if (!(error instanceof WeftError)) return error instanceof TypeError;
	return error.status === 502 || error.status === 503 || error.status === 504;
}

export function problemOf(error: unknown): Problem {
	if (!(error instanceof WeftError)) return withoutAnswer(error);
	const { status, body, requestId } = error;
	const record = isRecord(body) ? body : {};
	const detail = typeof record.detail === "string" ? record.detail : "";
	const fields = status === 400 ? fieldsOf(record) : {};
	const base = { status, requestId, fields, transient: status >= 500 || status === 429 };
	const general = fields.non_field_errors ?? detail;
	if (status === 400) {
		const named = Object.entries(fields).filter(([name]) => name !== "non_field_errors");
		const text = general || named.map(([name, message]) => `${name}: ${message}`).join(" ");
		return { ...base, title: "Invalid input", detail: text || "The service refused the request." };
	}
	return { ...base, title: TITLES[status] ?? (status >= 500 ? "The service failed" : "The request failed"), detail };
}

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

function withoutAnswer(error: unknown): Problem {
	const lost = error instanceof TypeError;
	return {
		title: lost ? "Weft is unreachable" : "This page failed",
		detail: lost
			? "Check the network, then try again. Your input is kept."
			: error instanceof Error
				? error.message
				: String(error),
		fields: {},
		status: null,
		requestId: null,
		transient: lost,
	};
}

function fieldsOf(body: Readonly<Record<string, unknown>>): Record<string, string> {
	const fields: Record<string, string> = {};
	for (const [name, messages] of Object.entries(body)) {
		if (Array.isArray(messages))
			fields[name] = messages.map((m) => (typeof m === "string" ? m : JSON.stringify(m))).join(" ");
	}
	return fields;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
	typeof value === "object" && value !== null && !Array.isArray(value);
