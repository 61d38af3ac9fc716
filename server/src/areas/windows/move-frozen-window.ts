/** A freeze blocks a planned window that nobody starts by hand. */
import { type Context, getNow } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import { findFreeze } from "../calendar/find-freeze.ts";
import { moveWindow, SERVICE_ACTOR } from "./move-window.ts";
import { notifyOfWindow } from "./notify-of-window.ts";
import { listAllConnections, type WindowRow } from "./sql/windows.ts";

/**
 * Blocks the window, which the caller has locked, if a freeze of one of its connections is on.
 * @returns whether it is blocked
 */
export async function moveFrozenWindow(ctx: Context, tx: Tx, window: WindowRow): Promise<boolean> {
	const connections = await listAllConnections(tx.db, window.id);
	const ids = connections.map(({ connection_id }) => connection_id);
	const freeze = await findFreeze(tx.db, ids, getNow(ctx));
	if (freeze === null) return false;
	const reason = {
		kind: "freeze" as const,
		item: null,
		connection_id: null,
		detail: `The freeze "${freeze.title}" is active.`,
	};
	const gate = { passed: false, reasons: [reason] };
	await moveWindow(ctx, tx, window, SERVICE_ACTOR, {
		event: "gate",
		to: "blocked",
		values: { gate: JSON.stringify(gate) },
		detail: reason.detail,
		verb: "blocked",
	});
	await notifyOfWindow(ctx, tx, window, { event: "change_window_blocked", gate });
	return true;
}
