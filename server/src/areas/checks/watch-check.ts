/** Watching a check that no schedule evaluates: a schedule of its query, and its recipients. */
import type { Check, CheckWatch } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type Caller, isAllowed } from "../../core/caller.ts";
import { AppError, buildForbiddenError } from "../../core/errors.ts";
import type { Tx } from "../../core/ports/store.ts";
import { insertTask } from "../schedules/manage-tasks.ts";
import { evaluateCheck, findConnections } from "./evaluate-check.ts";
import { buildCheckColumns, findVisibleCheck, lockCheck, readCheck, writeChange } from "./manage-checks.ts";
import { canEdit } from "./policy.ts";
import { prepareSchedule } from "./save-watched-check.ts";

/**
 * Writes the schedule and the recipients in one transaction. Then evaluates the check once if the
 * caller may run its query.
 * @throws 403 for recipients of a check of another user, 400 by field
 */
export async function watchCheck(ctx: Context, caller: Caller, id: string, input: CheckWatch): Promise<Check> {
	const check = await findVisibleCheck(ctx.store.db, caller, id);
	const { schedule, notify } = input;
	if (notify !== undefined && !isAllowed(caller, "change_check"))
		throw buildForbiddenError("You need the permission change_check to change the recipients. Leave notify out.");
	const named = input.controller_connection_ids;
	const controller_connection_ids = named.length > 0 ? named : await findConnections(ctx, caller, check);
	const fields = { name: check.name, saved_query: check.saved_query_id, controller_connection_ids };
	const { row, planned } = await prepareSchedule(ctx, caller, schedule, fields, null);
	await ctx.store.transaction(async (tx) => {
		if (notify !== undefined) await changeRecipients(ctx, tx, caller, id, notify);
		await insertTask(ctx, tx, caller, row, planned, ctx.ids.uuid());
	});
	if (isAllowed(caller, "execute_savedquery")) {
		// A check that names its connections runs on those.
		const body = check.connection_ids.length > 0 ? {} : { controller_connection_ids: row.connection_ids };
		await evaluateCheck(ctx, caller, id, body).catch((error: unknown) => {
			if (!(error instanceof AppError)) throw error;
		});
	}
	return readCheck(ctx, ctx.store.db, caller, id);
}

async function changeRecipients(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	id: string,
	notify: NonNullable<CheckWatch["notify"]>,
): Promise<void> {
	const before = await lockCheck(tx, caller, id, canEdit);
	const known = { db: tx.db, queries: new Map(), connections: null, groups: null };
	await writeChange(ctx, tx, caller, before, await buildCheckColumns(ctx, caller, { notify }, before, known), [
		"notify",
	]);
}
