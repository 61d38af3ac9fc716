/** Favorite classes, column sets, and how users look at the tables of classes. */
import type {
	TablePreferenceInput,
	TablePreferenceList,
	TablePreferencePatch,
	TableTemplateInput,
	TableTemplateList,
	TableTemplatePatch,
} from "@weft/contracts";
import type { Caller, Identity } from "../../platform/caller.ts";
import { buildForbiddenError, buildRefusedError, invalidField, notFound } from "../../platform/errors.ts";
import { type Events, markUnchanged } from "../../platform/events.ts";
import { paginateRows } from "../../platform/http/paging.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Store, Tx } from "../../ports/store.ts";
import { flag } from "./domain/flags.ts";
import type { LoadedModel } from "./loaded.ts";
import { canEdit, mayShare } from "./policy.ts";
import { presentPreference, presentTemplate } from "./present.ts";
import type { PersonalTable, TemplateRow } from "./repo-personal.ts";
import {
	clearDefaultTemplate,
	findFavorite,
	findTablePreference,
	findTableTemplate,
	insertFavorite,
	insertTableTemplate,
	listFavoriteClasses,
	listTablePreferences,
	listTableTemplates,
	lockPersonalCount,
	lockTableTemplate,
	removeFavoriteRow,
	removeTablePreference,
	removeTableTemplate,
	updateTablePreference,
	updateTableTemplate,
	upsertTablePreference,
} from "./repo-personal.ts";

export interface PersonalDeps {
	readonly store: Store;
	readonly events: Pick<Events, "changed">;
	readonly clock: Pick<Clock, "now">;
	readonly ids: Pick<Ids, "uuid">;
	readonly loaded: Pick<LoadedModel, "current">;
}

/** Upper bounds of one user; a class has at most one favorite and one table preference. */
const PERSONAL_LIMITS = {
	model_favorites: { max: 1_000, noun: "favorite classes" },
	model_table_templates: { max: 500, noun: "column sets" },
	model_table_preferences: { max: 2_000, noun: "table settings" },
} as const;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function createPersonal({ store, events, clock, ids, loaded }: PersonalDeps) {
	const now = () => new Date(clock.now());

	/** A class that the loaded model has; without a model any. */
	async function assertKnown(name: string): Promise<void> {
		const current = await loaded.current();
		if (current === null) return;
		const id = current.model.find(name);
		if (id < 0 || !current.model.is(id, flag.published)) {
			throw invalidField("class_name", `The loaded model has no class ${name}.`);
		}
	}

	/** Locks the user. @throws 400 when they have more of a kind than allowed */
	async function assertWithinLimit(tx: Tx, userId: number, table: PersonalTable): Promise<void> {
		const { max, noun } = PERSONAL_LIMITS[table];
		if ((await lockPersonalCount(tx, table, userId)) <= max) return;
		throw buildRefusedError(`You have ${max} ${noun}, which is the limit. Delete what you no longer need.`);
	}

	async function ownTemplate(tx: Tx, caller: Identity, id: string): Promise<TemplateRow> {
		const row = await lockTableTemplate(tx, caller.userId, id);
		if (row === undefined) throw notFound();
		if (!canEdit(caller, row)) throw buildForbiddenError("Only administrators may change a shared column set.");
		return row;
	}

	const assertShareable = (caller: Identity, shared: boolean | undefined) => {
		if (shared === true && !mayShare(caller)) throw buildForbiddenError("Only administrators may share a column set.");
	};

	const about = ({ id }: { id: string }) => ({ targetType: "model_table_template", targetId: id });
	const shown = async (tx: Tx, caller: Identity, id: string) => {
		const row = await findTableTemplate(tx.db, caller.userId, id);
		if (row === undefined) throw notFound();
		return presentTemplate(row, caller);
	};

	async function changeTemplate(caller: Caller, id: string, input: TableTemplatePatch) {
		if (input.class_name !== undefined) await assertKnown(input.class_name);
		return store.transaction(async (tx) => {
			const before = await ownTemplate(tx, caller, id);
			assertShareable(caller, input.is_shared);
			const { columns, filters, sorting, ...plain } = input;
			const values = {
				...Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)),
				...(columns === undefined ? {} : { columns: JSON.stringify(columns) }),
				...(filters === undefined ? {} : { filters: JSON.stringify(filters) }),
				...(sorting === undefined ? {} : { sorting: JSON.stringify(sorting) }),
			};
			if (Object.keys(values).length === 0) {
				markUnchanged(caller);
				return shown(tx, caller, id);
			}
			const after = { ...before, ...plain };
			if (after.is_default) {
				const { owner_id, class_name, is_shared } = {
					...before,
					class_name: input.class_name ?? before.class_name,
					is_shared: input.is_shared ?? before.is_shared,
				};
				await clearDefaultTemplate(tx, { owner_id, class_name, is_shared });
				Object.assign(values, { is_default: true });
			}
			await updateTableTemplate(tx, id, { ...values, updated_at: now() });
			await events.changed(tx, caller, {
				...about(before),
				description: `Changed the column set ${before.name}`,
				metadata: { fields: Object.keys(values) },
			});
			return shown(tx, caller, id);
		});
	}

	return {
		favorites: (caller: Identity) => listFavoriteClasses(store.db, caller.userId),

		async addFavorite(caller: Caller, className: string) {
			await assertKnown(className);
			return store.transaction(async (tx) => {
				const row = { id: ids.uuid(), user_id: caller.userId, class_name: className, created_at: now() };
				if (!(await insertFavorite(tx, row))) {
					markUnchanged(caller);
					const known = await findFavorite(tx.db, caller.userId, className);
					return { made: false, favorite: known ?? { id: row.id, class_name: className } };
				}
				await assertWithinLimit(tx, caller.userId, "model_favorites");
				await events.changed(tx, caller, {
					targetType: "model_favorite",
					targetId: row.id,
					description: `Made ${className} a favorite`,
				});
				return { made: true, favorite: { id: row.id, class_name: className } };
			});
		},

		async removeFavorite(caller: Caller, idOrName: string): Promise<void> {
			const by = UUID.test(idOrName) ? { id: idOrName.toLowerCase() } : { className: idOrName.replace(":", "") };
			await store.transaction(async (tx) => {
				const className = await removeFavoriteRow(tx, caller.userId, by);
				if (className === undefined) throw notFound();
				await events.changed(tx, caller, {
					targetType: "model_favorite",
					targetId: idOrName,
					description: `${className} is a favorite no more`,
				});
			});
		},

		async templates(caller: Identity, filter: TableTemplateList, url: string) {
			const page = await listTableTemplates(store.db, caller.userId, filter);
			return paginateRows(url, filter, page, (row) => presentTemplate(row, caller));
		},

		async template(caller: Identity, id: string) {
			const row = await findTableTemplate(store.db, caller.userId, id);
			if (row === undefined) throw notFound();
			return presentTemplate(row, caller);
		},

		async createTemplate(caller: Caller, input: TableTemplateInput) {
			assertShareable(caller, input.is_shared);
			await assertKnown(input.class_name);
			return store.transaction(async (tx) => {
				const id = ids.uuid();
				const at = now();
				const { columns, filters, sorting, ...plain } = input;
				const row = { id, owner_id: caller.userId, ...plain, created_at: at, updated_at: at };
				if (row.is_default) await clearDefaultTemplate(tx, row);
				await insertTableTemplate(tx, {
					...row,
					columns: JSON.stringify(columns),
					filters: JSON.stringify(filters),
					sorting: JSON.stringify(sorting),
				});
				await assertWithinLimit(tx, caller.userId, "model_table_templates");
				await events.changed(tx, caller, { ...about({ id }), description: `Made the column set ${input.name}` });
				return shown(tx, caller, id);
			});
		},

		changeTemplate,

		async removeTemplate(caller: Caller, id: string): Promise<void> {
			await store.transaction(async (tx) => {
				const row = await ownTemplate(tx, caller, id);
				await removeTableTemplate(tx, id);
				await events.changed(tx, caller, { ...about(row), description: `Deleted the column set ${row.name}` });
			});
		},

		async preferences(caller: Identity, filter: TablePreferenceList, url: string) {
			return paginateRows(url, filter, await listTablePreferences(store.db, caller.userId, filter), presentPreference);
		},

		async preference(caller: Identity, id: string) {
			const row = await findTablePreference(store.db, caller.userId, id);
			if (row === undefined) throw notFound();
			return presentPreference(row);
		},

		async putPreference(caller: Caller, input: TablePreferenceInput) {
			await assertKnown(input.class_name);
			return store.transaction(async (tx) => {
				const at = now();
				const { row, made } = await upsertTablePreference(tx, {
					id: ids.uuid(),
					user_id: caller.userId,
					class_name: input.class_name,
					visible_columns: JSON.stringify(input.visible_columns),
					column_order: JSON.stringify(input.column_order),
					options: JSON.stringify(input.options),
					created_at: at,
					updated_at: at,
				});
				if (made) await assertWithinLimit(tx, caller.userId, "model_table_preferences");
				await events.changed(tx, caller, {
					targetType: "model_table_preference",
					targetId: row.id,
					description: `Set how the table of ${row.class_name} looks`,
				});
				return { made, preference: presentPreference(row) };
			});
		},

		async changePreference(caller: Caller, id: string, input: TablePreferencePatch) {
			return store.transaction(async (tx) => {
				const values = Object.fromEntries(
					Object.entries(input).flatMap(([field, value]) =>
						value === undefined ? [] : [[field, JSON.stringify(value)]],
					),
				);
				if (Object.keys(values).length === 0) {
					markUnchanged(caller);
					const row = await findTablePreference(tx.db, caller.userId, id);
					if (row === undefined) throw notFound();
					return presentPreference(row);
				}
				const row = await updateTablePreference(tx, caller.userId, id, { ...values, updated_at: now() });
				if (row === undefined) throw notFound();
				await events.changed(tx, caller, {
					targetType: "model_table_preference",
					targetId: row.id,
					description: `Changed how the table of ${row.class_name} looks`,
					metadata: { fields: Object.keys(values) },
				});
				return presentPreference(row);
			});
		},

		async removePreference(caller: Caller, id: string): Promise<void> {
			await store.transaction(async (tx) => {
				const className = await removeTablePreference(tx, caller.userId, id);
				if (className === undefined) throw notFound();
				await events.changed(tx, caller, {
					targetType: "model_table_preference",
					targetId: id,
					description: `Forgot how the table of ${className} looks`,
				});
			});
		},
	};
}
export type Personal = ReturnType<typeof createPersonal>;
