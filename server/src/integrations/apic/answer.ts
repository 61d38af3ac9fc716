/**
 * What came back from the controller: an answer, or a failure together with what may be done about
 * it.
 */

import type { Objects } from "./objects.ts";
import type { ControllerError } from "./port-error.ts";

export interface Answer {
	readonly status: number;
	/** Parsed JSON; undefined where the answer was only scanned, or is other text. */
	readonly data: unknown;
	/** `imdata`; null where the answer has no such list. */
	readonly objects: Objects | null;
	/** Null where the answer has no count. */
	readonly totalCount: number | null;
	readonly body: Buffer;
	/** The body, where it is JSON that was inspected instead of parsed. */
	readonly json?: Buffer;
	/** The body, where it is no JSON. */
	readonly text?: Buffer;
}

export type Outcome<T = Answer> = { readonly ok: true; readonly answer: T } | Failure;

export interface Failure {
	readonly ok: false;
	readonly error: ControllerError;
	/** Whether a read may be retried; `once` where a retry seldom helps. */
	readonly again: "never" | "once" | "yes";
	/** The controller's own wish (Retry-After). */
	readonly afterMs?: number;
	/** The token was refused: a login may help. */
	readonly token?: boolean;
}

export function buildFailure(
	error: ControllerError,
	again: Failure["again"] = "never",
	more: Partial<Failure> = {},
): Failure {
	return { ok: false, error, again, ...more };
}
