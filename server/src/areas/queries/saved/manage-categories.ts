/** Query categories, which all users share. */
import type { categoryInput, categoryList, categoryPatch } from "@weft/contracts";
import type * as z from "zod";
import type { Context } from "../../../context.ts";
import type { Caller, Identity } from "../../../core/caller.ts";
import { buildFieldError, buildNotFoundError } from "../../../core/errors.ts";
import { markUnchanged } from "../../../core/events.ts";
import { paginateRows } from "../../../core/http/paging.ts";
import { type Db, findBrokenUnique, type Tx } from "../../../core/ports/store.ts";
import { pickGivenFields } from "./add-queries.ts";
import { presentCategory } from "./present.ts";
import {
	findQueryCategory,
	insertQueryCategory,
	listQueryCategories,
	removeQueryCategory,
	updateQueryCategory,
} from "./sql/categories.ts";

async function readCategory(db: Db, caller: Identity, id: number) {
	const row = await findQueryCategory(db, caller, id);
	if (row === undefined) throw buildCategoryNotFound();
	return presentCategory(row);
}

/** 400 for a name that another category has. */
async function runInTransaction<T>(ctx: Context, work: (tx: Tx) => Promise<T>): Promise<T> {
	try {
		return await ctx.store.transaction(work);
	} catch (error) {
		if (findBrokenUnique(error) !== "query_categories_name") throw error;
		throw buildFieldError("name", "Another category has this name.");
	}
}

export async function insertCategory(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	input: z.output<typeof categoryInput>,
): Promise<number> {
	await ctx.quotas.check(caller, "categories_max", tx);
	const row = { ...input, created_by_id: caller.userId, created_at: new Date(ctx.clock.now()) };
	const id = await insertQueryCategory(tx, row);
	await ctx.events.changed(tx, caller, {
		targetType: "query_category",
		targetId: id,
		description: `Created the query category ${input.name}`,
	});
	return id;
}

export async function listCategories(ctx: Context, caller: Caller, filter: z.output<typeof categoryList>, url: string) {
	return paginateRows(url, filter, await listQueryCategories(ctx.store.db, caller, filter), presentCategory);
}

export const readVisibleCategory = (ctx: Context, caller: Caller, id: number) => readCategory(ctx.store.db, caller, id);

export async function createCategory(ctx: Context, caller: Caller, input: z.output<typeof categoryInput>) {
	return runInTransaction(ctx, async (tx) => readCategory(tx.db, caller, await insertCategory(ctx, tx, caller, input)));
}

export async function updateCategory(ctx: Context, caller: Caller, id: number, input: z.output<typeof categoryPatch>) {
	const { name, description, color, icon } = input;
	const fields = pickGivenFields({ name, description, color, icon });
	return runInTransaction(ctx, async (tx) => {
		if (fields.length === 0) {
			markUnchanged(caller);
			return readCategory(tx.db, caller, id);
		}
		if (!(await updateQueryCategory(tx, id, { name, description, color, icon }))) throw buildCategoryNotFound();
		const category = await readCategory(tx.db, caller, id);
		await ctx.events.changed(tx, caller, {
			targetType: "query_category",
			targetId: id,
			description: `Changed the query category ${category.name}`,
			metadata: { fields },
		});
		return category;
	});
}

/** The queries of the category stay, without a category. */
export async function removeCategory(ctx: Context, caller: Caller, id: number): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const name = await removeQueryCategory(tx, id);
		if (name === undefined) throw buildCategoryNotFound();
		await ctx.events.changed(tx, caller, {
			targetType: "query_category",
			targetId: id,
			description: `Deleted the query category ${name}`,
		});
	});
}

const buildCategoryNotFound = () => buildNotFoundError("There is no such category.");
