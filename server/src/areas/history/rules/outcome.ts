/** Decides the outcome of a capture: the checks in their order. */

export interface ControllerError {
	code: string | null;
	text: string | null;
}

/** What a controller reported beside its rows. */
export interface Signals {
	/** The first message of severity error or warning. */
	message: { severity: string; text: string | null } | null;
	/** The first `error` entry among the rows. */
	error: ControllerError | null;
	totalCount: number | null;
	rowCount: number;
	/** Whether the rows stood in `imdata`. */
	isEnvelope: boolean;
}

export interface OutcomeInput {
	access: "allowed" | "hidden" | "forbidden";
	signals: Signals;
	sizeBytes: number;
	limitMb: number;
	hash: string | null;
	/** The latest snapshot of the same query (or ad-hoc name and class) and connection. */
	previous: { id: string; hash: string } | null;
	storeDuplicates: boolean;
}

export type Outcome =
	| { kind: "hidden" }
	| { kind: "forbidden" }
	| { kind: "controller_error"; reason: string }
	| { kind: "too_large"; sizeMb: number; limitMb: number }
	| { kind: "duplicate"; previousId: string }
	| { kind: "store"; isDuplicate: boolean; hasChanges: boolean };

const BYTES_PER_MB = 1024 * 1024;

/** Size in MB (1,048,576 bytes), exact to the byte. */
export function toMegabytes(bytes: number): number {
	return Math.round((bytes / BYTES_PER_MB) * 1e6) / 1e6;
}

/** The bytes that a limit in MB allows. */
export function computeAllowedBytes(limitMb: number): number {
	return Math.floor(limitMb * BYTES_PER_MB);
}

/**
 * The reason not to store a controller's result; null to store it. An empty result with a count
 * means a busy controller, not an empty set.
 */
export function getControllerErrorReason(signals: Signals): string | null {
	if (signals.message !== null) {
		const { severity, text } = signals.message;
		return `The controller sent ${severity === "error" ? "an error" : "a warning"}${text ? `: ${text}` : "."}`;
	}
	if (signals.error !== null) {
		const { code, text } = signals.error;
		return `The controller answered with error${code ? ` ${code}` : ""}${text ? `: ${text}` : "."}`;
	}
	if (signals.isEnvelope && signals.rowCount === 0 && (signals.totalCount ?? 0) > 0)
		return `The controller counted ${signals.totalCount} objects but sent none: it was too busy to answer.`;
	return null;
}

/** The outcome of a capture. */
export function decideOutcome(input: OutcomeInput): Outcome {
	if (input.access !== "allowed") return { kind: input.access };
	const reason = getControllerErrorReason(input.signals);
	if (reason !== null) return { kind: "controller_error", reason };
	if (input.sizeBytes > computeAllowedBytes(input.limitMb))
		return { kind: "too_large", sizeMb: toMegabytes(input.sizeBytes), limitMb: input.limitMb };
	const isDuplicate = input.previous !== null && input.previous.hash === input.hash;
	if (isDuplicate && input.previous !== null && !input.storeDuplicates)
		return { kind: "duplicate", previousId: input.previous.id };
	return { kind: "store", isDuplicate, hasChanges: input.previous !== null && !isDuplicate };
}
