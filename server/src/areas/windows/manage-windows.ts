/** Change windows: creates, changes and deletes them. */
import type { ChangeWindow, ChangeWindowCreate, ChangeWindowPatch } from "@weft/contracts";
import { WINDOW_LIMITS } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { buildFieldError, buildForbiddenError } from "../../core/errors.ts";
import { markUnchanged } from "../../core/events.ts";
import { findBrokenUnique, type Tx } from "../../core/ports/store.ts";
import { isSameJson } from "../checks/rules/same-json.ts";
import { findVisibleConnection } from "../fabrics/manage-connections.ts";
import { findVisibleGroup } from "../fabrics/manage-groups.ts";
import { buildTarget, moveWindow, readDate } from "./move-window.ts";
import { insertNewWindow } from "./new-window.ts";
import { canMove, REFUSALS } from "./policy.ts";
import { formatTime } from "./present.ts";
import { buildStateError, findVisibleWindow, lockForMove, readWindow } from "./read-window.ts";
import { canLeave } from "./rules/transitions.ts";
import { listEvidenceSizes } from "./sql/evidence.ts";
import { insertExpectations } from "./sql/findings.ts";
import { findShownPlan, type ShownPlan } from "./sql/plans.ts";
import {
	countOpenWindows,
	deleteWindowRow,
	findWindowByKey,
	listAllConnections,
	replaceConnections,
	type ShownWindow,
} from "./sql/windows.ts";
import type { PlanCopy } from "./tables.ts";

const KEY = "change_windows_key";
/** Windows of one user that are not over. */
export const OPEN_MAX = 200;

export const copyPlan = (plan: ShownPlan): PlanCopy => ({
	name: plan.name,
	revision: plan.revision,
	items: plan.items,
	settle: plan.settle,
	gate: plan.gate,
	after_failure: plan.after_failure,
	max_before_age_minutes: plan.max_before_age_minutes,
});

async function findPlan(ctx: Context, caller: Caller, id: string): Promise<ShownPlan> {
	const plan = await findShownPlan(ctx.store.db, caller, id);
	if (plan === undefined) throw buildFieldError("plan", "There is no such change plan that you can see.");
	return plan;
}

interface Named {
	readonly id: string;
	readonly name: string;
}

/**
 * The named connections, or the present ones of the group; null if the input names neither.
 * @throws 400 for connections that the caller does not see, and for too few or too many
 */
async function findConnections(
	ctx: Context,
	caller: Caller,
	{ connection_ids: ids, connection_group_id: groupId }: ChangeWindowPatch,
): Promise<Named[] | null> {
	if (ids === undefined && groupId === undefined) return null;
	if (ids !== undefined && groupId !== undefined)
		throw buildFieldError("connection_group_id", "Give connections or a group, not both.");
	const field = groupId === undefined ? "connection_ids" : "connection_group_id";
	const group = groupId === undefined ? null : await findVisibleGroup(ctx.store.db, caller, groupId);
	if (groupId !== undefined && group === null)
		throw buildFieldError(field, "There is no such connection group that you can see.");
	const wanted = group === null ? (ids ?? []) : group.members.map(({ id }) => id);
	const found: Named[] = [];
	for (const id of wanted) {
		const connection = await findVisibleConnection(ctx, caller, id);
		if (connection === null) throw buildFieldError(field, `There is no connection ${id} that you can see.`);
		found.push(connection);
	}
	if (found.length === 0) throw buildFieldError(field, "Needs at least one connection.");
	if (found.length > WINDOW_LIMITS.connections)
		throw buildFieldError(field, `Must be at most ${WINDOW_LIMITS.connections} connections.`);
	return found;
}

interface Times {
	readonly starts_at: Date | null;
	readonly ends_at: Date | null;
	readonly auto_start: boolean;
}

function assertTimes({ starts_at, ends_at, auto_start }: Times, now: number): void {
	if (starts_at !== null && ends_at !== null && ends_at <= starts_at)
		throw buildFieldError("ends_at", "Must be after starts_at.");
	if (ends_at !== null && ends_at.getTime() <= now) throw buildFieldError("ends_at", "Must be in the future.");
	if (auto_start && starts_at === null) throw buildFieldError("starts_at", "Is required where auto_start is true.");
}

/** Creates a window, or returns the one that the same idempotency key has created before. */
export async function createWindow(ctx: Context, caller: Caller, input: ChangeWindowCreate): Promise<ChangeWindow> {
	const { idempotency_key: key } = input;
	const known = key === undefined ? undefined : await findWindowByKey(ctx.store.db, caller.userId, key);
	if (known !== undefined) {
		markUnchanged(caller);
		return readWindow(ctx.store.db, caller, known);
	}
	try {
		return await insertWindow(ctx, caller, input);
	} catch (error) {
		// A concurrent call with the same key has made it.
		if (findBrokenUnique(error) !== KEY || key === undefined) throw error;
		const same = await findWindowByKey(ctx.store.db, caller.userId, key);
		if (same === undefined) throw error;
		markUnchanged(caller);
		return readWindow(ctx.store.db, caller, same);
	}
}

async function insertWindow(ctx: Context, caller: Caller, input: ChangeWindowCreate): Promise<ChangeWindow> {
	const plan = await findPlan(ctx, caller, input.plan);
	const connections = await findConnections(ctx, caller, input);
	if (connections === null) throw buildFieldError("connection_ids", "Give connections or a group of them.");
	const times = {
		starts_at: readDate(input.starts_at, null),
		ends_at: readDate(input.ends_at, null),
		auto_start: input.auto_start ?? false,
	};
	assertTimes(times, ctx.clock.now());
	const id = ctx.ids.uuid();
	return ctx.store.transaction(async (tx) => {
		if ((await countOpenWindows(tx.db, caller.userId)) >= OPEN_MAX)
			throw buildForbiddenError(
				`You have ${OPEN_MAX} change windows without a verdict. Finish or cancel those that you no longer need.`,
			);
		await insertNewWindow(
			ctx,
			tx,
			{
				id,
				owner_id: caller.userId,
				owner_name: caller.username,
				title: input.title,
				ticket_number: input.ticket?.number ?? null,
				ticket_url: input.ticket?.url ?? null,
				plan_id: plan.id,
				plan: JSON.stringify(copyPlan(plan)),
				...times,
				auto_finish: input.auto_finish ?? false,
				requires_approval: input.requires_approval ?? plan.requires_approval,
				implementers: input.implementers ?? [],
				state: "draft",
				idempotency_key: input.idempotency_key ?? null,
			},
			caller.username,
		);
		await replaceConnections(tx, id, connections);
		await insertExpectations(
			tx,
			id,
			plan.expectations.map((data, position) => ({ id: ctx.ids.uuid(), position, isLate: false, data })),
		);
		await ctx.events.changed(tx, caller, {
			...buildTarget({ id }),
			description: `${caller.username} planned the change window "${input.title}"`,
			metadata: { plan: plan.id, plan_revision: plan.revision, connections: connections.map((one) => one.id) },
		});
		return readWindow(tx.db, caller, id);
	});
}

/** Fields that do not bear on the verdict. */
const NAMES: readonly string[] = ["title", "ticket"];

/** @throws 409 if the window has changed since the caller read it */
export function assertVersion(window: ShownWindow, read: string | undefined): void {
	if (read === undefined || new Date(read).getTime() === window.updated_at.getTime()) return;
	throw buildStateError(window.state, "The change window has changed since you read it. Read it again.");
}

function listChanges(
	window: ShownWindow,
	connections: readonly Named[] | null,
	known: readonly { readonly connection_id: string }[],
	{ updated_at: _, connection_ids, connection_group_id, ticket, plan, starts_at, ends_at, ...plain }: ChangeWindowPatch,
): string[] {
	const before = known.map((one) => one.connection_id);
	const number = window.ticket_number;
	const ticketBefore = number === null ? null : { number, url: window.ticket_url ?? "" };
	const changed = (name: string, given: unknown, present: unknown) =>
		given !== undefined && !isSameJson(given, present) ? [name] : [];
	const readInput = (at: string | null | undefined) => (at ? new Date(at).toISOString() : at);
	return [
		...changed("ticket", ticket, ticketBefore),
		...changed("plan", plan, window.plan_id),
		...changed("starts_at", readInput(starts_at), formatTime(window.starts_at)),
		...changed("ends_at", readInput(ends_at), formatTime(window.ends_at)),
		...changed(
			"connection_ids",
			connections?.map(({ id }) => id),
			before,
		),
		...Object.entries(plain).flatMap(([name, value]) => changed(name, value, window[name as keyof typeof plain])),
	];
}

/** @throws 400 under `connection_ids` if a connection that leaves the window has evidence */
async function assertNoEvidence(tx: Tx, id: string, connections: readonly Named[]): Promise<void> {
	const evidence = await listEvidenceSizes(tx.db, id);
	const left = (await listAllConnections(tx.db, id)).find(
		({ connection_id: own }) =>
			connections.every((one) => one.id !== own) && evidence.some((one) => one.connection_id === own),
	);
	if (left !== undefined)
		throw buildFieldError(
			"connection_ids",
			`The connection "${left.connection_name}" has results of the pre-upgrade script. Remove them from the change ` +
				"window first.",
		);
}

/**
 * Changes a window. An edit of anything but title and ticket makes a window that awaits approval
 * or has one a draft again, and so does the demand of an approval that it does not have.
 */
export async function changeWindow(
	ctx: Context,
	caller: Caller,
	id: string,
	input: ChangeWindowPatch,
): Promise<ChangeWindow> {
	const seen = await findVisibleWindow(ctx.store.db, caller, id);
	if (!canMove(caller, seen)) throw buildForbiddenError(REFUSALS.mover);
	const connections = await findConnections(ctx, caller, input);
	const plan = input.plan === undefined ? null : await findPlan(ctx, caller, input.plan);
	return ctx.store.transaction(async (tx) => {
		const window = await lockForMove(tx, caller, id, { move: "rename" });
		assertVersion(window, input.updated_at);
		const names = listChanges(window, connections, await listAllConnections(tx.db, id), input);
		if (names.length === 0) {
			markUnchanged(caller);
			return readWindow(tx.db, caller, id);
		}
		const isRenamed = names.every((name) => NAMES.includes(name));
		if (!isRenamed && !canLeave("edit", window.state))
			throw buildStateError(window.state, "The change window has started: only title and ticket may change.");
		const times = {
			starts_at: readDate(input.starts_at, window.starts_at),
			ends_at: readDate(input.ends_at, window.ends_at),
			auto_start: input.auto_start ?? window.auto_start,
		};
		if (!isRenamed) assertTimes(times, ctx.clock.now());
		if (connections !== null) {
			await assertNoEvidence(tx, id, connections);
			await replaceConnections(tx, id, connections);
		}
		const needsApproval = input.requires_approval === true && window.state === "planned" && window.approved_at === null;
		const isVoid = !isRenamed && (window.state === "waiting" || window.approved_at !== null || needsApproval);
		const ticket =
			input.ticket === undefined
				? {}
				: { ticket_number: input.ticket?.number ?? null, ticket_url: input.ticket?.url ?? null };
		await moveWindow(ctx, tx, window, caller, {
			event: "update",
			to: isVoid ? "draft" : window.state,
			values: {
				title: input.title ?? window.title,
				...ticket,
				...times,
				auto_finish: input.auto_finish ?? window.auto_finish,
				requires_approval: input.requires_approval ?? window.requires_approval,
				implementers: input.implementers ?? window.implementers,
				...(plan === null ? {} : { plan_id: plan.id, plan: JSON.stringify(copyPlan(plan)) }),
				...(isVoid ? { approved_by_id: null, approved_by: null, approved_at: null } : {}),
			},
			detail: names.join(", "),
			verb: "changed",
			metadata: { fields: names },
		});
		return readWindow(tx.db, caller, id);
	});
}

export async function deleteWindow(ctx: Context, caller: Caller, id: string): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const window = await lockForMove(tx, caller, id, { move: "remove", role: "remover" });
		await deleteWindowRow(tx, id);
		await ctx.events.changed(tx, caller, {
			...buildTarget(window),
			description: `${caller.username} deleted the change window "${window.title}"`,
		});
	});
}
