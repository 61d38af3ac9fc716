/**
 * The change window of a launch. A window is locked before its requests, as its own steps lock it
 * before the launches that wait for it.
 */
import type { FreezeOverride } from "@weft/contracts";
import type { Context } from "../../../../context.ts";
import type { Identity } from "../../../../core/caller.ts";
import { AppError, buildConflictError } from "../../../../core/errors.ts";
import type { Actor } from "../../../../core/events.ts";
import type { Tx } from "../../../../core/ports/store.ts";
import { lacksChangePlan } from "../request/choose-change.ts";
import type { RequestRow, ShownRequest } from "../sql/requests.ts";
import type { BoundWindow } from "./execution-lifecycle.ts";

/** The person who launches a request, and as whom the audit log names them. */
export interface Launcher {
	readonly actor: Actor;
	readonly identity: Identity;
	readonly override: FreezeOverride;
	/** Whether the launch was due, so that nobody waits for its answer. */
	readonly isScheduled: boolean;
}

type WindowOfRequest = Pick<RequestRow, "change_window_id">;

export async function lockRequestWindow(ctx: Context, tx: Tx, { change_window_id: id }: WindowOfRequest) {
	if (id !== null) await ctx.areas.windows.lockLaunchWindow(tx, id);
}

/** @throws 409 if another window was named since the request was read */
export function assertSameWindow(before: WindowOfRequest, row: WindowOfRequest): void {
	if (before.change_window_id === row.change_window_id) return;
	throw buildConflictError("The request was changed at the same time. Try again.");
}

/**
 * The window that the launch belongs to. It is made of the plan of the request, or started where it
 * is planned. Null: the request names none.
 * @throws 400, 403, 409
 */
export async function bindWindow(
	ctx: Context,
	tx: Tx,
	row: RequestRow,
	launcher: Launcher,
): Promise<BoundWindow | null> {
	if (row.change_plan === null && row.change_window_id === null) return null;
	return ctx.areas.windows.bindLaunch(tx, row, launcher);
}

/** Why a scheduled request cannot be launched in its change window; null: it can. */
export async function findWindowRefusal(
	ctx: Context,
	tx: Tx,
	row: ShownRequest | undefined,
	identity: Identity,
): Promise<string | null> {
	if (row === undefined) return "The request is not visible to its requester any more.";
	if (lacksChangePlan(row)) return "The template requires a change plan, which the request does not name.";
	if (row.change_plan === null && row.change_window_id === null) return null;
	try {
		await ctx.areas.windows.assertLaunchable(tx, row, identity);
		return null;
	} catch (error) {
		if (!(error instanceof AppError) || error.status >= 500) throw error;
		return error.message;
	}
}
