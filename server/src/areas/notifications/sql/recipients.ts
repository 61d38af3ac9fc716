/** SQL of recipients and their preferences. */
import type { NotificationPreferences } from "@weft/contracts";
import { type Selectable, sql } from "kysely";
import type { Audience } from "../../../core/events.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { Reachable } from "../rules/plan.ts";
import { DEFAULT_PREFERENCES } from "../rules/preferences.ts";
import type { NotificationPreferencesTable } from "../tables.ts";

export interface Person extends Reachable {
	readonly id: number;
	readonly username: string;
}

/** Space of advisory locks on users' preferences. */
const PREFERENCES_LOCK = 0x6e70;

const IS_ADMINISTRATOR = sql<boolean>`(u.is_superuser or exists (
	select from user_groups ug join groups g on g.id = ug.group_id where ug.user_id = u.id and g.name = 'Admin'))`;

type PreferencesRow = Selectable<NotificationPreferencesTable>;
type Line = Partial<PreferencesRow> & {
	id: number;
	username: string;
	email: string;
	is_active: boolean;
	timezone: string | null;
	webhooks: Person["webhooks"];
};

const getPreferences = (row: Partial<PreferencesRow> | undefined): NotificationPreferences => {
	// The left join leaves nulls where there is no row.
	if (row?.categories == null) return DEFAULT_PREFERENCES;
	const { user_id: _, ...stored } = row as PreferencesRow;
	return { ...DEFAULT_PREFERENCES, ...stored, categories: { ...DEFAULT_PREFERENCES.categories, ...stored.categories } };
};

const selectPeople = (db: Db) =>
	db
		.selectFrom("users as u")
		.leftJoin("notification_preferences as p", "p.user_id", "u.id")
		.select([
			"u.id",
			"u.username",
			"u.email",
			"u.is_active",
			sql<string | null>`u.preferences ->> 'timezone'`.as("timezone"),
			sql<Person["webhooks"]>`coalesce((select json_agg(json_build_object('id', w.id, 'categories', w.categories)
				order by w.created_at, w.id) from webhooks w where w.user_id = u.id and w.enabled), '[]')`.as("webhooks"),
		])
		.select(["p.in_app_enabled", "p.email_enabled", "p.categories", "p.quiet_hours_start", "p.quiet_hours_end"])
		.select("p.digest_enabled");

const readPerson = ({ id, username, email, is_active: isActive, timezone, webhooks, ...row }: Line): Person => ({
	id,
	username,
	email,
	isActive,
	timezone: timezone ?? "UTC",
	preferences: getPreferences(row as Partial<PreferencesRow>),
	webhooks,
});

/** Those of the audience that there are, kept from being deleted until the transaction ends. */
export async function holdAudience(tx: Tx, audience: Audience): Promise<Person[]> {
	let query = selectPeople(tx.db).orderBy("u.id").forKeyShare("u");
	if (typeof audience === "string") query = query.where("u.is_active", "=", true);
	else query = query.where(sql<boolean>`u.id = any(${[...audience]}::int[])`);
	if (audience === "administrators") query = query.where(IS_ADMINISTRATOR);
	return (await query.execute()).map((line) => readPerson(line as Line));
}

export async function findPerson(db: Db, userId: number): Promise<Person | null> {
	const line = await selectPeople(db).where("u.id", "=", userId).executeTakeFirst();
	return line === undefined ? null : readPerson(line as Line);
}

export async function findNotificationPreferences(db: Db, userId: number): Promise<NotificationPreferences> {
	const query = db.selectFrom("notification_preferences").selectAll().where("user_id", "=", userId);
	return getPreferences(await query.executeTakeFirst());
}

/** Of two changes at once the second waits for the first one's commit. */
export async function lockNotificationPreferences(tx: Tx, userId: number): Promise<void> {
	await sql`select pg_advisory_xact_lock(${PREFERENCES_LOCK}, ${userId}::int)`.execute(tx.db);
}

export async function saveNotificationPreferences(
	tx: Tx,
	userId: number,
	preferences: NotificationPreferences,
): Promise<void> {
	const row = { ...preferences, categories: JSON.stringify(preferences.categories) };
	await tx.db
		.insertInto("notification_preferences")
		.values({ user_id: userId, ...row })
		.onConflict((conflict) => conflict.column("user_id").doUpdateSet(row))
		.execute();
}
