/** Query categories: a vocabulary that all users share. */
import type { categoryInput, categoryList, categoryPatch } from "@weft/contracts";
import type * as z from "zod";
import type { Caller, Identity } from "../../platform/caller.ts";
import { invalidField, notFound } from "../../platform/errors.ts";
import { type Events, unchanged } from "../../platform/events.ts";
import { paginate } from "../../platform/http/paging.ts";
import type { Clock } from "../../ports/clock.ts";
import { brokenUnique, type Db, type Store, type Tx } from "../../ports/store.ts";
import { presentCategory } from "./present.ts";
import type { CategoriesRepo } from "./repo-categories.ts";

export interface CategoriesDeps {
	readonly store: Store;
	readonly categories: CategoriesRepo;
	readonly events: Pick<Events, "changed">;
	readonly clock: Pick<Clock, "now">;
}

export function createCategories({ store, categories, events, clock }: CategoriesDeps) {
	async function detail(db: Db, caller: Identity, id: number) {
		const row = await categories.find(db, caller, id);
		if (row === undefined) throw gone();
		return presentCategory(row);
	}

	/** A name that is taken is the caller's mistake. */
	async function inTransaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
		try {
			return await store.transaction(work);
		} catch (error) {
			if (brokenUnique(error) !== "query_categories_name") throw error;
			throw invalidField("name", "Another category has this name.");
		}
	}

	async function add(tx: Tx, caller: Caller, input: z.output<typeof categoryInput>): Promise<number> {
		const id = await categories.insert(tx, { ...input, created_at: new Date(clock.now()) });
		await events.changed(tx, caller, {
			targetType: "query_category",
			targetId: id,
			description: `Made the query category ${input.name}`,
		});
		return id;
	}

	return {
		async list(caller: Caller, filter: z.output<typeof categoryList>, url: string) {
			return paginate(url, filter, await categories.list(store.db, caller, filter), presentCategory);
		},

		detail: (caller: Caller, id: number) => detail(store.db, caller, id),

		/** Within a transaction of somebody else's. Rejects on a taken name (unique violation). */
		add,

		async create(caller: Caller, input: z.output<typeof categoryInput>) {
			return inTransaction(async (tx) => detail(tx.db, caller, await add(tx, caller, input)));
		},

		async update(caller: Caller, id: number, input: z.output<typeof categoryPatch>) {
			const { name, description, color, icon } = input;
			const values = {
				...(name === undefined ? {} : { name }),
				...(description === undefined ? {} : { description }),
				...(color === undefined ? {} : { color }),
				...(icon === undefined ? {} : { icon }),
			};
			return inTransaction(async (tx) => {
				if (Object.keys(values).length === 0) {
					unchanged(caller);
					return detail(tx.db, caller, id);
				}
				if (!(await categories.update(tx, id, values))) throw gone();
				const category = await detail(tx.db, caller, id);
				await events.changed(tx, caller, {
					targetType: "query_category",
					targetId: id,
					description: `Changed the query category ${category.name}`,
					metadata: { fields: Object.keys(values) },
				});
				return category;
			});
		},

		/** The category's queries stay, without one. */
		async remove(caller: Caller, id: number): Promise<void> {
			await store.transaction(async (tx) => {
				const name = await categories.remove(tx, id);
				if (name === undefined) throw gone();
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

const gone = () => notFound("There is no such category.");
