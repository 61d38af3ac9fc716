/** The tables of this area as the query builder sees them. */
import type { GroupStatus } from "@weft/contracts";
import type { Generated } from "kysely";
import type { Time } from "../../../core/ports/schema.ts";

declare module "../../../core/ports/schema.ts" {
	interface Schema {
		group_executions: GroupExecutionsTable;
		group_execution_runs: GroupExecutionRunsTable;
	}
}

export interface GroupExecutionsTable {
	id: string;
	owner_id: number;
	status: Generated<GroupStatus>;
	is_cancelled: Generated<boolean>;
	saved_query_id: string | null;
	query_name: string | null;
	query_version: string | null;
	connection_group_id: string | null;
	hidden_count: number;
	/** Null while the status is `running`. */
	total_rows: number | null;
	created_at: Time;
	completed_at: Time | null;
}

export interface GroupExecutionRunsTable {
	group_execution_id: string;
	connection_id: string;
	connection_name: string;
	position: number;
	job_id: string;
}
