/** The change plan or the change window that an automation request names. */
import type { ExpectationInput } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { type Identity, isAllowed } from "../../core/caller.ts";
import { buildFieldError, buildForbiddenError } from "../../core/errors.ts";
import type { ChosenPlan } from "../automation/jobs/request/choose-change.ts";
import type { PlanContent } from "../automation/tables.ts";
import { copyPlan } from "./manage-windows.ts";
import { isBeforeEnd } from "./rules/transitions.ts";
import { findShownPlan } from "./sql/plans.ts";
import { findShownWindow } from "./sql/windows.ts";
import type { PlanCopy } from "./tables.ts";

/** A plan as a request keeps it. */
export interface RequestPlan extends PlanContent {
	readonly plan: PlanCopy;
	/** Those of the plan itself; those of the rows follow at the launch. */
	readonly expectations: readonly ExpectationInput[];
}

/** @throws 400 under `change_plan`, 403 */
export async function chooseRequestPlan(ctx: Context, identity: Identity, id: string): Promise<ChosenPlan> {
	const shown = await findShownPlan(ctx.store.db, identity, id);
	if (shown === undefined) throw buildFieldError("change_plan", "There is no such change plan that you can see.");
	if (!isAllowed(identity, "add_changewindow"))
		throw buildForbiddenError("You need the permission add_changewindow: the plan makes a change window of its own.");
	const content: RequestPlan = {
		requires_approval: shown.requires_approval,
		plan: copyPlan(shown),
		expectations: shown.expectations,
	};
	return { id, name: shown.name, revision: shown.revision, content };
}

/** @throws 400 under `change_window` */
export async function assertRequestWindow(
	ctx: Context,
	identity: Identity,
	id: string,
	target: string | null,
): Promise<void> {
	const window = await findShownWindow(ctx.store.db, identity, id);
	if (window === undefined || !isAllowed(identity, "view_changewindow"))
		throw buildFieldError("change_window", "There is no such change window that you can see.");
	if (!isBeforeEnd(window.state)) {
		const words = window.state.replaceAll("_", " ");
		throw buildFieldError("change_window", `The change window is ${words}: no job can begin in it any more.`);
	}
	if (target !== null && !window.visible_ids.includes(target))
		throw buildFieldError("change_window", "The target_controller is none of the connections of the change window.");
}
