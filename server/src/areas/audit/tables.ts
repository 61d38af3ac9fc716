/** The tables of this area as the query builder sees them. */
import type { AuditCategory } from "@weft/contracts";
import type { Generated } from "kysely";
import type { Json, JsonDefault, Time } from "../../core/ports/schema.ts";

declare module "../../core/ports/schema.ts" {
	interface Schema {
		audit_log: AuditLogTable;
		audit_pending: AuditPendingTable;
		audit_blocks: AuditBlocksTable;
		audit_chain: AuditChainTable;
		audit_days: AuditDaysTable;
		audit_index: AuditIndexTable;
		audit_settings: AuditSettingsTable;
	}
}

export interface AuditLogTable {
	id: Generated<number>;
	category: AuditCategory;
	action: string;
	user_id: number | null;
	username: string;
	ip_address: string;
	user_agent: string;
	description: string;
	target_type: string;
	target_id: string;
	metadata: Json<Record<string, unknown>>;
	/** JSON text, gzipped when `content_compressed`. */
	content: Buffer | null;
	content_compressed: Generated<boolean>;
	content_size_bytes: Generated<number>;
	request_id: string;
	created_at: Time;
	/** Made from the description by the store when an entry is sealed. */
	words: Generated<string | null>;
}

export interface AuditPendingTable {
	id: number;
}

export interface AuditBlocksTable {
	number: number;
	kind: "entries" | "purge";
	/** `2026-01-31`, UTC; written so, read as the store's driver reads dates. */
	day: string;
	groups: string[];
	digest: Buffer;
	mac: Buffer;
	entry_ids: number[];
	entry_groups: string[];
	entry_hashes: Buffer;
	sealed_at: Time;
}

export interface AuditChainTable {
	id: Generated<boolean>;
	key_sealed: string;
	/** Number of the first block that carries the key: those before it carry a key that is lost. */
	first_block: Generated<number>;
	purges: Generated<number>;
}

export interface AuditDaysTable {
	day: string;
	category: string;
	action: string;
	entries: number;
}

/**
 * `0030_audit_terms.sql`. Its other tables hold bit strings, which the query builder cannot
 * express.
 */
export interface AuditIndexTable {
	block: number;
	entries: number;
	complete: boolean;
}

export interface AuditSettingsTable {
	id: Generated<boolean>;
	settings: JsonDefault<Record<string, unknown>>;
}
