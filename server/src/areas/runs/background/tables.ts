/** The tables of this area as the query builder sees them. */
import type { Generated } from "kysely";
import type { Time } from "../../../core/ports/schema.ts";

declare module "../../../core/ports/schema.ts" {
	interface Schema {
		query_runs: QueryRunsTable;
		latest_query_runs: LatestQueryRunsTable;
	}
}

export interface QueryRunsTable {
	job_id: string;
	origin: string;
	origin_id: string | null;
	username: string;
	keeps_snapshot: boolean;
	/** Whether checks, drift and baselines of the query may read the rows. */
	is_trusted: Generated<boolean>;
	/** Of the variable values; null for those of the query. */
	values_digest: string | null;
	ip_address: string;
	user_agent: string;
	request_id: string;
	failures: Generated<number>;
	finished_at: Time | null;
}

export interface LatestQueryRunsTable {
	saved_query_id: string;
	connection_id: string;
	run_id: string;
	ended_at: Time;
	/** Null: the run completed. */
	error: string | null;
}
