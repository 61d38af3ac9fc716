/** Quotas as areas use them; accounts implements them. */
import type { QuotaNumber, QuotaRight } from "@weft/contracts";
import type { Identity } from "./caller.ts";
import type { Db, Tx } from "./ports/store.ts";

/** Whose quota it is. */
export type QuotaHolder = Pick<Identity, "userId" | "isAdmin">;

/** Numbers that are a limit of one answer rather than a count: read with `limit`. */
type RowQuota = "result_rows_max" | "export_rows_max";

/** Limits of how many there may be at once. */
export type CountedQuota =
	| "queries_max"
	| "scheduled_tasks_max"
	| "connections_max"
	| "automation_concurrent"
	| "checks_max"
	| "connection_groups_max"
	| "calendar_entries_max"
	| "categories_max"
	| "sockets_max"
	| "webhooks_max"
	| "tokens_max"
	| "automation_connections_max"
	| "automation_templates_max"
	| "automation_references_max"
	| "change_plans_max";

/** Limits of a day, UTC. */
export type DailyQuota = Exclude<QuotaNumber, RowQuota | CountedQuota>;

export interface Quotas {
	/**
	 * Passes when the holder may do one more of it. A daily one is counted as used, and is unused
	 * again when the transaction is rolled back. Of two transactions at once the second waits and
	 * sees what the first one added: where a user does many things at once, a daily one is best
	 * checked last. `times`: how many more there will be, or how many uses of a daily quota to count
	 * at once; all or none.
	 * @throws 403 `{detail, quota}`; 429 with Retry-After for a daily one
	 */
	check(holder: QuotaHolder, name: QuotaRight | CountedQuota | DailyQuota, tx?: Tx, times?: number): Promise<void>;
	/** Rows; null where there is no limit. */
	limit(holder: QuotaHolder, name: RowQuota, db?: Db): Promise<number | null>;
}
