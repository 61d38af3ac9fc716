/** What a change plan would have found between the two latest snapshots of its queries. */
import * as z from "zod";
import { timestamp } from "../../core/common.ts";
import { windowFinding } from "../finding-shapes.ts";

/** Of one item on one connection. */
export const planPreviewResult = z.object({
	item: z.int(),
	connection_id: z.string(),
	/** Null where there is none. */
	from: z.object({ snapshot_id: z.string(), at: timestamp }).nullable(),
	to: z.object({ snapshot_id: z.string(), at: timestamp }).nullable(),
	/** Why nothing can be compared; null where it was. */
	error: z.string().nullable(),
	total: z.int(),
	/** At most 20. */
	findings: z.array(windowFinding),
});
export const planPreview = z.object({ results: z.array(planPreviewResult) });
export type PlanPreview = z.infer<typeof planPreview>;
