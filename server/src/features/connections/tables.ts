/** The tables of this feature as the query builder sees them. */
import type { Generated } from "kysely";
import type { Time } from "../../ports/schema.ts";

declare module "../../ports/schema.ts" {
	interface Schema {
		controller_connections: ControllerConnectionsTable;
		connection_groups: ConnectionGroupsTable;
		connection_group_members: ConnectionGroupMembersTable;
	}
}

export interface ControllerConnectionsTable {
	id: string;
	name: string;
	description: string;
	url: string;
	auth_method: Generated<"password" | "certificate">;
	username: string;
	/** Null with a password. */
	certificate_dn: string | null;
	/** Empty with a certificate. */
	password_sealed: string;
	/** Empty with a password. */
	private_key_sealed: Generated<string>;
	verify_ssl: boolean;
	timeout: number;
	is_active: boolean;
	is_public: boolean;
	revision: Generated<number>;
	last_tested_at: Time | null;
	last_test_status: boolean | null;
	last_test_message: Generated<string>;
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
