/** Queries as a document: written for another installation, and taken from one, each by itself. */
import {
	categoryInput,
	EXCHANGE_FORMAT,
	EXCHANGE_VERSION,
	type ExchangeDocument,
	exchangedQuery,
	type ImportAnswer,
	type ImportInput,
	SAVED_QUERY_LIMITS,
} from "@weft/contracts";
import { type Caller, isAllowed } from "../../platform/caller.ts";
import { AppError, type FieldErrors, invalidField } from "../../platform/errors.ts";
import { unchanged } from "../../platform/events.ts";
import { validationErrors } from "../../platform/http/input.ts";
import { brokenUnique, type Tx } from "../../ports/store.ts";
import { copyBeginning, copyNames } from "./domain/copy-name.ts";
import type { QueryRow } from "./repo.ts";
import type { CategoriesRepo } from "./repo-categories.ts";
import { isNameTaken, type SavedQueries, type SavedQueriesDeps } from "./service.ts";
import type { Categories } from "./service-categories.ts";
import { readContent } from "./service-content.ts";

export interface ExchangeDeps extends Pick<SavedQueriesDeps, "store" | "repo" | "queries"> {
	readonly saved: Pick<SavedQueries, "within">;
	readonly categories: Pick<Categories, "add">;
	readonly categoriesRepo: Pick<CategoriesRepo, "named">;
}

type Entry = ExchangeDocument["queries"][number];
type Result = ImportAnswer["results"][number];

/** Queries that are read together; each may have a large canvas. */
const BATCH = 10;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";
/** Tries to get a name that others are taking at the same time. */
const TRIES = 4;
const SHOWN_IDS = 10;

export function createExchange({ store, repo, queries, saved, categories, categoriesRepo }: ExchangeDeps) {
	async function entryOf(row: QueryRow): Promise<Entry> {
		const current = await queries.current(store.db, row);
		return {
			name: row.name,
			description: row.description,
			category: row.category_name,
			tags_list: row.tags,
			is_public: row.is_public,
			is_template: row.is_template,
			enable_time_machine: row.enable_time_machine,
			flow_data: current.flow_data as Entry["flow_data"],
			post_processors: current.post_processors,
			variables: current.variables,
		};
	}

	async function* pieces(caller: Caller, ids: readonly string[] | null): AsyncGenerator<string, void> {
		yield `{"format":${JSON.stringify(EXCHANGE_FORMAT)},"version":${EXCHANGE_VERSION},"queries":[`;
		let last = FIRST_ID;
		for (let separator = ""; ; ) {
			const rows = await repo.after(store.db, caller, ids, last, BATCH);
			for (const row of rows) {
				yield separator + JSON.stringify(await entryOf(row));
				separator = ",";
				last = row.id;
			}
			if (rows.length < BATCH) break;
		}
		yield "]}";
	}

	async function categoryId(tx: Tx, caller: Caller, name: string | null): Promise<number | null> {
		if (name === null) return null;
		const known = await categoriesRepo.named(tx, name);
		if (known !== undefined) return known;
		if (!isAllowed(caller, "add_querycategory")) {
			throw invalidField("category", `There is no category ${name}, and you may not make one.`);
		}
		return categories.add(tx, caller, categoryInput.parse({ name }));
	}

	/** One query, with its category where that is new: all of it or nothing. */
	async function take(
		tx: Tx,
		caller: Caller,
		entry: Entry,
		onConflict: ImportInput["on_conflict"],
	): Promise<Omit<Result, "index">> {
		const own = await repo.ownNamed(tx, caller.userId, entry.name);
		if (own !== undefined && onConflict === "skip") return { name: entry.name, status: "skipped", id: own };
		const input = { ...entry, category: await categoryId(tx, caller, entry.category) };
		if (own === undefined) {
			const { id, name } = await saved.within.create(tx, caller, { ...input, shared_with: [] });
			return { name, status: "created", id };
		}
		if (onConflict === "replace") {
			const { id, name } = await saved.within.save(tx, caller, own, input);
			return { name, status: "replaced", id };
		}
		const max = SAVED_QUERY_LIMITS.name;
		const taken = new Set(await repo.namesLike(tx, caller.userId, copyBeginning(entry.name, max)));
		for (const name of copyNames(entry.name, max)) {
			if (taken.has(name)) continue;
			const { id } = await saved.within.create(tx, caller, { ...input, name, shared_with: [] });
			return { name, status: "renamed", id };
		}
		throw new Error("there is always another name");
	}

	async function takeOne(
		caller: Caller,
		raw: unknown,
		onConflict: ImportInput["on_conflict"],
	): Promise<Omit<Result, "index">> {
		const parsed = exchangedQuery.safeParse(raw);
		if (!parsed.success)
			return { name: nameOf(raw), status: "invalid", errors: validationErrors(parsed.error, "body") };
		for (let tries = 1; ; tries++) {
			try {
				readContent(parsed.data);
				return await store.transaction((tx) => take(tx, caller, parsed.data, onConflict));
			} catch (error) {
				const again = isNameTaken(error) || brokenUnique(error) === "query_categories_name";
				if (again && tries < TRIES) continue;
				if (!(error instanceof AppError) || error.status >= 500) throw error;
				return { name: parsed.data.name, status: "invalid", errors: errorsOf(error) };
			}
		}
	}

	return {
		/** 400 under `ids` for those that the caller does not see. */
		async export(caller: Caller, ids: readonly string[] | undefined): Promise<AsyncGenerator<string, void>> {
			const wanted = ids === undefined || ids.length === 0 ? null : ids;
			const seen = new Set(wanted ? await repo.visibleIds(store.db, caller, wanted) : []);
			const unseen = (wanted ?? []).filter((id) => !seen.has(id));
			if (unseen.length > 0) {
				throw invalidField("ids", `There is no query with the id ${unseen.slice(0, SHOWN_IDS).join(", ")}.`);
			}
			return pieces(caller, wanted);
		},

		async import(caller: Caller, { document, on_conflict }: ImportInput): Promise<ImportAnswer> {
			const results: Result[] = [];
			// In turn: two of the same name in one document are a conflict like any other.
			for (const [index, raw] of document.queries.entries()) {
				results.push({ index, ...(await takeOne(caller, raw, on_conflict)) });
			}
			if (results.every(({ status }) => status === "skipped" || status === "invalid")) unchanged(caller);
			return { results };
		},
	};
}
export type Exchange = ReturnType<typeof createExchange>;

function nameOf(raw: unknown): string | null {
	const name = typeof raw === "object" && raw !== null && "name" in raw ? raw.name : null;
	return typeof name === "string" ? name.slice(0, SAVED_QUERY_LIMITS.name) : null;
}

function errorsOf({ body }: AppError): Record<string, unknown[]> {
	return "detail" in body ? { non_field_errors: [body.detail] } : (body as FieldErrors);
}
