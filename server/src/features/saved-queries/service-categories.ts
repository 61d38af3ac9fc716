/** Query categories, which all users share. */
import type { categoryInput, categoryList, categoryPatch } from "@weft/contracts";
import type * as z from "zod";
import type { Caller, Identity } from "../../platform/caller.ts";
import { invalidField, notFound } from "../../platform/errors.ts";
import { type Events, markUnchanged } from "../../platform/events.ts";
import { paginateRows } from "../../platform/http/paging.ts";
import type { Quotas } from "../../platform/quotas.ts";
import type { Clock } from "../../ports/clock.ts";
import { brokenUnique, type Db, type Store, type Tx } from "../../ports/store.ts";
import { presentCategory } from "./present.ts";
import {
	findQueryCategory,
	insertQueryCategory,
	listQueryCategories,
	removeQueryCategory,
	updateQueryCategory,
} from "./repo-categories.ts";

import { givenFields } from "./service-queries.ts";

export interface CategoriesDeps {
	readonly store: Store;
	readonly events: Pick<Events, "changed">;
	readonly clock: Pick<Clock, "now">;
	readonly quotas: Pick<Quotas, "check">;
}

export function createCategories({ store, events, clock, quotas }: CategoriesDeps) {
	async function readCategory(db: Db, caller: Identity, id: number) {
		const row = await findQueryCategory(db, caller, id);
		if (row === undefined) throw buildCategoryNotFound();
		return presentCategory(row);
	}

	/** 400 for a name that another category has. */
	async function inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
		try {
			return await store.transaction(work);
		} catch (error) {
			if (brokenUnique(error) !== "query_categories_name") throw error;
			throw invalidField("name", "Another category has this name.");
		}
	}

	async function insertCategory(tx: Tx, caller: Caller, input: z.output<typeof categoryInput>): Promise<number> {
		await quotas.check(caller, "categories_max", tx);
		const row = { ...input, created_by_id: caller.userId, created_at: new Date(clock.now()) };
		const id = await insertQueryCategory(tx, row);
		await events.changed(tx, caller, {
			targetType: "query_category",
			targetId: id,
			description: `Created the query category ${input.name}`,
		});
		return id;
	}

	return {
		async list(caller: Caller, filter: z.output<typeof categoryList>, url: string) {
			return paginateRows(url, filter, await listQueryCategories(store.db, caller, filter), presentCategory);
		},

		detail: (caller: Caller, id: number) => readCategory(store.db, caller, id),

		/** Within the caller's transaction. Rejects on a taken name (unique violation). */
		add: insertCategory,

		async create(caller: Caller, input: z.output<typeof categoryInput>) {
			return inTransaction(async (tx) => readCategory(tx.db, caller, await insertCategory(tx, caller, input)));
		},

		async update(caller: Caller, id: number, input: z.output<typeof categoryPatch>) {
			const { name, description, color, icon } = input;
			const fields = givenFields({ name, description, color, icon });
			return inTransaction(async (tx) => {
				if (fields.length === 0) {
					markUnchanged(caller);
					return readCategory(tx.db, caller, id);
				}
				if (!(await updateQueryCategory(tx, id, { name, description, color, icon }))) throw buildCategoryNotFound();
				const category = await readCategory(tx.db, caller, id);
				await events.changed(tx, caller, {
					targetType: "query_category",
					targetId: id,
					description: `Changed the query category ${category.name}`,
					metadata: { fields },
				});
				return category;
			});
		},

		/** The queries of the category stay, without a category. */
		async remove(caller: Caller, id: number): Promise<void> {
			await store.transaction(async (tx) => {
				const name = await removeQueryCategory(tx, id);
				if (name === undefined) throw buildCategoryNotFound();
				await events.changed(tx, caller, {
					targetType: "query_category",
					targetId: id,
					description: `Deleted the query category ${name}`,
				});
			});
		},
	};
}

export type Categories = ReturnType<typeof createCategories>;

const buildCategoryNotFound = () => notFound("There is no such category.");
