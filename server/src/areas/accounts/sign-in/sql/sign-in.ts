/** SQL of users, groups, sessions and login attempts. */
import { type Insertable, type Selectable, sql, type Updateable } from "kysely";
import { formatAddressBlock } from "../../../../core/networks.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import { WINDOW_MS } from "../rules/lockout.ts";
import type { LoginAttemptsTable, SessionsTable, UsersTable } from "../tables.ts";

export type UserRow = Selectable<UsersTable>;
export type SessionRow = Selectable<SessionsTable>;

export interface UserWithRights {
	readonly user_id: number;
	readonly username: string;
	readonly is_superuser: boolean;
	readonly group_names: string[];
	readonly permissions: string[];
}

/** A live session with all that a request must know of its user. */
interface SessionWithUser extends SessionRow, Omit<UserWithRights, "user_id"> {
	readonly session_timeout_minutes: number;
	readonly auth_source: string;
	readonly mfa_enabled: boolean;
	readonly must_change_password: boolean;
}

/** First keys of advisory locks, whose second one is a username: its attempts, and its making. */
const ATTEMPT_LOCK = 0x6c67;
const USERNAME_LOCK = 0x6c68;

/** What a user may do, through groups and directly. */
export const RIGHTS = [
	sql<string[]>`array(select g.name from user_groups ug join groups g on g.id = ug.group_id
						where ug.user_id = users.id)`.as("group_names"),
	sql<string[]>`array(
						select p.codename from user_groups ug
						join group_permissions gp on gp.group_id = ug.group_id join permissions p on p.id = gp.permission_id
						where ug.user_id = users.id
						union select p.codename from user_permissions up join permissions p on p.id = up.permission_id
						where up.user_id = users.id)`.as("permissions"),
] as const;

export async function findUserByKey(db: Db, usernameKey: string): Promise<UserRow | undefined> {
	return db.selectFrom("users").selectAll().where("username_key", "=", usernameKey).executeTakeFirst();
}

export async function findUser(db: Db, userId: number): Promise<UserRow | undefined> {
	return db.selectFrom("users").selectAll().where("id", "=", userId).executeTakeFirst();
}

/** When a user signed in last; null for never. */
export async function findLastLogin(db: Db, userId: number): Promise<Date | null> {
	return (await findUser(db, userId))?.last_login ?? null;
}

export async function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
	return db
		.selectFrom("users")
		.selectAll()
		.where(sql<boolean>`lower(email) = lower(${email})`)
		.where("email", "<>", "")
		.executeTakeFirst();
}

/** Those of the addresses that active users have, in lower case. */
export async function listUserEmails(db: Db, addresses: readonly string[]): Promise<string[]> {
	const wanted = addresses.map((address) => address.toLowerCase());
	const rows = await db
		.selectFrom("users")
		.select(sql<string>`lower(email)`.as("email"))
		.where(sql<boolean>`lower(email) = any(${wanted})`)
		.where("email", "<>", "")
		.where("is_active", "=", true)
		.execute();
	return rows.map(({ email }) => email);
}

/** Locks the user's row until the transaction ends. */
export async function lockUser(tx: Tx, userId: number): Promise<void> {
	await tx.db.selectFrom("users").select("id").where("id", "=", userId).forUpdate().execute();
}

/** False when the user has another address by now; `email` is in lower case. */
export async function markEmailVerified(tx: Tx, userId: number, email: string): Promise<boolean> {
	const result = await tx.db
		.updateTable("users")
		.set({ email_verified: true })
		.where("id", "=", userId)
		.where(sql<boolean>`lower(email) = ${email}`)
		.executeTakeFirst();
	return result.numUpdatedRows > 0n;
}

export async function listGroupNames(db: Db, userId: number): Promise<string[]> {
	const rows = await db
		.selectFrom("user_groups")
		.innerJoin("groups", "groups.id", "user_groups.group_id")
		.select("groups.name")
		.where("user_groups.user_id", "=", userId)
		.orderBy("groups.name")
		.execute();
	return rows.map((row) => row.name);
}

export async function hasUsers(db: Db): Promise<boolean> {
	return (await db.selectFrom("users").select("id").limit(1).executeTakeFirst()) !== undefined;
}

/**
 * Inserts a user who joins `Users`. Rejects on a taken username or email (unique violation).
 */
export async function insertUserRow(tx: Tx, user: Insertable<UsersTable>): Promise<UserRow> {
	const row = await tx.db.insertInto("users").values(user).returningAll().executeTakeFirstOrThrow();
	await sql`insert into user_groups select ${row.id}, id from groups where name = 'Users'`.execute(tx.db);
	return row;
}

export async function updateUser(tx: Tx, userId: number, values: Updateable<UsersTable>): Promise<UserRow> {
	return tx.db.updateTable("users").set(values).where("id", "=", userId).returningAll().executeTakeFirstOrThrow();
}

/** Merges in the store, so that concurrent changes of different preferences are both kept. */
export async function mergePreferences(tx: Tx, userId: number, patch: Record<string, unknown>): Promise<UserRow> {
	return tx.db
		.updateTable("users")
		.set({ preferences: sql`preferences || ${JSON.stringify(patch)}::jsonb` })
		.where("id", "=", userId)
		.returningAll()
		.executeTakeFirstOrThrow();
}

/** Serializes logins that would create the same user. */
export async function lockUsername(tx: Tx, usernameKey: string): Promise<void> {
	await sql`select pg_advisory_xact_lock(${USERNAME_LOCK}, hashtext(${usernameKey}))`.execute(tx.db);
}

/**
 * Makes the user a member of exactly these managed groups. Returns whether that changed
 * anything.
 */
export async function setManagedGroups(
	tx: Tx,
	userId: number,
	{ managed, member }: { readonly managed: readonly string[]; readonly member: readonly string[] },
): Promise<boolean> {
	const left = await sql`delete from user_groups ug using groups g where g.id = ug.group_id
		and ug.user_id = ${userId} and g.name = any(${managed}) and g.name <> all(${member}) returning 1`.execute(tx.db);
	const joined = await sql`insert into user_groups select ${userId}, id from groups where name = any(${member})
		on conflict do nothing returning 1`.execute(tx.db);
	return left.rows.length + joined.rows.length > 0;
}

export async function insertSession(tx: Tx, session: Insertable<SessionsTable>): Promise<void> {
	await tx.db.insertInto("sessions").values(session).execute();
}

/** The session if it is neither revoked nor expired and its user is active. */
export async function findLiveSession(db: Db, sessionId: string, now: Date): Promise<SessionWithUser | undefined> {
	return db
		.selectFrom("sessions")
		.innerJoin("users", "users.id", "sessions.user_id")
		.selectAll("sessions")
		.select(["users.username", "users.is_superuser", "users.session_timeout_minutes", "users.auth_source"])
		.select(["users.mfa_enabled", "users.must_change_password"])
		.select(RIGHTS)
		.where("sessions.id", "=", sessionId)
		.where("sessions.revoked_at", "is", null)
		.where("sessions.expires_at", ">", now)
		.where("users.is_active", "=", true)
		.executeTakeFirst();
}

export async function findActiveUser(db: Db, userId: number): Promise<UserWithRights | undefined> {
	return db
		.selectFrom("users")
		.select(["users.id as user_id", "users.username", "users.is_superuser"])
		.select(RIGHTS)
		.where("users.id", "=", userId)
		.where("users.is_active", "=", true)
		.executeTakeFirst();
}

export async function touchSession(db: Db, sessionId: string, at: Date): Promise<void> {
	await db
		.updateTable("sessions")
		.set({ last_seen_at: at })
		.where("id", "=", sessionId)
		.where("last_seen_at", "<", at)
		.execute();
}

/** Live ones; the stored time of a session's last request may be up to `slackMs` behind. */
export async function listLiveSessions(db: Db, userId: number, now: Date, slackMs: number): Promise<SessionRow[]> {
	return db
		.selectFrom("sessions")
		.innerJoin("users", "users.id", "sessions.user_id")
		.selectAll("sessions")
		.where("sessions.user_id", "=", userId)
		.where("sessions.revoked_at", "is", null)
		.where("sessions.expires_at", ">", now)
		.where(
			sql<boolean>`(users.session_timeout_minutes = 0 or sessions.last_seen_at
				+ make_interval(mins => users.session_timeout_minutes) >= ${new Date(now.getTime() - slackMs)})`,
		)
		.orderBy("sessions.created_at", "desc")
		.execute();
}

/** Ends one session of a user; false when there is no such live one. */
export async function endSession(tx: Tx, userId: number, sessionId: string, now: Date): Promise<boolean> {
	const result = await tx.db
		.updateTable("sessions")
		.set({ revoked_at: now })
		.where("id", "=", sessionId)
		.where("user_id", "=", userId)
		.where("revoked_at", "is", null)
		.executeTakeFirst();
	return result.numUpdatedRows > 0n;
}

/** When the user of a session last proved who they are; undefined if it does not exist. */
export async function findAuthenticatedAt(db: Db, sessionId: string): Promise<Date | undefined> {
	const row = await db
		.selectFrom("sessions")
		.select(sql<Date>`coalesce(authenticated_at, created_at)`.as("at"))
		.where(sql<boolean>`id::text = ${sessionId}`)
		.executeTakeFirst();
	return row?.at;
}

export async function setAuthenticatedAt(tx: Tx, sessionId: string, at: Date): Promise<void> {
	await tx.db.updateTable("sessions").set({ authenticated_at: at }).where("id", "=", sessionId).execute();
}

/** Ends all sessions of a user but one. Returns their number. */
export async function endOtherSessions(tx: Tx, userId: number, keep: string | null, now: Date): Promise<number> {
	let query = tx.db
		.updateTable("sessions")
		.set({ revoked_at: now })
		.where("user_id", "=", userId)
		.where("revoked_at", "is", null);
	if (keep !== null) query = query.where("id", "<>", keep);
	return Number((await query.executeTakeFirst()).numUpdatedRows);
}

/**
 * Locks the username's attempts until the transaction ends, and returns its counted failures.
 */
export async function lockFailures(tx: Tx, usernameKey: string, now: Date): Promise<{ at: number; ip: string }[]> {
	await sql`select pg_advisory_xact_lock(${ATTEMPT_LOCK}, hashtext(${usernameKey}))`.execute(tx.db);
	const rows = await tx.db
		.selectFrom("login_attempts")
		.select(["attempted_at", "ip_address"])
		.where("username_key", "=", usernameKey)
		.where("counts", "=", true)
		.where("success", "=", false)
		.where("attempted_at", ">", new Date(now.getTime() - WINDOW_MS))
		.orderBy("attempted_at", "desc")
		.limit(100)
		.execute();
	return rows.map((row) => ({ at: row.attempted_at.getTime(), ip: row.ip_address }));
}

/** The counted failures of usernames since a time. */
export async function listFailures(
	db: Db,
	usernameKeys: readonly string[],
	since: Date,
): Promise<{ usernameKey: string; at: number; ip: string }[]> {
	if (usernameKeys.length === 0) return [];
	const rows = await db
		.selectFrom("login_attempts")
		.select(["username_key", "attempted_at", "ip_address"])
		.where("username_key", "in", [...usernameKeys])
		.where("counts", "=", true)
		.where("success", "=", false)
		.where("attempted_at", ">", since)
		.execute();
	return rows.map((row) => ({
		usernameKey: row.username_key,
		at: row.attempted_at.getTime(),
		ip: row.ip_address,
	}));
}

export async function insertAttempt(tx: Tx, attempt: Insertable<LoginAttemptsTable>): Promise<void> {
	await tx.db.insertInto("login_attempts").values(attempt).execute();
}

/** Deletes an attempt that continues with the second factor. */
export async function removeAttempt(tx: Tx, attemptId: string): Promise<void> {
	await tx.db.deleteFrom("login_attempts").where("id", "=", attemptId).execute();
}

export async function updateAttempt(tx: Tx, attemptId: string, values: Updateable<LoginAttemptsTable>): Promise<void> {
	await tx.db.updateTable("login_attempts").set(values).where("id", "=", attemptId).execute();
}

/**
 * Removes failures of this address, or of its IPv6 /64, from the lockout's count; of all
 * addresses if `ip` is null.
 */
export async function forgiveFailures(tx: Tx, usernameKey: string, ip: string | null): Promise<void> {
	let query = tx.db
		.updateTable("login_attempts")
		.set({ counts: false })
		.where("username_key", "=", usernameKey)
		.where("counts", "=", true)
		.where("success", "=", false);
	if (ip !== null) {
		const rows = await tx.db
			.selectFrom("login_attempts")
			.select("ip_address")
			.distinct()
			.where("username_key", "=", usernameKey)
			.where("counts", "=", true)
			.where("success", "=", false)
			.execute();
		const block = formatAddressBlock(ip);
		const own = rows.map((row) => row.ip_address).filter((address) => formatAddressBlock(address) === block);
		query = query.where("ip_address", "in", [ip, ...own]);
	}
	await query.execute();
}
