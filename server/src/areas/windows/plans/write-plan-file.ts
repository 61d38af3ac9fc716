/** Change plans as files: compares a file with the stored plan, and writes it. */
import type { ChangePlanCreate, ChangePlanPatch } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Caller, Identity } from "../../../core/caller.ts";
import { buildInvalidError, type FieldErrors } from "../../../core/errors.ts";
import type { Tx } from "../../../core/ports/store.ts";
import { findReferredQuery, type KnownReferences } from "../../schedules/known-references.ts";
import { canEditPlan } from "../policy.ts";
import type { PlanRow } from "../sql/plans.ts";
import {
	assertExpectedItems,
	describeQueryProblem,
	insertPlan,
	listChanges,
	lockPlan,
	writePlanFields,
} from "./manage-plans.ts";

/** A checked file: the change that writing it makes. */
export interface PlanChange {
	/** Null for a new plan. */
	readonly id: string | null;
	readonly input: ChangePlanCreate;
	/** Names of fields that differ; empty if the plan is as the file says. */
	readonly fields: readonly string[];
}

/**
 * Finds the change that a file makes. Rights are checked when it is written.
 * @param input with the ids of visible queries and checks
 * @param before the stored plan; null for a new one
 * @throws AppError 400 by field: queries without snapshots, expectations of items that are missing
 */
export async function checkPlanFile(
	ctx: Context,
	caller: Identity,
	input: ChangePlanCreate,
	before: PlanRow | null,
	known: KnownReferences,
): Promise<PlanChange> {
	const errors: FieldErrors = {};
	for (const [index, item] of input.items.entries()) {
		if (!("query" in item)) continue;
		// A stored item stays, even if its owner sees its query no longer.
		if (before?.items.some((one) => "query" in one && one.query === item.query)) continue;
		const problem = describeQueryProblem(await findReferredQuery(ctx, caller, item.query, known));
		if (problem !== null) errors[`items.${index}.query`] = [problem];
	}
	if (Object.keys(errors).length > 0) throw buildInvalidError(errors);
	assertExpectedItems(input.expectations, input.items);
	return { id: before?.id ?? null, input, fields: before === null ? [] : listChanges(before, input) };
}

/** @throws AppError 403 for a right or quota that the caller lacks, 404 if the plan was deleted */
export async function writePlanFile(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	{ id, input, fields }: PlanChange,
): Promise<void> {
	if (id === null) {
		await insertPlan(ctx, tx, caller, input, null);
		return;
	}
	const plan = await lockPlan(tx, caller, id, canEditPlan);
	const patch: ChangePlanPatch = Object.fromEntries(Object.entries(input).filter(([name]) => fields.includes(name)));
	await writePlanFields(ctx, tx, caller, plan, patch, fields);
}
