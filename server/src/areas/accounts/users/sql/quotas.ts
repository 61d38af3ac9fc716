/** SQL of quotas and their usage. */
import { QUOTA_NUMBERS, QUOTA_RIGHTS, type Quota, type QuotaNumber } from "@weft/contracts";
import { sql } from "kysely";
import type { Db, Tx } from "../../../../core/ports/store.ts";

const COLUMNS = [...QUOTA_NUMBERS, ...QUOTA_RIGHTS] as const;

/** Any number: the lock of one user's counted things of one kind. */
const COUNT_LOCK = 0x7175;

/** The quotas of a user's groups; those of groups without one are not there. */
export async function listUserQuotas(db: Db, userId: number): Promise<Quota[]> {
	return db
		.selectFrom("group_quotas")
		.innerJoin("user_groups", "user_groups.group_id", "group_quotas.group_id")
		.select(COLUMNS.map((name) => `group_quotas.${name}` as const))
		.where("user_groups.user_id", "=", userId)
		.execute() as Promise<Quota[]>;
}

export async function setGroupQuota(tx: Tx, groupId: number, quota: Quota): Promise<void> {
	await tx.db
		.insertInto("group_quotas")
		.values({ group_id: groupId, ...quota })
		.onConflict((conflict) => conflict.column("group_id").doUpdateSet(quota))
		.execute();
}

/** False when there was none. */
export async function removeGroupQuota(tx: Tx, groupId: number): Promise<boolean> {
	const result = await tx.db.deleteFrom("group_quotas").where("group_id", "=", groupId).executeTakeFirst();
	return result.numDeletedRows > 0n;
}

/** Serializes counting of one kind for one user until the transaction ends. */
export async function lockQuotaCount(tx: Tx, userId: number, name: string): Promise<void> {
	await sql`select pg_advisory_xact_lock(${COUNT_LOCK}, hashtext(${`${userId}:${name}`}))`.execute(tx.db);
}

/** Adds to the day's usage; false, with nothing added, above the limit. 0 is unlimited. */
export async function addQuotaUsage(
	tx: Tx,
	userId: number,
	name: QuotaNumber,
	day: string,
	limit: number,
	times: number,
): Promise<boolean> {
	const counted = await sql`
		insert into quota_usage as q (user_id, quota, day, used)
		select ${userId}, ${name}, ${day}, ${times}::integer where ${limit} = 0 or ${times}::integer <= ${limit}
		on conflict (user_id, quota, day) do update set used = q.used + ${times}::integer
			where ${limit} = 0 or q.used + ${times}::integer <= ${limit}
		returning used`.execute(tx.db);
	return counted.rows.length > 0;
}

/** Usage of a day by quota. */
export async function findQuotaUsage(db: Db, userId: number, day: string): Promise<Map<string, number>> {
	const rows = await db
		.selectFrom("quota_usage")
		.select(["quota", "used"])
		.where("user_id", "=", userId)
		.where("day", "=", day)
		.execute();
	return new Map(rows.map(({ quota, used }) => [quota, used]));
}

export async function purgeQuotaUsage(db: Db, before: string): Promise<void> {
	await db.deleteFrom("quota_usage").where("day", "<", before).execute();
}
