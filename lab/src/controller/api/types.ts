/** What passes between the parts of the interface. */
import type { Session } from "../auth/sessions.ts";
import type { Cost } from "../http/latency.ts";
import type { Reply } from "../http/reply.ts";

export interface ApiRequest {
	readonly method: string;
	/** As in the request line: undecoded path and query. */
	readonly target: string;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	readonly body: string;
}

export interface ApiResult {
	readonly reply: Reply;
	readonly cost: Cost;
	/** Milliseconds a fault holds the reply back. */
	readonly delay?: number;
}

export interface Caller {
	readonly user: string;
	/** `null` when the request was signed: such requests have no session. */
	readonly session: Session | null;
}

/** A request that costs the floor and nothing more. */
export const FREE: Cost = { kind: "query", objects: 0, nested: 0, logs: false, refused: false };
