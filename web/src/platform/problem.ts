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
		return { ...base, title: "That was not accepted", detail: text || "The service refused the request." };
	}
	return { ...base, title: TITLES[status] ?? (status >= 500 ? "The service failed" : "That did not work"), detail };
}

const TITLES: Readonly<Record<number, string>> = {
	401: "Your session has ended",
	403: "You are not allowed to do this",
	404: "There is nothing here",
	409: "Something else is in the way",
	413: "That is too large",
	429: "Too many requests",
	502: "A system behind Weft failed",
	503: "The service is not available",
	504: "A system behind Weft did not answer in time",
};

function withoutAnswer(error: unknown): Problem {
	const lost = error instanceof TypeError;
	return {
		title: lost ? "The service cannot be reached" : "Something went wrong here",
		detail: lost
			? "Check the network, then try again. Nothing that you entered is lost."
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
