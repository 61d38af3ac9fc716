/** Why a request to a controller failed, and the state of its members. */

/**
 * `partial`: it has lost members of its cluster, so that its answers may lack objects. `down`: it
 * did not answer. `unknown`: it was not asked yet.
 */
export type MemberState = "ok" | "partial" | "standby" | "down" | "other_fabric" | "unknown";

export type ControllerErrorKind =
	/** Nothing listens there, or no route to it. */
	| "refused"
	| "dns"
	/** The administrator's settings do not allow the address. */
	| "address"
	| "tls"
	/**
	 * No answer within the connection's timeout, or the controller's own limit (90 s) was reached.
	 */
	| "timeout"
	/** The connection dropped before the answer was complete. */
	| "reset"
	| "credentials"
	| "not_a_controller"
	/** It has the objects but did not send them; never to be read as "no objects". */
	| "busy"
	/** The controller refuses so large an answer, or one page exceeds the driver's limit. */
	| "too_big"
	| "throttled"
	| "server"
	/** The controller answered with an error object: `code` and `text` are its own. */
	| "rejected"
	| "permission"
	| "cancelled"
	/** Not an answer of the expected form: cut off, not JSON, no imdata. */
	| "bad_answer"
	/** A limit of the driver: request line or answer too long. */
	| "limit"
	/** Objects changed during the read, so completeness cannot be proved. */
	| "unstable"
	/** A member of the cluster belongs to another fabric. */
	| "other_fabric"
	/** No member of the cluster may be asked. */
	| "no_member"
	/** The driver refuses to send this request (path outside /api/, `..`, control characters …). */
	| "invalid";

/**
 * A failure described for a network engineer. The message never contains a password, token or
 * cookie.
 */
export class ControllerError extends Error {
	override readonly name = "ControllerError";
	readonly kind: ControllerErrorKind;
	/** HTTP status of the answer, when there was one. */
	readonly status: number | undefined;
	/** The controller's error code (kind `rejected` and others), or the system's (ECONNREFUSED …). */
	readonly code: string | undefined;
	/** The controller's own words, when it answered with an error object. */
	readonly text: string | undefined;
	/**
	 * Whether the same request may succeed later unchanged. The driver's own retries are exhausted.
	 */
	readonly retryable: boolean;
	/** Kind `busy`: the answer counted objects and listed none of them. */
	readonly listedNone: boolean;
	/**
	 * The member of the cluster failed after pages were delivered. The read may begin again with the
	 * same `failedMembers`, after these pages were dropped.
	 */
	readonly interrupted: boolean;

	constructor(
		kind: ControllerErrorKind,
		message: string,
		details: {
			readonly status?: number | undefined;
			readonly code?: string | undefined;
			readonly text?: string | undefined;
			readonly retryable?: boolean;
			readonly listedNone?: boolean;
			readonly interrupted?: boolean;
		} = {},
	) {
		super(message);
		this.kind = kind;
		this.status = details.status;
		this.code = details.code;
		this.text = details.text;
		this.retryable = details.retryable ?? false;
		this.listedNone = details.listedNone ?? false;
		this.interrupted = details.interrupted ?? false;
	}
}
