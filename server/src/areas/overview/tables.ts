/** The tables of this area as the query builder sees them. */
import type { SetupStep } from "@weft/contracts";
import type { Generated } from "kysely";
import type { Time } from "../../core/ports/schema.ts";

declare module "../../core/ports/schema.ts" {
	interface Schema {
		service_nodes: ServiceNodesTable;
		store_backups: StoreBackupsTable;
		skipped_setup_steps: SkippedSetupStepsTable;
	}
}

export interface ServiceNodesTable {
	id: string;
	host: string;
	process_id: number;
	version: string;
	roles: string[];
	started_at: Time;
	seen_at: Time;
}

/** Backups that the backup command recorded (`storage/postgres`). */
export interface StoreBackupsTable {
	id: Generated<number>;
	file_name: string;
	size_bytes: number;
	row_count: number;
	version: string;
	created_at: Time;
}

export interface SkippedSetupStepsTable {
	step: SetupStep;
	/** Null if the user was deleted. */
	skipped_by_id: number | null;
	skipped_at: Time;
}
