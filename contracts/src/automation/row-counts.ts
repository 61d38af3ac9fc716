/** Rows of a job by their result. */
import * as z from "zod";
import { ROW_STATUSES } from "./executions/values.ts";

/** A result that no row has is 0. */
export const rowCounts = z.record(z.enum(ROW_STATUSES), z.int());
export type RowCounts = z.infer<typeof rowCounts>;
