/**
 * SQL of the problems that readers of checks were notified of. A reader is the owner (list and
 * mail), or a webhook of the owner or of all.
 */
import {
	type CheckRule,
	type CheckSampleRow,
	type CheckState,
	FINDING_SEVERITIES,
	type FindingSeverity,
} from "@weft/contracts";
import { type RawBuilder, sql } from "kysely";
import type { Db, Tx } from "../../../core/ports/store.ts";
import type { Hold } from "../../calendar/find-hold.ts";
import { RECIPIENT_IDS } from "./recipients.ts";

/** A reader of an entry of a check, with the state and with what the reader was notified of. */
export interface ReaderRow {
	readonly check_id: string;
	readonly check_name: string;
	readonly owner_id: number;
	/** Null: all connections of the check together. */
	readonly connection_id: string | null;
	readonly connection_name: string | null;
	/** Null: the owner. */
	readonly webhook_id: string | null;
	/** The check names the webhook, which does not take the category. */
	readonly is_named: boolean;
	readonly failing: boolean;
	readonly error: boolean;
	/** With the owner: people and addresses that were notified of the problems. */
	readonly recipient_ids: readonly number[];
	readonly recipient_addresses: readonly string[];
	/** With the owner: those that the check names now. Null: the entry is gone. */
	readonly named_ids: readonly number[] | null;
	readonly named_addresses: readonly string[] | null;
	/** Whether a problem is severe enough for those whom the check names; null as above. */
	readonly is_severe: boolean | null;
	/** Objects that violate a check that began to fail, at most three; else null. */
	readonly objects: readonly CheckSampleRow[] | null;
	/** Null with the next six: the entry is gone. */
	readonly state: CheckState | null;
	readonly state_error: string | null;
	readonly rule: CheckRule | null;
	readonly violations: number | null;
	readonly severity: FindingSeverity | null;
	readonly is_active: boolean | null;
	readonly is_muted: boolean | null;
	/** Whether an alert of the entry is held; null as above. */
	readonly is_held: boolean | null;
	/** The runs of an evaluation over several connections; null for an evaluation of one run. */
	readonly inputs: string | null;
}

export type NotifiedRow = Pick<
	ReaderRow,
	| "check_id"
	| "check_name"
	| "owner_id"
	| "connection_id"
	| "connection_name"
	| "webhook_id"
	| "is_named"
	| "failing"
	| "error"
	| "recipient_ids"
	| "recipient_addresses"
>;

/** Whether the webhook `w` takes notifications of all checks of its owner. */
const TAKES_CATEGORY = sql`('scheduled_task' = any(w.categories))`;
/** Objects that an alert names. */
const OBJECTS = 3;
/** Whether a problem of the check `c` in the state `s` is sent to those whom the check names. */
const IS_SEVERE = sql`(array_position(${[...FINDING_SEVERITIES]}::text[], case s.state when 'error' then 'warning' else c.severity end)
	>= array_position(${[...FINDING_SEVERITIES]}::text[], c.notify_min_severity))`;
/** Stands for null where columns are compared. */
const NONE = "00000000-0000-0000-0000-000000000000";
const readOrNone = (column: string): RawBuilder<unknown> => sql`coalesce(${sql.ref(column)}, ${NONE}::uuid)`;

const isSameReader = sql`n.check_id = r.check_id and ${readOrNone("n.connection_id")} = ${readOrNone("r.connection_id")}
	and ${readOrNone("n.webhook_id")} = ${readOrNone("r.webhook_id")}`;

/** Entries of checks times readers. `condition` is about the check `c` and its state `s`. */
const buildReadersCondition = (condition: RawBuilder<unknown>, now: Date): RawBuilder<unknown> => sql`
	select s.check_id, c.name as check_name, c.owner_id, s.connection_id, cc.name as connection_name, hook.id as webhook_id,
		hook.is_named, ${IS_SEVERE} as is_severe, case when hook.id is null then ${RECIPIENT_IDS} end as named_ids,
		case when hook.id is null then c.notify_addresses end as named_addresses,
		s.state, s.error as state_error, s.violations, c.severity, c.is_active,
		coalesce(s.muted_until > ${now}, false) as is_muted, s.held_by is not null as is_held, s.inputs
	from check_states s
		join checks c on c.id = s.check_id
		left join controller_connections cc on cc.id = s.connection_id
		cross join lateral (
			select null::uuid as id, false as is_named
			union all
			select w.id, not ${TAKES_CATEGORY} from webhooks w
			where w.enabled and (w.user_id is null or w.user_id = c.owner_id)
				and (${TAKES_CATEGORY} or w.id = any(c.notify_webhook_ids))) hook
	where ${condition}`;

const isReachable = sql`(n.webhook_id is null
	or exists (select from webhooks w where w.id = n.webhook_id and w.enabled and (${TAKES_CATEGORY} or n.is_named)))`;

/**
 * Readers with a problem, in the entry or among those they were notified of. Disabled webhooks
 * are left out: they are compared when they are enabled again.
 * @param connectionId undefined: all entries of the checks; null: that of all connections
 */
export async function compareNotified(
	tx: Tx,
	checkIds: readonly string[],
	connectionId: string | null | undefined,
	now: Date,
): Promise<ReaderRow[]> {
	const at = (column: string) =>
		connectionId === undefined ? sql`true` : sql`${sql.ref(column)} is not distinct from ${connectionId}::uuid`;
	const { rows } = await sql<ReaderRow>`
		with r as (${buildReadersCondition(sql`s.check_id = any(${checkIds}::uuid[]) and ${at("s.connection_id")}`, now)}),
		n as (select * from check_notified n
			where n.check_id = any(${checkIds}::uuid[]) and ${at("n.connection_id")} and ${isReachable})
		select coalesce(r.check_id, n.check_id) as check_id, coalesce(r.check_name, n.check_name) as check_name,
			coalesce(r.owner_id, n.owner_id) as owner_id, coalesce(r.connection_id, n.connection_id) as connection_id,
			coalesce(r.connection_name, n.connection_name) as connection_name,
			coalesce(r.webhook_id, n.webhook_id) as webhook_id,
			coalesce(r.is_named, n.is_named) as is_named,
			coalesce(n.failing, false) as failing, coalesce(n.error, false) as error,
			coalesce(n.recipient_ids, '{}') as recipient_ids, coalesce(n.recipient_addresses, '{}') as recipient_addresses,
			r.named_ids, r.named_addresses, r.is_severe, r.state,
			case when r.state = 'failing' and n.failing is not true then (
				select coalesce(jsonb_agg(e.value order by e.place), '[]')
				from json_array_elements(s.sample) with ordinality as e(value, place) where e.place <= ${OBJECTS}) end as objects,
			case when c.id is not null then json_build_object('type', c.type, 'config', c.config) end as rule,
			r.state_error, r.violations, r.severity, r.is_active, r.is_muted, r.is_held, r.inputs
		from r full join n on ${isSameReader}
			left join check_states s on s.check_id = r.check_id and s.connection_id is not distinct from r.connection_id
			left join checks c on c.id = r.check_id
		where n.check_id is not null or r.state in ('failing', 'error')
		order by 1, 4, 6`.execute(tx.db);
	return rows;
}

/** Whether one of the holds is of a connection of the entry under the alias. */
function isHeldEntry(alias: string, holds: readonly Hold[]): RawBuilder<boolean> {
	if (holds.some(({ isForAll }) => isForAll)) return sql<boolean>`true`;
	const ids = [...new Set(holds.flatMap(({ connectionIds }) => [...connectionIds]))];
	return sql<boolean>`coalesce(${sql.ref(`${alias}.connection_id`)} = any(${ids}::uuid[]), exists (
		select from unnest(string_to_array(${sql.ref(`${alias}.inputs`)}, ',')) as pair
		where split_part(pair, '=', 1)::uuid = any(${ids}::uuid[])))`;
}

/**
 * Ids of checks with a reader who is probably due a notification, at most `limit`.
 * @param holds the maintenance and change windows that hold alerts now
 */
export async function listDueChecks(db: Db, now: Date, holds: readonly Hold[], limit: number): Promise<string[]> {
	const isOpen = sql`c.is_active and s.state in ('failing', 'error')`;
	const { rows } = await sql<{ check_id: string }>`
		select check_id from (
			select r.check_id from (${buildReadersCondition(isOpen, now)}) r
			where not r.is_muted and not r.is_held and not ${isHeldEntry("r", holds)} and (r.is_severe or not r.is_named)
				and not exists (
					select from check_notified n where ${isSameReader}
						and case r.state when 'failing' then n.failing else n.error end)
			union
			select n.check_id from check_notified n
				left join checks c on c.id = n.check_id
				left join check_states s on s.check_id = n.check_id and s.connection_id is not distinct from n.connection_id
			where ${isReachable} and (s.check_id is null or (coalesce(s.muted_until, '-infinity') <= ${now}
				and s.held_by is null and not ${isHeldEntry("s", holds)}
				and (not c.is_active or s.state = 'ok' or (s.state = 'pending' and n.failing)
					or (s.state = 'unknown' and s.error is null))))
		) due limit ${limit}`.execute(db);
	return rows.map(({ check_id }) => check_id);
}

/** Returns the rows that another transaction had not written before. */
export async function beginNotified(tx: Tx, rows: readonly NotifiedRow[]): Promise<NotifiedRow[]> {
	const column = <T>(value: (row: NotifiedRow) => T): T[] => rows.map(value);
	const { rows: written } = await sql<NotifiedRow>`
		insert into check_notified as n
			(check_id, check_name, owner_id, connection_id, connection_name, webhook_id, is_named, failing, error,
				recipient_ids, recipient_addresses)
		select r.check_id, r.check_name, r.owner_id, r.connection_id, r.connection_name, r.webhook_id, r.is_named, r.failing, r.error,
			array(select jsonb_array_elements_text(r.recipients -> 'ids')::integer),
			array(select jsonb_array_elements_text(r.recipients -> 'addresses'))
		from unnest(
			${column((row) => row.check_id)}::uuid[], ${column((row) => row.check_name)}::text[],
			${column((row) => row.owner_id)}::integer[], ${column((row) => row.connection_id)}::uuid[],
			${column((row) => row.connection_name)}::text[], ${column((row) => row.webhook_id)}::uuid[],
			${column((row) => row.is_named)}::boolean[],
			${column((row) => row.failing)}::boolean[], ${column((row) => row.error)}::boolean[],
			${column((row) => JSON.stringify({ ids: row.recipient_ids, addresses: row.recipient_addresses }))}::jsonb[])
			as r(check_id, check_name, owner_id, connection_id, connection_name, webhook_id, is_named, failing, error, recipients)
		where r.webhook_id is null or exists (select from webhooks w where w.id = r.webhook_id for key share)
		order by r.check_id, r.connection_id, r.webhook_id
		on conflict on constraint check_notified_reader do update
			set failing = excluded.failing, error = excluded.error, check_name = excluded.check_name,
				connection_name = excluded.connection_name, is_named = excluded.is_named,
				recipient_ids = excluded.recipient_ids, recipient_addresses = excluded.recipient_addresses
			where (n.failing, n.error) <> (excluded.failing, excluded.error)
		returning *`.execute(tx.db);
	return written;
}

/** Returns the rows that another transaction had not removed before. */
export async function endNotified(tx: Tx, rows: readonly NotifiedRow[]): Promise<NotifiedRow[]> {
	const column = <T>(value: (row: NotifiedRow) => T): T[] => rows.map(value);
	const { rows: removed } = await sql<NotifiedRow>`
		delete from check_notified n
		using unnest(
			${column((row) => row.check_id)}::uuid[], ${column((row) => row.connection_id)}::uuid[],
			${column((row) => row.webhook_id)}::uuid[]) as r(check_id, connection_id, webhook_id)
		where ${isSameReader}
		returning n.*`.execute(tx.db);
	return removed;
}
