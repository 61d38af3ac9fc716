/** Favorite classes, column sets, and how users look at the tables of classes. */
import type {
	TablePreferenceInput,
	TablePreferenceList,
	TablePreferencePatch,
	TableTemplateInput,
	TableTemplateList,
	TableTemplatePatch,
} from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import type { Caller, Identity } from "../../core/caller.ts";
import { buildFieldError, buildForbiddenError, buildNotFoundError, buildRefusedError } from "../../core/errors.ts";
import { markUnchanged } from "../../core/events.ts";
import { paginateRows } from "../../core/http/paging.ts";
import type { Db, Tx } from "../../core/ports/store.ts";
import { canEdit, mayShare } from "./policy.ts";
import { presentPreference, presentTemplate } from "./present.ts";
import { flag } from "./rules/flags.ts";
import type { PersonalTable, TemplateRow } from "./sql/personal.ts";
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
} from "./sql/personal.ts";

/** Upper bounds of one user; a class has at most one favorite and one table preference. */
const PERSONAL_LIMITS = {
	model_favorites: { max: 1_000, noun: "favorite classes" },
	model_table_templates: { max: 500, noun: "column sets" },
	model_table_preferences: { max: 2_000, noun: "table settings" },
} as const;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A class that the loaded model has; without a model any. */
async function assertKnownClass(ctx: Context, name: string): Promise<void> {
	const current = await ctx.areas.model.loaded.current();
	if (current === null) return;
	const id = current.model.find(name);
	if (id < 0 || !current.model.is(id, flag.published)) {
		throw buildFieldError("class_name", `The loaded model has no class ${name}.`);
	}
}

/** Locks the user. @throws 400 when they have more of a kind than allowed */
async function assertWithinLimit(tx: Tx, userId: number, table: PersonalTable): Promise<void> {
	const { max, noun } = PERSONAL_LIMITS[table];
	if ((await lockPersonalCount(tx, table, userId)) <= max) return;
	throw buildRefusedError(`You have ${max} ${noun}, which is the limit. Delete what you no longer need.`);
}

/** Locks the column set. @throws 404 if the caller does not see it, 403 for one of others */
async function lockOwnTemplate(tx: Tx, caller: Identity, id: string): Promise<TemplateRow> {
	const row = await lockTableTemplate(tx, caller.userId, id);
	if (row === undefined) throw buildNotFoundError();
	if (!canEdit(caller, row)) throw buildForbiddenError("Only administrators may change a shared column set.");
	return row;
}

function assertShareable(caller: Identity, shared: boolean | undefined): void {
	if (shared === true && !mayShare(caller)) throw buildForbiddenError("Only administrators may share a column set.");
}

const buildTemplateTarget = ({ id }: { id: string }) => ({ targetType: "model_table_template", targetId: id });

/** @throws 404 */
async function showTemplate(db: Db, caller: Identity, id: string) {
	const row = await findTableTemplate(db, caller.userId, id);
	if (row === undefined) throw buildNotFoundError();
	return presentTemplate(row, caller);
}

/** Writes only the given fields. */
export async function changeColumnSet(ctx: Context, caller: Caller, id: string, input: TableTemplatePatch) {
	if (input.class_name !== undefined) await assertKnownClass(ctx, input.class_name);
	return ctx.store.transaction(async (tx) => {
		const before = await lockOwnTemplate(tx, caller, id);
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
			return showTemplate(tx.db, caller, id);
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
		await updateTableTemplate(tx, id, { ...values, updated_at: getNow(ctx) });
		await ctx.events.changed(tx, caller, {
			...buildTemplateTarget(before),
			description: `Changed the column set ${before.name}`,
			metadata: { fields: Object.keys(values) },
		});
		return showTemplate(tx.db, caller, id);
	});
}

export const listFavorites = (ctx: Context, caller: Identity): Promise<string[]> =>
	listFavoriteClasses(ctx.store.db, caller.userId);

export async function addFavorite(ctx: Context, caller: Caller, className: string) {
	await assertKnownClass(ctx, className);
	return ctx.store.transaction(async (tx) => {
		const row = { id: ctx.ids.uuid(), user_id: caller.userId, class_name: className, created_at: getNow(ctx) };
		if (!(await insertFavorite(tx, row))) {
			markUnchanged(caller);
			const known = await findFavorite(tx.db, caller.userId, className);
			return { made: false, favorite: known ?? { id: row.id, class_name: className } };
		}
		await assertWithinLimit(tx, caller.userId, "model_favorites");
		await ctx.events.changed(tx, caller, {
			targetType: "model_favorite",
			targetId: row.id,
			description: `Made ${className} a favorite`,
		});
		return { made: true, favorite: { id: row.id, class_name: className } };
	});
}

export async function removeFavorite(ctx: Context, caller: Caller, idOrName: string): Promise<void> {
	const by = UUID.test(idOrName) ? { id: idOrName.toLowerCase() } : { className: idOrName.replace(":", "") };
	await ctx.store.transaction(async (tx) => {
		const className = await removeFavoriteRow(tx, caller.userId, by);
		if (className === undefined) throw buildNotFoundError();
		await ctx.events.changed(tx, caller, {
			targetType: "model_favorite",
			targetId: idOrName,
			description: `${className} is a favorite no more`,
		});
	});
}

export async function listColumnSets(ctx: Context, caller: Identity, filter: TableTemplateList, url: string) {
	const page = await listTableTemplates(ctx.store.db, caller.userId, filter);
	return paginateRows(url, filter, page, (row) => presentTemplate(row, caller));
}

export const readColumnSet = (ctx: Context, caller: Identity, id: string) => showTemplate(ctx.store.db, caller, id);

export async function createColumnSet(ctx: Context, caller: Caller, input: TableTemplateInput) {
	assertShareable(caller, input.is_shared);
	await assertKnownClass(ctx, input.class_name);
	return ctx.store.transaction(async (tx) => {
		const id = ctx.ids.uuid();
		const at = getNow(ctx);
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
		await ctx.events.changed(tx, caller, {
			...buildTemplateTarget({ id }),
			description: `Made the column set ${input.name}`,
		});
		return showTemplate(tx.db, caller, id);
	});
}

export async function removeColumnSet(ctx: Context, caller: Caller, id: string): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const row = await lockOwnTemplate(tx, caller, id);
		await removeTableTemplate(tx, id);
		await ctx.events.changed(tx, caller, {
			...buildTemplateTarget(row),
			description: `Deleted the column set ${row.name}`,
		});
	});
}

export async function listPreferences(ctx: Context, caller: Identity, filter: TablePreferenceList, url: string) {
	return paginateRows(url, filter, await listTablePreferences(ctx.store.db, caller.userId, filter), presentPreference);
}

export async function readPreference(ctx: Context, caller: Identity, id: string) {
	const row = await findTablePreference(ctx.store.db, caller.userId, id);
	if (row === undefined) throw buildNotFoundError();
	return presentPreference(row);
}

export async function putPreference(ctx: Context, caller: Caller, input: TablePreferenceInput) {
	await assertKnownClass(ctx, input.class_name);
	return ctx.store.transaction(async (tx) => {
		const at = getNow(ctx);
		const { row, made } = await upsertTablePreference(tx, {
			id: ctx.ids.uuid(),
			user_id: caller.userId,
			class_name: input.class_name,
			visible_columns: JSON.stringify(input.visible_columns),
			column_order: JSON.stringify(input.column_order),
			options: JSON.stringify(input.options),
			created_at: at,
			updated_at: at,
		});
		if (made) await assertWithinLimit(tx, caller.userId, "model_table_preferences");
		await ctx.events.changed(tx, caller, {
			targetType: "model_table_preference",
			targetId: row.id,
			description: `Set how the table of ${row.class_name} looks`,
		});
		return { made, preference: presentPreference(row) };
	});
}

export async function changePreference(ctx: Context, caller: Caller, id: string, input: TablePreferencePatch) {
	return ctx.store.transaction(async (tx) => {
		const values = Object.fromEntries(
			Object.entries(input).flatMap(([field, value]) => (value === undefined ? [] : [[field, JSON.stringify(value)]])),
		);
		if (Object.keys(values).length === 0) {
			markUnchanged(caller);
			const row = await findTablePreference(tx.db, caller.userId, id);
			if (row === undefined) throw buildNotFoundError();
			return presentPreference(row);
		}
		const row = await updateTablePreference(tx, caller.userId, id, { ...values, updated_at: getNow(ctx) });
		if (row === undefined) throw buildNotFoundError();
		await ctx.events.changed(tx, caller, {
			targetType: "model_table_preference",
			targetId: row.id,
			description: `Changed how the table of ${row.class_name} looks`,
			metadata: { fields: Object.keys(values) },
		});
		return presentPreference(row);
	});
}

export async function removePreference(ctx: Context, caller: Caller, id: string): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const className = await removeTablePreference(tx, caller.userId, id);
		if (className === undefined) throw buildNotFoundError();
		await ctx.events.changed(tx, caller, {
			targetType: "model_table_preference",
			targetId: id,
			description: `Forgot how the table of ${className} looks`,
		});
	});
}
