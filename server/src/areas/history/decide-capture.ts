/** Decides whether a capture is stored, before its history is locked and again afterwards. */
import type { CaptureAnswer } from "@weft/contracts";
import { buildForbiddenError, buildNotFoundError } from "../../core/errors.ts";
import { markUnchanged } from "../../core/events.ts";
import type { Captured, Capturer, PreparedCapture } from "./captures.ts";
import { decideOutcome, type Outcome } from "./rules/outcome.ts";
import type { SnapshotRow } from "./sql/snapshots.ts";

type Undecided = Omit<PreparedCapture, "declined">;

export const decideCapture = (capture: Undecided, previous: SnapshotRow | undefined): Outcome =>
	decideOutcome({
		access: capture.access,
		signals: capture.signals,
		sizeBytes: capture.sizeBytes,
		limitMb: capture.settings.max_snapshot_size_mb,
		hash: capture.content?.hash ?? null,
		previous: previous === undefined ? null : { id: previous.id, hash: previous.result_hash },
		// A run is recorded even if a client captured the same result before it.
		storeDuplicates:
			capture.settings.store_duplicates || (capture.options.origin === "run" && previous?.origin === "client"),
	});

/** The outcome if nothing is stored. @throws 403, 404 */
export function declineCapture({ capturer, content }: Undecided, outcome: Outcome): Captured {
	return { answer: answerDeclined(capturer, outcome), drift: null, baselines: content?.baselines ?? new Map() };
}

function answerDeclined(capturer: Capturer, outcome: Outcome): CaptureAnswer {
	switch (outcome.kind) {
		case "hidden":
			throw buildNotFoundError();
		case "forbidden":
			throw buildForbiddenError("You need the permission add_snapshot for this.");
		case "controller_error":
			markUnchanged(capturer);
			return { success: false, error: "controller_error_response", reason: outcome.reason };
		case "too_large":
			markUnchanged(capturer);
			return { success: false, error: "snapshot_too_large", size_mb: outcome.sizeMb, limit_mb: outcome.limitMb };
		case "duplicate":
			markUnchanged(capturer);
			return { success: true, skipped: true, reason: "duplicate", previous_snapshot_id: outcome.previousId };
		default:
			throw new Error(`A capture cannot end as ${outcome.kind}`);
	}
}
