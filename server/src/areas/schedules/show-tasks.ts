/** Tasks with the maintenance or change window that holds their alerts, as the wire shows them. */
import type { HoldRef, ScheduledTask } from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import type { Identity } from "../../core/caller.ts";
import type { Db } from "../../core/ports/store.ts";
import { listHolds, presentHold } from "../calendar/find-hold.ts";
import { listVisibleMembers } from "../fabrics/sql/groups.ts";
import { presentTask } from "./present.ts";
import type { ShownTask, TaskRow } from "./sql/tasks.ts";

/** Returns the hold of each task's connections, members of its group included, by the task's id. */
async function findTaskHolds(
	ctx: Context,
	db: Db,
	rows: readonly TaskRow[],
): Promise<ReadonlyMap<string, HoldRef | null>> {
	const holds = await listHolds(db, getNow(ctx));
	if (holds.length === 0) return new Map();
	const memberships = rows.flatMap(({ connection_group_id: groupId, owner_id: userId }) =>
		groupId === null ? [] : [{ groupId, userId }],
	);
	const members = await listVisibleMembers(db, memberships);
	return new Map(
		rows.map((row) => {
			const group = members.get(`${row.connection_group_id}:${row.owner_id}`) ?? [];
			return [row.id, presentHold(holds, [...row.connection_ids, ...group.map(({ id }) => id)])];
		}),
	);
}

export async function showTasks(
	ctx: Context,
	db: Db,
	identity: Identity,
	rows: readonly ShownTask[],
): Promise<ScheduledTask[]> {
	const holds = await findTaskHolds(ctx, db, rows);
	return rows.map((row) => presentTask(row, identity, holds.get(row.id) ?? null));
}

export async function showTask(ctx: Context, db: Db, identity: Identity, row: ShownTask): Promise<ScheduledTask> {
	const holds = await findTaskHolds(ctx, db, [row]);
	return presentTask(row, identity, holds.get(row.id) ?? null);
}
