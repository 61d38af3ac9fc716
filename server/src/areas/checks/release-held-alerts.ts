/**
 * Sends the alerts that a maintenance or a change window held when it is over: one message per
 * recipient and category. The entries of checks and the alerts of schedules name their hold. One
 * transaction locks them, removes the names and writes the messages, so that a process that dies
 * sends nothing twice. The verdict of a change window takes its alerts before this does.
 */
import { type Context, getNow } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import { listHolds } from "../calendar/find-hold.ts";
import { listNoticeHolds } from "../calendar/sql/held-notices.ts";
import { findHoldKind } from "../calendar/sql/window-holds.ts";
import { buildSummary } from "./rules/summary.ts";
import { listCheckHolds } from "./sql/held.ts";
import type { HeldBy } from "./tables.ts";
import { takeHeldAlerts } from "./take-held-alerts.ts";

/** Sends the alerts of holds that are over. Idempotent. */
export async function releaseHeldAlerts(ctx: Context, signal: AbortSignal): Promise<void> {
	const { db } = ctx.store;
	const active = new Set((await listHolds(db, getNow(ctx))).map(({ id }) => id));
	const holding = new Map<string, HeldBy>();
	for (const hold of [...(await listNoticeHolds(db)), ...(await listCheckHolds(db))]) {
		if (!active.has(hold.id)) holding.set(hold.id, hold);
	}
	for (const hold of holding.values()) {
		if (signal.aborted) return;
		await ctx.store.transaction((tx) => releaseHold(ctx, tx, hold));
	}
}

async function releaseHold(ctx: Context, tx: Tx, ended: HeldBy): Promise<void> {
	const { parcels } = await takeHeldAlerts(tx, ended, { now: getNow(ctx), waits: true });
	const kind = await findHoldKind(tx.db, ended.id);
	for (const { category, recipient, alerts, messages } of parcels) {
		await ctx.events.emit(tx, {
			type: "notification_due",
			category,
			userId: recipient.userId,
			readers: recipient.readers,
			...buildSummary({ kind, title: ended.title }, alerts, messages),
			key: `maintenance:${ctx.ids.uuid()}`,
		});
	}
}
