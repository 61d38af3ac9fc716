/** Built-in change plans: lists them, and saves one as a plan of the caller. */
import {
	type ChangePlan,
	type ChangePlanTemplate,
	changePlanCreateBody,
	type SavedQueryInput,
	savedQueryInput,
} from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { type Caller, isAllowed } from "../../../core/caller.ts";
import { buildForbiddenError, buildNotFoundError, buildRefusedError } from "../../../core/errors.ts";
import { findBrokenUnique, type Tx } from "../../../core/ports/store.ts";
import { buildCheckColumns, insertCheck } from "../../checks/manage-checks.ts";
import { CHECK_TEMPLATES } from "../../checks/rules/library/index.ts";
import type { CheckTemplate } from "../../checks/rules/library/template.ts";
import { buildNewQuery, findSameQuery } from "../../checks/save-watched-check.ts";
import { listOwnChecks } from "../../checks/sql/checks.ts";
import { createQueriesIn, writeQueryFields } from "../../queries/saved/manage-queries.ts";
import { lockOwnQueries } from "../../queries/saved/sql/queries.ts";
import { PLAN_TEMPLATES } from "../rules/plan-templates/index.ts";
import type { PlanTemplate, PlanTemplateItem } from "../rules/plan-templates/template.ts";
import { insertPlan, readPlan } from "./manage-plans.ts";

const findCheckTemplate = (key: string): CheckTemplate => {
	const found = CHECK_TEMPLATES.find((one) => one.key === key);
	if (found === undefined) throw new Error(`There is no check template ${key}.`);
	return found;
};

const presentTemplate = ({ key, name, description, items, sources }: PlanTemplate): ChangePlanTemplate => ({
	key,
	name,
	description,
	items: items.map((item) =>
		"query" in item
			? { kind: "query", name: item.query.name, compare: item.compare }
			: { kind: "check", name: findCheckTemplate(item.check).name, compare: null },
	),
	sources: [...sources],
});

export function listPlanTemplates() {
	const results = PLAN_TEMPLATES.map(presentTemplate);
	return { count: results.length, next: null, previous: null, results };
}

/** The id of the caller's query of this name and canvas, with snapshots on, or of a new one. */
async function saveQuery(ctx: Context, tx: Tx, caller: Caller, input: SavedQueryInput): Promise<string> {
	const own = await findSameQuery(ctx, tx, caller, input);
	if (own === undefined) {
		const id = ctx.ids.uuid();
		await createQueriesIn(ctx, tx, caller, [{ id, input }], 0);
		return id;
	}
	const [found] = await lockOwnQueries(tx, caller.userId, [own]);
	if (found !== undefined && !found.enable_time_machine)
		await writeQueryFields(ctx, tx, caller, found, { enable_time_machine: true });
	return own;
}

/** The id of the caller's check of this name on the query, or of a new one. */
async function saveCheck(ctx: Context, tx: Tx, caller: Caller, template: CheckTemplate): Promise<string> {
	const { name, finds, description: why, query, check, severity } = template;
	const description = `Finds: ${finds} ${why}`;
	const input = savedQueryInput.parse({ name, description, ...query, enable_time_machine: true });
	const queryId = await saveQuery(ctx, tx, caller, input);
	const own = (await listOwnChecks(tx.db, caller.userId)).find(
		(one) => one.name === name && one.saved_query_id === queryId,
	);
	if (own !== undefined) return own.id;
	const queries = new Map([[queryId, buildNewQuery(input, queryId, caller)]]);
	const known = { db: tx.db, queries, connections: null, groups: null };
	const fields = { name, description, severity, saved_query: queryId, ...check };
	return insertCheck(ctx, tx, caller, await buildCheckColumns(ctx, caller, fields, null, known));
}

async function saveItem(ctx: Context, tx: Tx, caller: Caller, item: PlanTemplateItem) {
	if ("check" in item)
		return { check: await saveCheck(ctx, tx, caller, findCheckTemplate(item.check)), when: [...item.when] };
	const { query, ...how } = item;
	const input = savedQueryInput.parse({ ...query, enable_time_machine: true });
	return { query: await saveQuery(ctx, tx, caller, input), ...how };
}

/**
 * Saves the plan with its queries and checks, all or nothing. Reuses queries and checks of the
 * caller that were saved from it before.
 * @throws 403 without the right to save queries or checks, 404 for an unknown key, 400 for a name
 * that another query has
 */
export async function installPlan(ctx: Context, caller: Caller, key: string): Promise<ChangePlan> {
	const template = PLAN_TEMPLATES.find((one) => one.key === key);
	if (template === undefined) throw buildNotFoundError("There is no such change plan.");
	for (const permission of ["add_savedquery", "add_check"] as const)
		if (!isAllowed(caller, permission)) throw buildForbiddenError(`You need the permission ${permission} for this.`);
	const { name, description, settle, gate } = template;
	try {
		return await ctx.store.transaction(async (tx) => {
			const items = [];
			for (const item of template.items) items.push(await saveItem(ctx, tx, caller, item));
			const input = changePlanCreateBody.parse({ name, description, items, settle, gate });
			return readPlan(tx.db, caller, await insertPlan(ctx, tx, caller, input, key));
		});
	} catch (error) {
		if (findBrokenUnique(error) !== "saved_queries_owner_name") throw error;
		throw buildRefusedError("You have another query with the name of one of the plan's. Rename yours and try again.");
	}
}
