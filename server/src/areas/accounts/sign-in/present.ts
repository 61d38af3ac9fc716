/** Wire shapes of users and sessions. */
import type { OwnProfile, Preferences, session, userSummary } from "@weft/contracts";
import type * as z from "zod";
import type { Identity } from "../../../core/caller.ts";
import { completePreferences } from "./rules/preferences.ts";
import type { SessionRow, UserRow } from "./sql/sign-in.ts";

export function presentSummary(user: UserRow, groupNames: readonly string[]): z.infer<typeof userSummary> {
	return { id: user.id, username: user.username, is_admin: isAdmin(user, groupNames), mfa_enabled: user.mfa_enabled };
}

export function presentProfile(
	user: UserRow,
	groupNames: string[],
	counts: { query_count: number; favorite_count: number },
	permissions: ReadonlySet<string>,
): OwnProfile {
	return {
		id: user.id,
		username: user.username,
		email: user.email,
		first_name: user.first_name,
		last_name: user.last_name,
		group_names: groupNames,
		is_admin: isAdmin(user, groupNames),
		is_superuser: user.is_superuser,
		permissions: [...permissions].sort(),
		email_verified: user.email_verified,
		mfa_enabled: user.mfa_enabled,
		must_change_password: user.must_change_password,
		...counts,
		date_joined: user.date_joined.toISOString(),
		last_login: user.last_login?.toISOString() ?? null,
		preferences: presentPreferences(user),
	};
}

export function presentPreferences(user: UserRow): Preferences {
	return completePreferences(user.preferences);
}

export function presentSession(row: SessionRow, caller: Identity): z.infer<typeof session> {
	return {
		id: row.id,
		created_at: row.created_at.toISOString(),
		last_seen_at: row.last_seen_at.toISOString(),
		ip_address: row.ip_address || null,
		user_agent: row.user_agent,
		is_current: row.id === caller.sessionId,
	};
}

/** Superusers count as admins too. */
export function isAdmin(user: UserRow, groupNames: readonly string[]): boolean {
	return user.is_superuser || groupNames.includes("Admin");
}
