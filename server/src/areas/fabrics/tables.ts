/** The tables of this area as the query builder sees them. */
import type { ColumnType, Generated } from "kysely";
import type { JsonDefault, Time } from "../../core/ports/schema.ts";
import type { MemberState } from "../../integrations/apic/port-error.ts";

declare module "../../core/ports/schema.ts" {
	interface Schema {
		controller_connections: ControllerConnectionsTable;
		connection_groups: ConnectionGroupsTable;
		connection_group_members: ConnectionGroupMembersTable;
	}
}

/** A member of the cluster. */
export interface MemberRecord {
	readonly state: MemberState;
	readonly last_error: string | null;
	readonly since: string;
}

export interface ControllerConnectionsTable {
	id: string;
	name: string;
	description: string;
	url: string;
	alternate_urls: Generated<string[]>;
	/** Null until it is known. */
	fabric_id: string | null;
	is_one_fabric_confirmed: Generated<boolean>;
	/** By address, as tests and runs found them. */
	members: JsonDefault<Record<string, MemberRecord>>;
	auth_method: Generated<"password" | "certificate">;
	username: string;
	/** Null with a password. */
	certificate_dn: string | null;
	/** Empty with a certificate. */
	password_sealed: string;
	/** Empty with a password. */
	private_key_sealed: Generated<string>;
	verify_ssl: boolean;
	/** SHA-256 fingerprints with commas between them; null for none. */
	pinned_certificate: string | null;
	/** Seconds. */
	timeout: number;
	is_active: boolean;
	is_public: boolean;
	revision: Generated<number>;
	last_tested_at: Time | null;
	last_test_status: boolean | null;
	last_test_message: Generated<string>;
	/** The first failed test or run since one that reached a controller; null: none failed. */
	down_since: ColumnType<Date | null, Date | null | undefined, Date | null>;
	down_error: Generated<string>;
	/** When a controller answered, to a minute; null: none did since the connection changed. */
	reached_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
	created_by: number;
	created_at: Time;
	updated_at: Time;
}

export interface ConnectionGroupsTable {
	id: string;
	name: string;
	description: string;
	is_public: boolean;
	created_by: number;
	created_at: Time;
	updated_at: Time;
}

export interface ConnectionGroupMembersTable {
	group_id: string;
	connection_id: string;
	position: number;
}
