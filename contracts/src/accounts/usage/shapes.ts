/** What the caller may use and has used, and counters for a start page. */
import * as z from "zod";

export const authStats = z.object({ queries_run: z.int(), schedules_active: z.int(), notifications_unread: z.int() });
export type AuthStats = z.infer<typeof authStats>;
