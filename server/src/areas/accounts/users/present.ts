/** Wire shapes of users and groups as administrators see them. */
import { type AdminUser, adminUser, type Group } from "@weft/contracts";
import { ADMIN_GROUP } from "./policy.ts";
import type { GroupRow } from "./sql/groups.ts";
import type { UserRow } from "./sql/users.ts";

/** Facts about a user that are not in their row. */
interface Beside {
	readonly query_count: number;
	readonly favorite_count: number;
	readonly lockedUntil: Date | null;
}

export const isAdmin = (row: UserRow): boolean => row.is_superuser || row.group_names.includes(ADMIN_GROUP);

const getAuthSource = (text: string): AdminUser["auth_source"] =>
	adminUser.shape.auth_source.safeParse(text).data ?? "local";

export function presentUser(row: UserRow, { lockedUntil, query_count, favorite_count }: Beside): AdminUser {
	return {
		id: row.id,
		username: row.username,
		email: row.email,
		first_name: row.first_name,
		last_name: row.last_name,
		group_names: row.group_names,
		group_ids: row.group_ids,
		permission_ids: row.permission_ids,
		is_admin: isAdmin(row),
		is_superuser: row.is_superuser,
		is_active: row.is_active,
		auth_source: getAuthSource(row.auth_source),
		email_verified: row.email_verified,
		mfa_enabled: row.mfa_enabled,
		must_change_password: row.must_change_password,
		query_count,
		favorite_count,
		date_joined: row.date_joined.toISOString(),
		last_login: row.last_login?.toISOString() ?? null,
		locked_until: lockedUntil?.toISOString() ?? null,
		gone_since: row.gone_since?.toISOString() ?? null,
	};
}

export function presentGroup({ id, name, member_count, permissions, quota, is_system }: GroupRow): Group {
	return { id, name, member_count, permissions, quota, is_system };
}
