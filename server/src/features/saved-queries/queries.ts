/** What every use case of saved queries begins or ends with: finding one the caller may see, holding it, adding one, showing it. */
import type { SavedQuery, SavedQueryInput } from "@weft/contracts";
import type { Caller, Identity } from "../../platform/caller.ts";
import { forbidden, notFound } from "../../platform/errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Db, Tx } from "../../ports/store.ts";
import { FIRST_VERSION, type Version } from "./domain/versioning.ts";
import { canEdit } from "./policy.ts";
import { presentDetail } from "./present.ts";
import type { FoundQuery, QueryRow, SavedQueriesRepo } from "./repo.ts";
import type { VersionRow, VersionsRepo } from "./repo-versions.ts";
import type { stored } from "./service-content.ts";

export interface QueriesDeps {
	readonly repo: SavedQueriesRepo;
	readonly versions: VersionsRepo;
	readonly clock: Pick<Clock, "now">;
}

/** A query to be added: its fields and its first version. */
export interface NewQuery {
	readonly id: string;
	readonly fields: Omit<SavedQueryInput, "flow_data" | "post_processors" | "variables" | "shared_with">;
	readonly content: ReturnType<typeof stored>;
	readonly changes: string[];
}

export const versionOf = (row: QueryRow): Version => ({ major: row.major_version, minor: row.minor_version });

export function createQueries({ repo, versions, clock }: QueriesDeps) {
	/** 404 where the caller may not see it. */
	async function visible(db: Db, identity: Identity, id: string): Promise<FoundQuery> {
		const row = await repo.find(db, identity, id);
		if (row === undefined) throw notFound("There is no such query.");
		return row;
	}

	async function version(db: Db, id: string, wanted: Version): Promise<VersionRow> {
		const row = await versions.find(db, id, wanted);
		if (row === undefined) throw notFound("The query has no such version.");
		return row;
	}

	async function addVersion(
		tx: Tx,
		caller: Caller,
		id: string,
		next: Version & Pick<NewQuery, "content" | "changes">,
	): Promise<void> {
		const { major, minor, content, changes } = next;
		const made = { created_at: new Date(clock.now()), created_by: caller.username };
		await versions.insert(tx, { query_id: id, major, minor, changes, ...content, ...made });
	}

	return {
		visible,
		version,
		addVersion,
		current: (db: Db, row: QueryRow) => version(db, row.id, versionOf(row)),

		/** The query, held until the transaction ends, if the caller may see (404) and change it (403). */
		async editable(tx: Tx, caller: Caller, id: string): Promise<FoundQuery> {
			await repo.lock(tx, id);
			const row = await visible(tx.db, caller, id);
			if (!canEdit(caller, row)) throw forbidden("Only the owner of the query may change it.");
			return row;
		},

		async detail(db: Db, caller: Identity, id: string): Promise<SavedQuery> {
			const row = await visible(db, caller, id);
			const { history, last } = await versions.upTo(db, id, versionOf(row));
			if (last === undefined) throw notFound("The query has no such version.");
			return presentDetail({ row, current: last, history }, caller);
		},

		/** False when the caller has a query of that name. */
		async add(tx: Tx, caller: Caller, { id, fields, content, changes }: NewQuery): Promise<boolean> {
			const { tags_list, category, ...columns } = fields;
			const at = new Date(clock.now());
			const inserted = await repo.insert(tx, {
				...columns,
				id,
				owner_id: caller.userId,
				tags: tags_list,
				category_id: category,
				major_version: FIRST_VERSION.major,
				minor_version: FIRST_VERSION.minor,
				created_at: at,
				updated_at: at,
			});
			if (inserted) await addVersion(tx, caller, id, { ...FIRST_VERSION, content, changes });
			return inserted;
		},
	};
}

export type Queries = ReturnType<typeof createQueries>;
