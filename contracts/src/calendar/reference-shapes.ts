/** Freezes and holds of alerts as other areas show them, and the override of a freeze. */
import * as z from "zod";
import { defineTrimmedText, timestamp } from "../core/common.ts";
import { HOLD_KINDS } from "./values.ts";

export const freezeRef = z.object({
	/** Id of the calendar entry. */
	id: z.string(),
	title: z.string(),
	/** End of the occurrence that is on. */
	ends_at: timestamp,
});
export type FreezeRef = z.infer<typeof freezeRef>;

export const holdRef = z.object({
	kind: z.enum(HOLD_KINDS),
	/** Id of the calendar entry, or of the change window. */
	id: z.string(),
	title: z.string(),
	/** End of the occurrence or window; for a window without one, 24 hours after it opened. */
	ends_at: timestamp,
});
export type HoldRef = z.infer<typeof holdRef>;

/** Field of a change that carries it out during a freeze. Needs the permission override_freeze. */
export const freezeOverride = z.object({ reason: defineTrimmedText(2_000) }).optional();
export type FreezeOverride = z.output<typeof freezeOverride>;

/** Body of a 409: the state does not permit the change, or a freeze is on, which is named. */
export const freezeConflict = z.looseObject({ detail: z.string(), freeze: freezeRef.optional() });
