/** What came back from the controller: an answer, or a failure together with what may be done about it. */

import type { ControllerError } from "../../ports/controller.ts";
import type { Objects } from "./objects.ts";

export interface Answer {
	readonly status: number;
	/** Parsed JSON, or text; undefined where the answer was only looked through. */
	readonly data: unknown;
	/** `imdata`; null where the answer has no such list. */
	readonly objects: Objects | null;
	/** Null where the answer does not tell. */
	readonly totalCount: number | null;
	readonly body: Buffer;
}

export type Outcome<T = Answer> = { readonly ok: true; readonly answer: T } | Failure;

export interface Failure {
	readonly ok: false;
	readonly error: ControllerError;
	/** Whether a read may be sent again: `once` for what seldom helps. */
	readonly again: "never" | "once" | "yes";
	/** The controller's own wish (Retry-After). */
	readonly afterMs?: number;
	/** The token was refused: a login may help. */
	readonly token?: boolean;
}

export function failure(
	error: ControllerError,
	again: Failure["again"] = "never",
	more: Partial<Failure> = {},
): Failure {
	return { ok: false, error, again, ...more };
}
