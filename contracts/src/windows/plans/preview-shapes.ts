/** Findings of a change plan between the two latest snapshots of its queries. */
import * as z from "zod";
import { timestamp } from "../../core/common.ts";
import { windowFinding } from "../finding-shapes.ts";

/** Findings of one item on one connection. */
export const planPreviewResult = z.object({
	item: z.int(),
	connection_id: z.string(),
	/** The older snapshot; null if there is none. */
	from: z.object({ snapshot_id: z.string(), at: timestamp }).nullable(),
	to: z.object({ snapshot_id: z.string(), at: timestamp }).nullable(),
	/** Reason why nothing was compared; null if the snapshots were compared. */
	error: z.string().nullable(),
	total: z.int(),
	/** The first findings, at most 20. */
	findings: z.array(windowFinding),
});
export const planPreview = z.object({ results: z.array(planPreviewResult) });
export type PlanPreview = z.infer<typeof planPreview>;
