/** Keeps the rows of a scheduled run as a snapshot. */
import type { CaptureAnswer, CaptureFields, CaptureStored } from "@weft/contracts";
import type { Identity } from "../../platform/caller.ts";
import type { Actor } from "../../platform/events.ts";
import type { Tx } from "../../ports/store.ts";
import type { ScheduleNeeds } from "./needs.ts";

export interface CaptureNeeds {
	/** The rows of a completed job as a controller's answer; null where they are more than `maxBytes`. */
	documentOf(
		identity: Identity,
		jobId: string,
		maxBytes: number,
	): Promise<{
		readonly bytes: Uint8Array | null;
		readonly className: string;
		readonly version: { readonly version: string; readonly versionHash: string } | undefined;
	}>;
	/** The Time Machine's. */
	capture(
		capturer: Identity & Actor,
		input: {
			readonly fields: CaptureFields;
			readonly bytes: Uint8Array;
			readonly executionType: "scheduled";
			readonly signal: AbortSignal;
			readonly version?: { readonly version: string; readonly versionHash: string };
			readonly along: (tx: Tx, answer: CaptureStored) => Promise<void>;
		},
	): Promise<CaptureAnswer>;
}

/** No user's limit is higher (megabytes). */
const LIMIT_MB = 100;
const LIMIT = LIMIT_MB * 1024 * 1024;

export function createCapture({ documentOf, capture }: CaptureNeeds): NonNullable<ScheduleNeeds["capture"]> {
	return async ({ identity, query, connection, jobId, executionTimeMs, signal, along }) => {
		const { bytes, className, version } = await documentOf(identity, jobId, LIMIT);
		if (bytes === null) {
			return { success: false, error: "snapshot_too_large", size_mb: LIMIT_MB + 1, limit_mb: LIMIT_MB };
		}
		const capturer = {
			...identity,
			ip: "",
			userAgent: "",
			requestId: "",
			audit: { category: "time_machine", action: "snapshot_capture" },
		} as const;
		const fields = {
			saved_query_id: query.id,
			query_name: query.name,
			class_name: className,
			controller_connection_id: connection.id,
			controller_connection_name: connection.name,
			execution_time_ms: executionTimeMs,
		};
		return capture(capturer, {
			fields,
			bytes,
			executionType: "scheduled",
			signal,
			along,
			...(version === undefined ? {} : { version }),
		});
	};
}
