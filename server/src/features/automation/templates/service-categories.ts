/** Categories of automation templates: a flat vocabulary that all users share. */
import type {
	AutomationCategory,
	AutomationCategoryInput,
	AutomationCategoryList,
	AutomationCategoryPatch,
} from "@weft/contracts";
import type { Caller, Identity } from "../../../platform/caller.ts";
import { invalidField, notFound } from "../../../platform/errors.ts";
import { type Events, markUnchanged } from "../../../platform/events.ts";
import { paginateRows } from "../../../platform/http/paging.ts";
import type { Quotas } from "../../../platform/quotas.ts";
import type { Clock } from "../../../ports/clock.ts";
import { brokenUnique, type Db, type Store, type Tx } from "../../../ports/store.ts";
import { presentCategory } from "./present.ts";
import {
	CATEGORY_NAME,
	findTemplateCategory,
	insertTemplateCategory,
	listTemplateCategories,
	removeTemplateCategory,
	updateTemplateCategory,
} from "./repo-categories.ts";

export interface CategoriesDeps {
	readonly store: Store;
	readonly events: Pick<Events, "changed">;
	readonly clock: Pick<Clock, "now">;
	readonly quotas: Pick<Quotas, "check">;
}

const buildCategoryTarget = (id: number) => ({ targetType: "automation_category", targetId: id });

export function createCategories({ store, events, clock, quotas }: CategoriesDeps) {
	async function readCategory(db: Db, caller: Identity, id: number): Promise<AutomationCategory> {
		const row = await findTemplateCategory(db, caller, id);
		if (row === undefined) throw notFound();
		return presentCategory(row);
	}

	async function writeWithUniqueName<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
		return store.transaction(work).catch((error: unknown) => {
			if (brokenUnique(error) !== CATEGORY_NAME) throw error;
			throw invalidField("name", "Another category has this name.");
		});
	}

	async function updateCategory(
		caller: Caller,
		id: number,
		input: AutomationCategoryPatch,
	): Promise<AutomationCategory> {
		const values = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
		return writeWithUniqueName(async (tx) => {
			if (Object.keys(values).length === 0) {
				markUnchanged(caller);
				return readCategory(tx.db, caller, id);
			}
			if (!(await updateTemplateCategory(tx, id, values))) throw notFound();
			const shown = await readCategory(tx.db, caller, id);
			await events.changed(tx, caller, {
				...buildCategoryTarget(id),
				description: `${caller.username} changed the automation category "${shown.name}"`,
				metadata: { fields: Object.keys(values) },
			});
			return shown;
		});
	}

	return {
		async list(caller: Identity, filter: AutomationCategoryList, url: string) {
			return paginateRows(url, filter, await listTemplateCategories(store.db, caller, filter), presentCategory);
		},
		detail: (caller: Identity, id: number) => readCategory(store.db, caller, id),
		async create(caller: Caller, input: AutomationCategoryInput): Promise<AutomationCategory> {
			return writeWithUniqueName(async (tx) => {
				await quotas.check(caller, "categories_max", tx);
				const row = { ...input, created_by_id: caller.userId, created_at: new Date(clock.now()) };
				const id = await insertTemplateCategory(tx, row);
				await events.changed(tx, caller, {
					...buildCategoryTarget(id),
					description: `${caller.username} made the automation category "${input.name}"`,
				});
				return readCategory(tx.db, caller, id);
			});
		},
		update: updateCategory,
		/** The category's templates stay, without one. */
		async remove(caller: Caller, id: number): Promise<void> {
			await store.transaction(async (tx) => {
				const name = await removeTemplateCategory(tx, id);
				if (name === undefined) throw notFound();
				await events.changed(tx, caller, {
					...buildCategoryTarget(id),
					description: `${caller.username} deleted the automation category "${name}"`,
				});
			});
		},
	};
}
export type Categories = ReturnType<typeof createCategories>;
