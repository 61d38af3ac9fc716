/** Categories of automation templates: a flat vocabulary that all users share. */
import type {
	AutomationCategory,
	AutomationCategoryInput,
	AutomationCategoryList,
	AutomationCategoryPatch,
} from "@weft/contracts";
import { type Context, getNow } from "../../../context.ts";
import type { Caller, Identity } from "../../../core/caller.ts";
import { buildFieldError, buildNotFoundError } from "../../../core/errors.ts";
import { markUnchanged } from "../../../core/events.ts";
import { paginateRows } from "../../../core/http/paging.ts";
import { type Db, findBrokenUnique, type Tx } from "../../../core/ports/store.ts";
import { presentCategory } from "./present.ts";
import {
	CATEGORY_NAME,
	findTemplateCategory,
	insertTemplateCategory,
	listTemplateCategories,
	removeTemplateCategory,
	updateTemplateCategory,
} from "./sql/categories.ts";

const buildCategoryTarget = (id: number) => ({ targetType: "automation_category", targetId: id });

async function showCategory(db: Db, caller: Identity, id: number): Promise<AutomationCategory> {
	const row = await findTemplateCategory(db, caller, id);
	if (row === undefined) throw buildNotFoundError();
	return presentCategory(row);
}

async function writeWithUniqueName<T>(ctx: Context, work: (tx: Tx) => Promise<T>): Promise<T> {
	return ctx.store.transaction(work).catch((error: unknown) => {
		if (findBrokenUnique(error) !== CATEGORY_NAME) throw error;
		throw buildFieldError("name", "Another category has this name.");
	});
}

export async function changeCategory(
	ctx: Context,
	caller: Caller,
	id: number,
	input: AutomationCategoryPatch,
): Promise<AutomationCategory> {
	const values = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
	return writeWithUniqueName(ctx, async (tx) => {
		if (Object.keys(values).length === 0) {
			markUnchanged(caller);
			return showCategory(tx.db, caller, id);
		}
		if (!(await updateTemplateCategory(tx, id, values))) throw buildNotFoundError();
		const shown = await showCategory(tx.db, caller, id);
		await ctx.events.changed(tx, caller, {
			...buildCategoryTarget(id),
			description: `${caller.username} changed the automation category "${shown.name}"`,
			metadata: { fields: Object.keys(values) },
		});
		return shown;
	});
}

export async function listCategories(ctx: Context, caller: Identity, filter: AutomationCategoryList, url: string) {
	return paginateRows(url, filter, await listTemplateCategories(ctx.store.db, caller, filter), presentCategory);
}

export const readCategory = (ctx: Context, caller: Identity, id: number) => showCategory(ctx.store.db, caller, id);

export async function createCategory(
	ctx: Context,
	caller: Caller,
	input: AutomationCategoryInput,
): Promise<AutomationCategory> {
	return writeWithUniqueName(ctx, async (tx) => {
		await ctx.quotas.check(caller, "categories_max", tx);
		const row = { ...input, created_by_id: caller.userId, created_at: getNow(ctx) };
		const id = await insertTemplateCategory(tx, row);
		await ctx.events.changed(tx, caller, {
			...buildCategoryTarget(id),
			description: `${caller.username} made the automation category "${input.name}"`,
		});
		return showCategory(tx.db, caller, id);
	});
}

/** The category's templates stay, without one. */
export async function removeCategory(ctx: Context, caller: Caller, id: number): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const name = await removeTemplateCategory(tx, id);
		if (name === undefined) throw buildNotFoundError();
		await ctx.events.changed(tx, caller, {
			...buildCategoryTarget(id),
			description: `${caller.username} deleted the automation category "${name}"`,
		});
	});
}
