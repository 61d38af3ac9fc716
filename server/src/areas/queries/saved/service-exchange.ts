/** Export of queries as a document, and import of such a document query by query. */
import {
	categoryInput,
	driftRules,
	EXCHANGE_FORMAT,
	EXCHANGE_VERSION,
	type ExchangeDocument,
	exchangedQuery,
	type ImportAnswer,
	type ImportInput,
	SAVED_QUERY_LIMITS,
} from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { type Caller, isAllowed } from "../../../core/caller.ts";
import { AppError, type FieldErrors, invalidField } from "../../../core/errors.ts";
import { markUnchanged } from "../../../core/events.ts";
import { validationErrors } from "../../../core/http/input.ts";
import { brokenUnique, type Tx } from "../../../ports/store.ts";
import type { QueryRow } from "./repo.ts";
import { findOwnByName, listQueriesAfter, listVisibleIds } from "./repo.ts";
import { lockCategoryByName } from "./repo-categories.ts";
import { createQuery, isNameTaken, saveQuery } from "./service.ts";
import { insertCategory } from "./service-categories.ts";
import { checkContent } from "./service-content.ts";
import { freeCopyNames, requireVisibleQuery } from "./service-queries.ts";

type Entry = ExchangeDocument["queries"][number];
type Result = ImportAnswer["results"][number];

/** Queries per read; each may have a large canvas. */
const BATCH = 10;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";
/** Attempts to import a query whose name another request takes at the same time. */
const MAX_ATTEMPTS = 4;
const SHOWN_IDS = 10;

async function getEntry(ctx: Context, row: QueryRow): Promise<Entry> {
	const current = await requireVisibleQuery(ctx.store.db, row);
	return {
		name: row.name,
		description: row.description,
		category: row.category_name,
		tags_list: row.tags,
		is_public: row.is_public,
		is_template: row.is_template,
		enable_time_machine: row.enable_time_machine,
		drift_rules: driftRules.parse(row.drift_rules),
		flow_data: current.flow_data as Entry["flow_data"],
		post_processors: current.post_processors,
		variables: current.variables,
	};
}

async function* getDocument(ctx: Context, caller: Caller, ids: readonly string[] | null): AsyncGenerator<string, void> {
	yield `{"format":${JSON.stringify(EXCHANGE_FORMAT)},"version":${EXCHANGE_VERSION},"queries":[`;
	let last = FIRST_ID;
	for (let separator = ""; ; ) {
		const rows = await listQueriesAfter(ctx.store.db, caller, ids, last, BATCH);
		for (const row of rows) {
			yield separator + JSON.stringify(await getEntry(ctx, row));
			separator = ",";
			last = row.id;
		}
		if (rows.length < BATCH) break;
	}
	yield "]}";
}

async function categoryId(ctx: Context, tx: Tx, caller: Caller, name: string | null): Promise<number | null> {
	if (name === null) return null;
	const known = await lockCategoryByName(tx, name);
	if (known !== undefined) return known;
	if (!isAllowed(caller, "add_querycategory")) {
		throw invalidField("category", `There is no category ${name}, and you may not create one.`);
	}
	return insertCategory(ctx, tx, caller, categoryInput.parse({ name }));
}

/** Imports one query, and its category where that is new. */
async function importQuery(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	entry: Entry,
	onConflict: ImportInput["on_conflict"],
): Promise<Omit<Result, "index">> {
	const own = await findOwnByName(tx, caller.userId, entry.name);
	if (own !== undefined && onConflict === "skip") return { name: entry.name, status: "skipped", id: own };
	const input = { ...entry, category: await categoryId(ctx, tx, caller, entry.category) };
	if (own === undefined) {
		const { id, name } = await createQuery(ctx, tx, caller, { ...input, shared_with: [] });
		return { name, status: "created", id };
	}
	if (onConflict === "replace") {
		const { id, name } = await saveQuery(ctx, tx, caller, own, input);
		return { name, status: "replaced", id };
	}
	const [name = entry.name] = await freeCopyNames(tx, caller, entry.name);
	const { id } = await createQuery(ctx, tx, caller, { ...input, name, shared_with: [] });
	return { name, status: "renamed", id };
}

async function importEntry(
	ctx: Context,
	caller: Caller,
	raw: unknown,
	onConflict: ImportInput["on_conflict"],
): Promise<Omit<Result, "index">> {
	const parsed = exchangedQuery.safeParse(raw);
	if (!parsed.success) {
		return { name: getName(raw), status: "invalid", errors: validationErrors(parsed.error, "body") };
	}
	for (let attempt = 1; ; attempt++) {
		try {
			checkContent(parsed.data);
			return await ctx.store.transaction((tx) => importQuery(ctx, tx, caller, parsed.data, onConflict));
		} catch (error) {
			const again = isNameTaken(error) || brokenUnique(error) === "query_categories_name";
			if (again && attempt < MAX_ATTEMPTS) continue;
			if (!(error instanceof AppError) || error.status >= 500) throw error;
			return { name: parsed.data.name, status: "invalid", errors: getErrors(error) };
		}
	}
}

/** 400 under `ids` for queries that the caller may not see. */
export async function exportQueries(
	ctx: Context,
	caller: Caller,
	ids: readonly string[] | undefined,
): Promise<AsyncGenerator<string, void>> {
	const wanted = ids === undefined || ids.length === 0 ? null : ids;
	const visible = new Set(wanted ? await listVisibleIds(ctx.store.db, caller, wanted) : []);
	const unknown = (wanted ?? []).filter((id) => !visible.has(id));
	if (unknown.length > 0) {
		throw invalidField("ids", `There is no query with the id ${unknown.slice(0, SHOWN_IDS).join(", ")}.`);
	}
	return getDocument(ctx, caller, wanted);
}

export async function importQueries(
	ctx: Context,
	caller: Caller,
	{ document, on_conflict }: ImportInput,
): Promise<ImportAnswer> {
	const results: Result[] = [];
	// One after another: two queries of one name in a document conflict like any others.
	for (const [index, raw] of document.queries.entries()) {
		results.push({ index, ...(await importEntry(ctx, caller, raw, on_conflict)) });
	}
	if (results.every(({ status }) => status === "skipped" || status === "invalid")) markUnchanged(caller);
	return { results };
}

function getName(raw: unknown): string | null {
	const name = typeof raw === "object" && raw !== null && "name" in raw ? raw.name : null;
	return typeof name === "string" ? name.slice(0, SAVED_QUERY_LIMITS.name) : null;
}

function getErrors({ body }: AppError): Record<string, unknown[]> {
	return "detail" in body ? { non_field_errors: [body.detail] } : (body as FieldErrors);
}
