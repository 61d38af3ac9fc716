/** Change plans: lists, creates, changes and deletes them. */
import type { ChangePlan, ChangePlanCreate, ChangePlanList, ChangePlanPatch, PlanItem } from "@weft/contracts";
import { type Context, getNow } from "../../../context.ts";
import type { Caller, Identity } from "../../../core/caller.ts";
import { buildForbiddenError, buildInvalidError, buildNotFoundError, type FieldErrors } from "../../../core/errors.ts";
import { markUnchanged } from "../../../core/events.ts";
import { paginateRows } from "../../../core/http/paging.ts";
import type { Db, Tx } from "../../../core/ports/store.ts";
import { isSameJson } from "../../checks/rules/same-json.ts";
import { findShownCheck } from "../../checks/sql/checks.ts";
import { loadVisibleQuery, type VisibleQuery } from "../../queries/saved/visible-query.ts";
import { canDeletePlan, canEditPlan } from "../policy.ts";
import { describeCheckProblem } from "../read-items.ts";
import {
	deletePlanRow,
	findShownPlan,
	insertPlanRow,
	listItemNames,
	listPlanPage,
	lockPlanRow,
	type PlanRow,
	type ShownPlan,
	updatePlanRow,
} from "../sql/plans.ts";

const buildTarget = ({ id }: { readonly id: string }) => ({ targetType: "change_plan", targetId: id });
const ONLY_OWNER = "Only the owner of a change plan and administrators may do this.";

const nameItem = (item: PlanItem, names: ReadonlyMap<string, string>): PlanItem & { name: string | null } => ({
	...item,
	name: names.get("query" in item ? item.query : item.check) ?? null,
});

/** Adds the name of its query or check to each item; null if the viewer does not see it. */
export async function nameItems(
	db: Db,
	viewer: Identity,
	items: readonly PlanItem[],
): Promise<(PlanItem & { name: string | null })[]> {
	const names = await listItemNames(db, viewer, items);
	return items.map((item) => nameItem(item, names));
}

async function presentPlans(db: Db, caller: Identity, plans: readonly ShownPlan[]): Promise<ChangePlan[]> {
	const names = await listItemNames(
		db,
		caller,
		plans.flatMap(({ items }) => items),
	);
	return plans.map((plan) => ({
		id: plan.id,
		name: plan.name,
		description: plan.description,
		items: plan.items.map((item) => nameItem(item, names)),
		settle: plan.settle,
		gate: plan.gate,
		after_failure: plan.after_failure,
		max_before_age_minutes: plan.max_before_age_minutes,
		requires_approval: plan.requires_approval,
		expectations: plan.expectations,
		is_public: plan.is_public,
		revision: plan.revision,
		created_by: plan.owner,
		can_edit: canEditPlan(caller, plan),
		created_at: plan.created_at.toISOString(),
		updated_at: plan.updated_at.toISOString(),
	}));
}

export async function readPlan(db: Db, caller: Identity, id: string): Promise<ChangePlan> {
	const plan = await findShownPlan(db, caller, id);
	const [shown] = plan === undefined ? [] : await presentPlans(db, caller, [plan]);
	if (shown === undefined) throw buildNotFoundError();
	return shown;
}

/** Why a plan cannot have the query; null if it can. */
export function describeQueryProblem(query: Pick<VisibleQuery, "name" | "enableTimeMachine"> | null): string | null {
	if (query === null) return "There is no such query that you can see.";
	return query.enableTimeMachine ? null : `Switch on snapshots for the query "${query.name}".`;
}

/**
 * @throws 400 under `items.N.query` or `items.N.check` for one that the caller does not see, for a
 * query without snapshots, and for a check that a window cannot evaluate
 */
async function assertItems(ctx: Context, caller: Identity, items: readonly PlanItem[]): Promise<void> {
	const { db } = ctx.store;
	const errors: FieldErrors = {};
	for (const [index, item] of items.entries()) {
		if ("query" in item) {
			const problem = describeQueryProblem(await loadVisibleQuery(db, caller, item.query));
			if (problem !== null) errors[`items.${index}.query`] = [problem];
		} else {
			const check = await findShownCheck(db, caller, item.check);
			const problem =
				check === undefined ? "There is no such check that you can see." : describeCheckProblem(check.type);
			if (problem !== null) errors[`items.${index}.check`] = [problem];
		}
	}
	if (Object.keys(errors).length > 0) throw buildInvalidError(errors);
}

/** @throws 400 under `expectations.N.item` for an item that the plan does not have */
export function assertExpectedItems(
	expectations: readonly { readonly item: number | null }[],
	items: readonly PlanItem[],
): void {
	const errors: FieldErrors = {};
	for (const [index, { item }] of expectations.entries()) {
		if (item === null || items[item] !== undefined) continue;
		errors[`expectations.${index}.item`] = [`The plan has no item ${item}: its items are 0 to ${items.length - 1}.`];
	}
	if (Object.keys(errors).length > 0) throw buildInvalidError(errors);
}

export async function listPlans(ctx: Context, caller: Caller, filter: ChangePlanList, url: string) {
	const { db } = ctx.store;
	const page = await listPlanPage(db, caller, filter);
	const shown = await presentPlans(db, caller, page.rows);
	return paginateRows(url, filter, { count: page.count, rows: shown }, (plan) => plan);
}

/** @param template key of the built-in plan that it is made from; null for none */
export async function insertPlan(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	input: ChangePlanCreate,
	template: string | null,
): Promise<string> {
	if (input.is_public) await ctx.quotas.check(caller, "can_share", tx);
	await ctx.quotas.check(caller, "change_plans_max", tx);
	const id = ctx.ids.uuid();
	const at = getNow(ctx);
	await insertPlanRow(tx, {
		...input,
		id,
		owner_id: caller.userId,
		items: JSON.stringify(input.items),
		settle: JSON.stringify(input.settle),
		gate: JSON.stringify(input.gate),
		expectations: JSON.stringify(input.expectations),
		template,
		created_at: at,
		updated_at: at,
	});
	await ctx.events.changed(tx, caller, {
		...buildTarget({ id }),
		description: `${caller.username} made the change plan "${input.name}"`,
		metadata: { items: input.items.length },
	});
	return id;
}

export async function createPlan(ctx: Context, caller: Caller, input: ChangePlanCreate): Promise<ChangePlan> {
	await assertItems(ctx, caller, input.items);
	assertExpectedItems(input.expectations, input.items);
	return ctx.store.transaction(async (tx) => {
		const id = await insertPlan(ctx, tx, caller, input, null);
		return readPlan(tx.db, caller, id);
	});
}

export async function lockPlan(tx: Tx, caller: Identity, id: string, may: typeof canEditPlan): Promise<PlanRow> {
	const plan = await lockPlanRow(tx, id);
	if (plan === undefined || (await findShownPlan(tx.db, caller, id)) === undefined) throw buildNotFoundError();
	if (!may(caller, plan)) throw buildForbiddenError(ONLY_OWNER);
	return plan;
}

/** Names of the fields that the patch changes; equal values are no change. */
export function listChanges(plan: PlanRow, input: ChangePlanPatch): (keyof ChangePlanPatch)[] {
	const names = Object.keys(input) as (keyof ChangePlanPatch)[];
	return names.filter((name) => input[name] !== undefined && !isSameJson(input[name], plan[name]));
}

/**
 * Writes the fields of a locked plan, which gets a new revision.
 * @param names the fields that differ
 */
export async function writePlanFields(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	plan: PlanRow,
	input: ChangePlanPatch,
	names: readonly string[],
): Promise<void> {
	const { id } = plan;
	if (input.is_public === true && !plan.is_public) await ctx.quotas.check(caller, "can_share", tx);
	const { items, settle, gate, expectations, ...plain } = input;
	const json = { items, settle, gate, expectations };
	const written = Object.entries(json).flatMap(([name, value]) =>
		value === undefined ? [] : [[name, JSON.stringify(value)]],
	);
	await updatePlanRow(tx, id, {
		...plain,
		...Object.fromEntries(written),
		revision: plan.revision + 1,
		updated_at: getNow(ctx),
	});
	await ctx.events.changed(tx, caller, {
		...buildTarget({ id }),
		description: `${caller.username} changed the change plan "${plain.name ?? plan.name}"`,
		metadata: { fields: names, revision: plan.revision + 1 },
	});
}

export async function changePlan(
	ctx: Context,
	caller: Caller,
	id: string,
	input: ChangePlanPatch,
): Promise<ChangePlan> {
	const seen = await findShownPlan(ctx.store.db, caller, id);
	if (seen === undefined) throw buildNotFoundError();
	if (!canEditPlan(caller, seen)) throw buildForbiddenError(ONLY_OWNER);
	if (input.items !== undefined) await assertItems(ctx, caller, input.items);
	return ctx.store.transaction(async (tx) => {
		const plan = await lockPlan(tx, caller, id, canEditPlan);
		assertExpectedItems(input.expectations ?? plan.expectations, input.items ?? plan.items);
		const names = listChanges(plan, input);
		if (names.length === 0) {
			markUnchanged(caller);
			return readPlan(tx.db, caller, id);
		}
		await writePlanFields(ctx, tx, caller, plan, input, names);
		return readPlan(tx.db, caller, id);
	});
}

/** Deletes the plan. Windows keep their copies of it. */
export async function deletePlan(ctx: Context, caller: Caller, id: string): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const plan = await lockPlan(tx, caller, id, canDeletePlan);
		await deletePlanRow(tx, id);
		await ctx.events.changed(tx, caller, {
			...buildTarget(plan),
			description: `${caller.username} deleted the change plan "${plan.name}"`,
		});
	});
}
