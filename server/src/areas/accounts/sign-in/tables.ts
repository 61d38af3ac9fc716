/** The tables of this area as the query builder sees them. */
import type { FailureReason } from "@weft/contracts";
import type { Generated } from "kysely";
import type { Json, Time } from "../../../core/ports/schema.ts";

declare module "../../../core/ports/schema.ts" {
	interface Schema {
		users: UsersTable;
		groups: GroupsTable;
		permissions: PermissionsTable;
		group_permissions: GroupPermissionsTable;
		user_groups: UserGroupsTable;
		user_permissions: UserPermissionsTable;
		sessions: SessionsTable;
		login_attempts: LoginAttemptsTable;
		user_mfa: UserMfaTable;
		mfa_used_steps: MfaUsedStepsTable;
		mfa_backup_codes: MfaBackupCodesTable;
		mfa_challenges: MfaChallengesTable;
		user_tokens: UserTokensTable;
		api_tokens: ApiTokensTable;
		api_token_networks: ApiTokenNetworksTable;
		user_invitations: UserInvitationsTable;
		oidc_accounts: OidcAccountsTable;
		oidc_states: OidcStatesTable;
		oidc_codes: OidcCodesTable;
	}
}

export interface UsersTable {
	id: Generated<number>;
	username: string;
	/** Lower-cased, without compatibility variants: two names that look alike are one. */
	username_key: string;
	email: string;
	first_name: string;
	last_name: string;
	password_hash: string;
	is_active: Generated<boolean>;
	is_superuser: Generated<boolean>;
	auth_source: Generated<string>;
	email_verified: Generated<boolean>;
	mfa_enabled: Generated<boolean>;
	/** Whether the user must choose a password before anything else. */
	must_change_password: Generated<boolean>;
	session_timeout_minutes: Generated<number>;
	preferences: Json<Record<string, unknown>>;
	date_joined: Time;
	last_login: Time | null;
	/** Since when the person is gone where they sign in; null: not gone. */
	gone_since: Time | null;
	/** When the directory was last asked for the person, with or without an answer. */
	source_asked_at: Time | null;
	source_answered_at: Time | null;
}

export interface GroupsTable {
	id: Generated<number>;
	name: string;
	is_system: Generated<boolean>;
}

export interface PermissionsTable {
	id: Generated<number>;
	codename: string;
	name: string;
	app: string;
	model: string;
	is_dangerous: Generated<boolean>;
}

export interface GroupPermissionsTable {
	group_id: number;
	permission_id: number;
}

export interface UserGroupsTable {
	user_id: number;
	group_id: number;
}

export interface UserPermissionsTable {
	user_id: number;
	permission_id: number;
}

export interface SessionsTable {
	id: string;
	user_id: number;
	created_at: Time;
	last_seen_at: Time;
	expires_at: Time;
	revoked_at: Time | null;
	ip_address: string;
	user_agent: string;
	/** When the user last proved who they are; null: when the session began. */
	authenticated_at: Time | null;
}

export interface LoginAttemptsTable {
	id: string;
	username: string;
	username_key: string;
	success: boolean;
	failure_reason: FailureReason | null;
	ip_address: string;
	user_agent: string;
	attempted_at: Time;
	/** False once a later success or an unlock took the failure out of the lockout's count. */
	counts: Generated<boolean>;
}

export interface UserMfaTable {
	user_id: number;
	secret_sealed: string;
	backup_key_sealed: string;
	/** Null between setup and the first right code. */
	confirmed_at: Time | null;
	created_at: Time;
}

export interface MfaUsedStepsTable {
	user_id: number;
	step: number;
}

export interface MfaBackupCodesTable {
	user_id: number;
	code_hash: string;
}

export interface MfaChallengesTable {
	token_hash: string;
	user_id: number;
	tries: Generated<number>;
	created_at: Time;
	expires_at: Time;
}

export interface UserTokensTable {
	id: string;
	user_id: number;
	purpose: "password_reset" | "reset_code" | "email_verification";
	token_hash: string;
	email: string;
	created_at: Time;
	expires_at: Time;
}

export interface UserInvitationsTable {
	user_id: number;
	id: string;
	/** SHA-256 of the link's secret, as base64url. */
	token_hash: string;
	/** Null: that user was deleted. */
	invited_by_id: number | null;
	created_at: Time;
	expires_at: Time;
	/** Whether the link goes out by mail. */
	is_mailed: Generated<boolean>;
	/** When the mail server accepted the mail; null: not yet, or none is sent. */
	mailed_at: Time | null;
}

export interface ApiTokensTable {
	id: string;
	user_id: number;
	created_by_id: number | null;
	name: string;
	/** The first 16 characters of the secret. */
	prefix: string;
	/** SHA-256. */
	secret_hash: Buffer;
	/** Null: all permissions of the owner. */
	permission_ids: number[] | null;
	read_only: boolean;
	/** Null: from everywhere. */
	allowed_addresses: string[] | null;
	created_at: Time;
	expires_at: Time | null;
	expiry_notified_at: Time | null;
	revoked_at: Time | null;
	last_used_at: Time | null;
	last_used_ip: string | null;
}

export interface ApiTokenNetworksTable {
	token_id: string;
	/** A /24 or /64. */
	network: string;
	first_used_at: Time;
}

export interface OidcAccountsTable {
	user_id: number;
	issuer: string;
	subject: string;
	/** The last ID token; null: too long. */
	id_token_sealed: string | null;
}

export interface OidcStatesTable {
	id: Generated<number>;
	state_hash: string;
	browser_hash: string;
	next: string;
	/** Null: the sign-in page. */
	redirect_uri: string | null;
	code_challenge: string | null;
	expires_at: Time;
}

export interface OidcCodesTable {
	code_hash: string;
	browser_hash: string;
	/** Null: exchanged without a verifier. */
	code_challenge: string | null;
	/** The program's address of a sign-in that waits for a click; null: the code can be exchanged. */
	redirect_uri: string | null;
	user_id: number;
	expires_at: Time;
}
