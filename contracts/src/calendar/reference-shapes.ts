/** Freezes and maintenance as other areas show them, and the way past a freeze. */
import * as z from "zod";
import { defineTrimmedText, timestamp } from "../core/common.ts";

export const freezeRef = z.object({
	/** The calendar entry. */
	id: z.string(),
	title: z.string(),
	/** Of its occurrence that is on. */
	ends_at: timestamp,
});
export type FreezeRef = z.infer<typeof freezeRef>;

export const holdRef = z.object({
	/** The calendar entry. */
	id: z.string(),
	title: z.string(),
	/** Of its occurrence that is on. */
	ends_at: timestamp,
});
export type HoldRef = z.infer<typeof holdRef>;

/** In the body of a change: carries it out during a freeze, with the permission override_freeze. */
export const freezeOverride = z.object({ reason: defineTrimmedText(2_000) }).optional();
export type FreezeOverride = z.output<typeof freezeOverride>;

/** 409: the state does not permit it, or a freeze is on, which is named then. */
export const freezeConflict = z.looseObject({ detail: z.string(), freeze: freezeRef.optional() });
