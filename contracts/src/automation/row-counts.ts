/** Rows of a job by their result. */
import * as z from "zod";
import { ROW_STATUSES } from "./executions/values.ts";

/** Number of rows per result, 0 if no row has it. */
export const rowCounts = z.record(z.enum(ROW_STATUSES), z.int());
export type RowCounts = z.infer<typeof rowCounts>;
