/** Moves a change window to a state: the row, its event, the audit entry and the frames. */
import type { WindowEvent, WindowState } from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import type { Actor } from "../../core/events.ts";
import type { Tx } from "../../core/ports/store.ts";
import { moveLaunches } from "./move-launches.ts";
import { computeNextAt } from "./rules/transitions.ts";
import { insertEvents, updateWindowRow, type WindowRow } from "./sql/windows.ts";
import { getWindowTopic } from "./topic.ts";

export const buildTarget = ({ id }: { readonly id: string }) => ({ targetType: "change_window", targetId: id });

/** Columns as they are written, JSON as text. */
type Written = Parameters<typeof updateWindowRow>[2];

export type WindowValues = Omit<Written, "state" | "next_at" | "updated_at">;

export interface WindowMove {
	readonly event: WindowEvent;
	/** The present state if absent. */
	readonly to?: WindowState;
	readonly detail?: string;
	/** Columns that change with it. */
	readonly values?: WindowValues;
	/** Verb of the audit entry, such as `approved`. */
	readonly verb: string;
	readonly metadata?: Record<string, unknown>;
}

/** Author of the moves that no user makes. */
export const SERVICE_ACTOR: Actor = {
	userId: null,
	username: "weft",
	ip: "",
	userAgent: "",
	requestId: "",
	audit: { category: "time_machine", action: "change_window_move" },
};

/** The given date, or the one before if none is given; null clears it. */
export const readDate = (given: unknown, before: Date | null): Date | null =>
	given === undefined ? before : given === null ? null : new Date(given as string | Date);

/** Moves the window, which the caller has locked. `window` keeps the values before the move. */
export async function moveWindow(
	ctx: Context,
	tx: Tx,
	window: WindowRow,
	actor: Actor,
	{ event, to = window.state, detail = "", values = {}, verb, metadata = {} }: WindowMove,
): Promise<void> {
	const now = getNow(ctx);
	const next_at = computeNextAt({
		state: to,
		starts_at: readDate(values.starts_at, window.starts_at),
		ends_at: readDate(values.ends_at, window.ends_at),
		auto_start: values.auto_start ?? window.auto_start,
		round_at: readDate(values.round_at, window.round_at),
		phase_at: readDate(values.phase_at, window.phase_at),
		opened_at: readDate(values.opened_at, window.opened_at),
		plan: window.plan,
	});
	// Each move makes a new version: two in one millisecond could not be distinguished.
	const updated_at = new Date(Math.max(now.getTime(), window.updated_at.getTime() + 1));
	await updateWindowRow(tx, window.id, { ...values, state: to, next_at, updated_at });
	await insertEvents(tx, [
		{
			id: ctx.ids.uuid(),
			window_id: window.id,
			at: now,
			user_name: actor.userId === null ? null : actor.username,
			event,
			from_state: window.state,
			to_state: to,
			detail,
		},
	]);
	const who = actor.userId === null ? "The service" : actor.username;
	await ctx.events.changed(tx, actor, {
		...buildTarget(window),
		description: `${who} ${verb} the change window "${window.title}"`,
		metadata: { state: to, ...(detail === "" ? {} : { detail }), ...metadata },
	});
	if (to !== window.state) await moveLaunches(ctx, tx, window, to);
	tx.afterCommit(() => ctx.pubsub.publish(getWindowTopic(window.id), ""));
}
