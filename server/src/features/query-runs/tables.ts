/** The tables of this feature as the query builder sees them. */
import type { Generated } from "kysely";
import type { Time } from "../../ports/schema.ts";

declare module "../../ports/schema.ts" {
	interface Schema {
		query_runs: QueryRunsTable;
	}
}

export interface QueryRunsTable {
	job_id: string;
	origin: string;
	origin_id: string | null;
	username: string;
	keeps_snapshot: boolean;
	ip_address: string;
	user_agent: string;
	request_id: string;
	failures: Generated<number>;
	finished_at: Time | null;
}
