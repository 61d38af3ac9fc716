/** SQL of automation templates. */
import type { AutomationTemplateList, UserRef } from "@weft/contracts";
import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from "kysely";
import { getOffset, type Page } from "../../../../core/http/paging.ts";
import type { Db, Tx } from "../../../../core/ports/store.ts";
import { listOpenStates } from "../../jobs/rules/states.ts";
import type { AutomationTemplatesTable } from "../../tables.ts";
import type { Viewer } from "./reference.ts";

export type TemplateRow = Selectable<AutomationTemplatesTable>;
export interface ShownTemplate extends TemplateRow {
	readonly owner: UserRef | null;
	readonly category_name: string | null;
	readonly allowed_groups: number[];
	readonly approver_groups: number[];
	/** In alphabetical order, as the approvers' groups. */
	readonly allowed_group_names: string[];
	readonly approver_group_names: string[];
	/** Null once the connection is gone. */
	readonly base_url: string | null;
	readonly api_root: string | null;
}

/** Own, public, or for a group of the viewer's; admins see all. `t` is the template. */
export function buildSeenByCondition(viewer: Viewer): RawBuilder<boolean> {
	if (viewer.isAdmin) return sql<boolean>`true`;
	return sql<boolean>`(t.created_by = ${viewer.userId} or t.is_public or exists (
		select from automation_template_groups g join user_groups m on m.group_id = g.group_id
		where g.template_id = t.id and g.role = 'use' and m.user_id = ${viewer.userId}))`;
}

const selectGroupIds = (role: "use" | "approve") =>
	sql<number[]>`array(select g.group_id from automation_template_groups g
		where g.template_id = t.id and g.role = ${role} order by g.group_id)`;

const selectGroupNames = (role: "use" | "approve") =>
	sql<string[]>`array(select n.name from automation_template_groups g join groups n on n.id = g.group_id
		where g.template_id = t.id and g.role = ${role} order by n.name)`;

const selectShownTemplates = (db: Db) =>
	db
		.selectFrom("automation_templates as t")
		.leftJoin("users as u", "u.id", "t.created_by")
		.leftJoin("automation_categories as k", "k.id", "t.category_id")
		.leftJoin("automation_connections as c", "c.id", "t.connection_id")
		.selectAll("t")
		.select([
			"k.name as category_name",
			sql<string>`coalesce(c.name, t.connection_name)`.as("connection_name"),
			selectGroupIds("use").as("allowed_groups"),
			selectGroupIds("approve").as("approver_groups"),
			selectGroupNames("use").as("allowed_group_names"),
			selectGroupNames("approve").as("approver_group_names"),
			"c.base_url",
			"c.api_root",
			sql<UserRef | null>`case when u.id is null then null
				else jsonb_build_object('id', u.id, 'username', u.username, 'first_name', u.first_name, 'last_name', u.last_name) end`.as(
				"owner",
			),
		]);

export async function listTemplatePage(
	db: Db,
	viewer: Viewer,
	filter: AutomationTemplateList,
): Promise<Page<ShownTemplate>> {
	const conditions = [buildSeenByCondition(viewer)];
	if (filter.category !== undefined) conditions.push(sql`t.category_id = ${filter.category}`);
	if (filter.kind !== undefined) conditions.push(sql`t.kind = ${filter.kind}`);
	if (filter.automation_connection !== undefined) {
		conditions.push(sql`t.connection_id = ${filter.automation_connection}`);
	}
	if (filter.my_templates === true) conditions.push(sql`t.created_by = ${viewer.userId}`);
	if (filter.my_templates === false) conditions.push(sql`t.created_by is distinct from ${viewer.userId}`);
	if (filter.search) {
		conditions.push(
			sql`position(lower(${filter.search}) in lower(t.name || ' ' || t.description || ' ' || array_to_string(t.tags, ' '))) > 0`,
		);
	}
	const where = sql<boolean>`${sql.join(conditions, sql` and `)}`;
	const direction = filter.ordering.startsWith("-") ? "desc" : "asc";
	const field = filter.ordering.replace("-", "");
	const [total, rows] = await Promise.all([
		db
			.selectFrom("automation_templates as t")
			.select(sql<number>`count(*)::int`.as("count"))
			.where(where)
			.executeTakeFirstOrThrow(),
		selectShownTemplates(db)
			.where(where)
			.orderBy(field === "name" ? sql`lower(t.name)` : sql.ref(`t.${field}`), direction)
			.orderBy("t.id", direction)
			.limit(filter.page_size)
			.offset(getOffset(filter))
			.execute(),
	]);
	return { count: total.count, rows };
}

/** The template if the viewer sees it. */
export async function findShownTemplate(db: Db, viewer: Viewer, id: string): Promise<ShownTemplate | undefined> {
	return selectShownTemplates(db).where("t.id", "=", id).where(buildSeenByCondition(viewer)).executeTakeFirst();
}

/** Locks the template until the transaction ends, without a visibility check. */
/** The template without a visibility check, for references that were allowed before. */
export const findAnyTemplate = async (db: Db, id: string): Promise<ShownTemplate | null> =>
	(await findShownTemplate(db, { userId: 0, isAdmin: true }, id)) ?? null;

export async function lockTemplate(tx: Tx, id: string): Promise<TemplateRow | undefined> {
	return tx.db.selectFrom("automation_templates").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

export async function insertTemplate(tx: Tx, row: Insertable<AutomationTemplatesTable>): Promise<void> {
	await tx.db.insertInto("automation_templates").values(row).execute();
}

export async function updateTemplateRow(
	tx: Tx,
	id: string,
	values: Updateable<AutomationTemplatesTable>,
): Promise<void> {
	await tx.db.updateTable("automation_templates").set(values).where("id", "=", id).execute();
}

export async function removeTemplate(tx: Tx, id: string): Promise<void> {
	await tx.db.deleteFrom("automation_templates").where("id", "=", id).execute();
}

export async function setTemplateGroups(
	tx: Tx,
	id: string,
	role: "use" | "approve",
	groupIds: readonly number[],
): Promise<void> {
	await tx.db.deleteFrom("automation_template_groups").where("template_id", "=", id).where("role", "=", role).execute();
	if (groupIds.length === 0) return;
	const rows = groupIds.map((group_id) => ({ template_id: id, group_id, role }));
	await tx.db.insertInto("automation_template_groups").values(rows).execute();
}

/** Those of the ids that are groups; they cannot go before the transaction ends. */
export async function listKnownGroups(tx: Tx, ids: readonly number[]): Promise<ReadonlySet<number>> {
	if (ids.length === 0) return new Set();
	const rows = await tx.db
		.selectFrom("groups")
		.select("id")
		.where("id", "in", [...ids])
		.forKeyShare()
		.execute();
	return new Set(rows.map(({ id }) => id));
}

/** Whether a request is not over, which still needs the template. */
export async function hasOpenRequests(db: Db, id: string): Promise<boolean> {
	const found = await db
		.selectFrom("automation_requests")
		.select("id")
		.where("template_id", "=", id)
		.where("status", "in", listOpenStates("request"))
		.limit(1)
		.executeTakeFirst();
	return found !== undefined;
}

/** Counts one more request. */
export async function countTemplateRequest(tx: Tx, id: string): Promise<void> {
	await tx.db
		.updateTable("automation_templates")
		.set((eb) => ({ request_count: eb("request_count", "+", 1) }))
		.where("id", "=", id)
		.execute();
}

/** Counts the outcome of a request instead of the one before; null: it had none. */
export async function countTemplateOutcome(tx: Tx, id: string, before: string | null, after: string): Promise<void> {
	const change = (status: string) => Number(after === status) - Number(before === status);
	await tx.db
		.updateTable("automation_templates")
		.set({
			success_count: sql`greatest(0, success_count + ${change("successful")})`,
			failure_count: sql`greatest(0, failure_count + ${change("failed")})`,
		})
		.where("id", "=", id)
		.execute();
}
