/** Freezes that block a change window which nobody starts by hand, or which has just begun. */
import type { GateReason } from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import { type Freeze, findFreeze } from "../calendar/find-freeze.ts";
import { moveWindow, SERVICE_ACTOR } from "./move-window.ts";
import { notifyOfWindow } from "./notify-of-window.ts";
import { listAllConnections, type WindowRow } from "./sql/windows.ts";

async function findFreezeAt(tx: Tx, windowId: string, at: Date): Promise<Freeze | null> {
	const connections = await listAllConnections(tx.db, windowId);
	const ids = connections.map(({ connection_id }) => connection_id);
	return findFreeze(tx.db, ids, at);
}

const buildReason = ({ title }: Freeze): GateReason => ({
	kind: "freeze",
	item: null,
	connection_id: null,
	detail: `The freeze "${title}" is active.`,
});

/**
 * Finds the freeze that has begun since the phase of the window did. One that was active then was
 * overridden by the user who started it.
 */
export async function findNewFreeze(ctx: Context, tx: Tx, window: WindowRow): Promise<GateReason | null> {
	const freeze = await findFreezeAt(tx, window.id, getNow(ctx));
	if (freeze === null) return null;
	const known = window.phase_at === null ? null : await findFreezeAt(tx, window.id, window.phase_at);
	return known?.id === freeze.id ? null : buildReason(freeze);
}

/**
 * Blocks the window, which the caller has locked, if a freeze of one of its connections is on.
 * @returns whether it is blocked
 */
export async function moveFrozenWindow(ctx: Context, tx: Tx, window: WindowRow): Promise<boolean> {
	const freeze = await findFreezeAt(tx, window.id, getNow(ctx));
	if (freeze === null) return false;
	const reason = buildReason(freeze);
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
