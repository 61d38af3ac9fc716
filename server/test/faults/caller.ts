/** Calls whichever process answers, as people and their tools would. */
import { TEST_PASSWORD } from "../support/harness.ts";

// biome-ignore lint/suspicious/noExplicitAny: callers check the shape of bodies
type Json = any;

interface Answer {
	readonly status: number;
	readonly body: Json;
}

/** A failed call is what faults are about: it is tried again on another node, or given up. */
export interface Caller {
	/** Null where no answer came, or a 5xx. */
	call(method: string, path: string, body?: unknown): Promise<Answer | null>;
	/**
	 * Retries a step that others depend on; `again`: an earlier attempt may have reached the service.
	 */
	insist(method: string, path: string, body?: unknown): Promise<(Answer & { again: boolean }) | null>;
}

const TRIES = 8;
const PAUSE_MS = 400;

/** Signs in again where a session was lost. */
export function createCaller(addresses: () => readonly string[]): Caller {
	let token = "";
	let turn = 0;

	async function sendRequest(method: string, path: string, body: unknown): Promise<Response> {
		const all = addresses();
		const base = all[turn++ % all.length];
		return fetch(base + path, {
			method,
			headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
			signal: AbortSignal.timeout(20_000),
		});
	}

	async function signIn(): Promise<void> {
		const answer = await sendRequest("POST", "/api/auth/login/", { username: "admin", password: TEST_PASSWORD });
		if (answer.ok) token = ((await answer.json()) as Json).access;
		else await answer.arrayBuffer();
	}

	async function callService(method: string, path: string, body?: unknown): Promise<Answer | null> {
		try {
			if (token === "") await signIn();
			const answer = await sendRequest(method, path, body);
			const text = await answer.text();
			if (answer.status === 401) token = "";
			if (answer.status >= 500 || answer.status === 401) return null;
			return { status: answer.status, body: text === "" ? null : JSON.parse(text) };
		} catch {
			return null;
		}
	}

	return {
		call: callService,
		async insist(method, path, body) {
			for (let tries = 0; tries < TRIES; tries++) {
				const answer = await callService(method, path, body);
				if (answer !== null) return { ...answer, again: tries > 0 };
				await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
			}
			return null;
		},
	};
}
