/** Executions that a caller sees, or owns. */
import type { AutomationExecution } from "@weft/contracts";
import type { Context } from "../../../../context.ts";
import type { Caller, Identity } from "../../../../core/caller.ts";
import { buildForbiddenError, buildNotFoundError } from "../../../../core/errors.ts";
import type { Tx } from "../../../../core/ports/store.ts";
import { presentExecution } from "../present.ts";
import { ownsRequest } from "../request/request-progress.ts";
import { findShownExecution, type ShownExecution } from "../sql/executions.ts";
import { buildSeenByCondition } from "../sql/requests.ts";

export async function findVisibleExecution(ctx: Context, identity: Identity, id: string): Promise<ShownExecution> {
	const row = await findShownExecution(ctx.store.db, buildSeenByCondition(identity), id);
	if (row === undefined) throw buildNotFoundError();
	return row;
}

export async function showExecution(tx: Tx, identity: Identity, id: string): Promise<AutomationExecution> {
	const row = await findShownExecution(tx.db, buildSeenByCondition(identity), id);
	if (row === undefined) throw buildNotFoundError();
	return presentExecution(row);
}

export async function requireOwnedExecution(ctx: Context, caller: Caller, id: string): Promise<ShownExecution> {
	const row = await findVisibleExecution(ctx, caller, id);
	if (!(await ownsRequest(ctx, caller, row.request_id))) {
		throw buildForbiddenError("Only who asked for it and administrators may do this.");
	}
	return row;
}
