/**
 * The change plan or change window of a request. The area of the windows, which stands after this
 * one, reads them.
 */
import type { Context } from "../../../../context.ts";
import type { Identity } from "../../../../core/caller.ts";
import { AppError, buildConflictError, buildFieldError } from "../../../../core/errors.ts";
import type { PlanContent } from "../../tables.ts";
import { allowsCause } from "../rules/states.ts";
import type { RequestRow, ShownRequest } from "../sql/requests.ts";

/** A change plan as it is when a request names it. */
export interface ChosenPlan {
	readonly id: string;
	readonly name: string;
	readonly revision: number;
	readonly content: PlanContent;
}

export interface ChosenChange {
	readonly plan: ChosenPlan | null;
	readonly windowId: string | null;
}

export const NO_CHANGE: ChosenChange = { plan: null, windowId: null };

interface Given {
	readonly change_plan?: string | null | undefined;
	readonly change_window?: string | null | undefined;
}

/** @throws 400 under `change_plan` or `change_window` */
export async function chooseChange(
	ctx: Context,
	identity: Identity,
	{ change_plan: planId = null, change_window: windowId = null }: Given,
	target: string | null,
): Promise<ChosenChange> {
	if (planId !== null && windowId !== null)
		throw buildFieldError("change_window", "Name a change plan or a change window, not both.");
	if (windowId !== null) {
		await ctx.areas.windows.assertRequestWindow(identity, windowId, target);
		return { plan: null, windowId };
	}
	if (planId === null) return NO_CHANGE;
	if (target === null)
		throw buildFieldError("change_plan", "Name the target_controller whose state the plan compares.");
	return { plan: await ctx.areas.windows.chooseRequestPlan(identity, planId), windowId: null };
}

/**
 * Chooses the plan or window after an edit. Returns null if both stay.
 * @param target the connection after the edit
 * @throws 400 under `change_plan` or `change_window`
 */
export async function chooseEditedChange(
	ctx: Context,
	identity: Identity,
	before: RequestRow,
	sent: Given,
	target: string | null,
): Promise<ChosenChange | null> {
	const hasPlan = before.change_plan_id !== null;
	const given = isLaunchWindow(before, sent) ? { change_plan: sent.change_plan } : sent;
	if (given.change_plan === undefined && given.change_window === undefined) {
		if (hasPlan && target === null) return chooseChange(ctx, identity, { change_plan: before.change_plan_id }, null);
		if (hasNamedWindow(before) && before.change_window_id !== null && target !== before.target_controller_id)
			await ctx.areas.windows.assertRequestWindow(identity, before.change_window_id, target);
		return null;
	}
	// Naming one drops the other one.
	const { change_plan = given.change_window == null ? before.change_plan_id : null } = given;
	const { change_window = hasNamedWindow(before) && change_plan === null ? before.change_window_id : null } = given;
	const isKept = change_plan !== null && change_plan === before.change_plan_id && change_window === null;
	if (!isKept || target === null) return chooseChange(ctx, identity, { change_plan, change_window }, target);
	// The same plan is read anew; one that is gone, or hidden from the editor, stays as it was.
	return chooseChange(ctx, identity, { change_plan }, target).catch((error: unknown) => {
		if (error instanceof AppError && error.status < 500) return null;
		throw error;
	});
}

/** Whether it names a window. The window of a plan is that of its last launch. */
const hasNamedWindow = ({ change_plan, change_window_id }: RequestRow): boolean =>
	change_plan === null && change_window_id !== null;

/** Whether the window that is sent is that of the last launch, which the client has read. */
const isLaunchWindow = (before: RequestRow, { change_window: id }: Given): boolean =>
	id != null && id === before.change_window_id && !hasNamedWindow(before);

interface Snapshots {
	readonly queryId: string | null;
	readonly target: string | null;
	/** Whether the rows of the request declare changes. */
	readonly isDeclared: boolean;
}

/** The plan of a request that names neither plan nor window, but the query of its snapshots. */
const buildOwnPlan = (ctx: Context, { queryId, target, isDeclared }: Snapshots): string | null =>
	queryId === null || target === null
		? null
		: JSON.stringify(ctx.areas.windows.buildSnapshotPlan(queryId, isDeclared) satisfies PlanContent);

/** The columns of a new request that hold it. */
export function buildChangeColumns(ctx: Context, { plan, windowId }: ChosenChange, snapshots: Snapshots) {
	const own = windowId === null ? buildOwnPlan(ctx, snapshots) : null;
	return {
		change_plan_id: plan?.id ?? null,
		change_plan_name: plan?.name ?? null,
		change_plan_revision: plan?.revision ?? null,
		change_plan: plan === null ? own : JSON.stringify(plan.content),
		change_window_id: windowId,
	};
}

/**
 * The columns that an edit changes.
 * @param change null: plan and window stay as they are
 */
export function buildEditedColumns(
	ctx: Context,
	before: RequestRow,
	change: ChosenChange | null,
	snapshots: Snapshots,
): Partial<ReturnType<typeof buildChangeColumns>> {
	if (change !== null) return buildChangeColumns(ctx, change, snapshots);
	if (before.change_plan_id !== null || hasNamedWindow(before)) return {};
	const own = buildOwnPlan(ctx, snapshots);
	return { change_plan: own, ...(own === null ? { change_window_id: null } : {}) };
}

/** The plan in the history of the request. */
export const describePlan = ({ change_plan_name: name, change_plan_revision: revision }: RequestRow): string | null =>
	name === null ? null : `${name}, revision ${revision}`;

/** Whether the template requires a change plan that the request lacks. */
export const lacksChangePlan = (row: ShownRequest): boolean =>
	row.requires_change_plan &&
	row.change_plan_id === null &&
	!hasNamedWindow(row) &&
	// A dry run changes nothing, and a rollback undoes what the plan of a window has covered.
	!row.check_mode &&
	row.rollback_window_id === null;

/** @throws 409 with the remedy */
export function assertChangePlan(row: ShownRequest): void {
	if (!lacksChangePlan(row)) return;
	const remedy = allowsCause("request", row.status, "edit")
		? "Edit the request and name one under change_plan, or name a change window under change_window."
		: "Copy the request, and name a change plan or a change window in the copy.";
	throw buildConflictError(`The template requires a change plan. ${remedy}`, { status: row.status });
}
