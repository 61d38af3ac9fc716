/** Plans the changes of query files and finds their errors. Reads only. */
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import type { Context } from "../../context.ts";
import { type Identity, isAllowed } from "../../core/caller.ts";
import type { Tx } from "../../core/ports/store.ts";
import { LEAST_UUID } from "../../core/uuid.ts";
import { findNamedGroups, listVisibleGroupNames } from "../fabrics/manage-groups.ts";
import { findCategoriesByName } from "../queries/saved/sql/categories.ts";
import { findOthersByName, listOwnQueries } from "../queries/saved/sql/queries.ts";
import type { FileErrors } from "./errors.ts";
import { presentQuery } from "./present.ts";
import { computeFingerprint } from "./rules/documents.ts";
import { formatGroupProblem } from "./rules/group-problem.ts";
import { createPaths } from "./rules/paths.ts";
import type { ParsedQuery } from "./rules/read-file.ts";

export interface GivenFile<Parsed> {
	readonly path: string;
	readonly file: Parsed;
}

export interface PlannedQuery {
	readonly path: string;
	readonly file: ParsedQuery;
	/** A new query has its future id. */
	readonly id: string;
	readonly action: "created" | "updated" | "unchanged";
}

export interface QueryPlan {
	readonly queries: readonly PlannedQuery[];
	/** The caller's queries without a file, by name. */
	readonly others: ReadonlyMap<string, { readonly id: string; readonly path: string }>;
	/** Ids of categories by the names that files give them. */
	readonly categories: ReadonlyMap<string, number>;
	/** Ids of connection groups by the paths of the files that name one. */
	readonly groups: ReadonlyMap<string, string>;
	/** Names of categories that are to be created, each once. */
	readonly newCategories: readonly string[];
}

interface OwnGroup {
	readonly id: string | null;
	readonly name: string | null;
}

/** Queries per read; each may have a large canvas. */
const BATCH = 50;

/** Compares the caller's queries with the files of the same name. */
async function compareOwnQueries(tx: Tx, caller: Identity, byName: ReadonlyMap<string, GivenFile<ParsedQuery>>) {
	const getPath = createPaths();
	const own = new Map<string, { id: string; path: string; isSame: boolean; group: OwnGroup }>();
	for (let last = LEAST_UUID; ; ) {
		const rows = await listOwnQueries(tx.db, caller.userId, last, BATCH);
		for (const row of rows) {
			const given = byName.get(row.name)?.file;
			const isSame =
				given !== undefined && computeFingerprint(presentQuery(row), given.hasLayout) === given.fingerprint;
			const group = { id: row.connection_group_id, name: row.connection_group_name };
			own.set(row.name, { id: row.id, path: getPath("query", row.name), isSame, group });
		}
		last = rows.at(-1)?.id ?? last;
		if (rows.length < BATCH) return own;
		await nextEventLoopTurn();
	}
}

async function planCategories(tx: Tx, caller: Identity, files: readonly GivenFile<ParsedQuery>[], errors: FileErrors) {
	const named = files.flatMap(({ path, file }) => {
		const { category } = file.document;
		return category === null ? [] : [{ path, category, line: file.lines.category ?? 1 }];
	});
	const categories = await findCategoriesByName(tx, [...new Set(named.map(({ category }) => category))]);
	const missing = named.filter(({ category }) => !categories.has(category));
	if (!isAllowed(caller, "add_querycategory")) {
		for (const { path, line, category } of missing) {
			errors.add(path, line, `category: There is no category "${category}", and you may not create one.`);
		}
	}
	const byKey = new Map(missing.map(({ category }) => [category.toLowerCase(), category]));
	return { categories, newCategories: [...byKey.values()] };
}

/** A query keeps the group that it has, even if the caller no longer sees it. */
async function planQueryGroups(
	tx: Tx,
	caller: Identity,
	{ files, own }: { files: readonly GivenFile<ParsedQuery>[]; own: ReadonlyMap<string, { group: OwnGroup }> },
	errors: FileErrors,
): Promise<Map<string, string>> {
	const groups = new Map<string, string>();
	const named = files.flatMap(({ path, file }) => {
		const { connection_group: name } = file.document;
		const present = own.get(file.document.name)?.group;
		if (name !== null && present?.name === name && present.id !== null) groups.set(path, present.id);
		return name === null || groups.has(path) ? [] : [{ path, name, line: file.lines.connection_group ?? 1 }];
	});
	const visible = await findNamedGroups(tx.db, caller, [...new Set(named.map(({ name }) => name))]);
	const hasUnknown = named.some(({ name }) => !visible.some((group) => group.name === name));
	const shownGroups = hasUnknown ? await listVisibleGroupNames(tx.db, caller) : [];
	for (const { path, name, line } of named) {
		const found = visible.filter((group) => group.name === name);
		const ownGroups = found.filter(({ isOwn }) => isOwn);
		const [first, ...more] = ownGroups.length === 1 ? ownGroups : found;
		if (first !== undefined && more.length === 0) groups.set(path, first.id);
		else errors.add(path, line, `connection_group: ${formatGroupProblem(name, found.length, shownGroups)}`);
	}
	return groups;
}

/** Adds to `errors` queries of others that have the name of a new one. */
export async function planQueries(
	ctx: Context,
	tx: Tx,
	caller: Identity,
	files: readonly GivenFile<ParsedQuery>[],
	errors: FileErrors,
): Promise<QueryPlan> {
	const byName = new Map(files.map((given) => [given.file.document.name, given]));
	const own = await compareOwnQueries(tx, caller, byName);
	const added = [...byName.keys()].filter((name) => !own.has(name));
	const viewer = { userId: caller.userId, isAdmin: false };
	const taken = new Map((await findOthersByName(tx.db, viewer, added)).map((other) => [other.name, other]));
	const planned = files.map(({ path, file }): PlannedQuery => {
		const { name } = file.document;
		const found = own.get(name);
		const other = taken.get(name);
		if (found === undefined && other !== undefined) {
			const line = file.lines.name ?? 1;
			errors.add(path, line, `name: ${other.owner} has a query "${name}" that you can see. Choose another name.`);
		}
		const action = found === undefined ? "created" : found.isSame ? "unchanged" : "updated";
		return { path, file, id: found?.id ?? ctx.ids.uuid(), action };
	});
	const others = new Map([...own].filter(([name]) => !byName.has(name)));
	const groups = await planQueryGroups(tx, caller, { files, own }, errors);
	return { queries: planned, others, groups, ...(await planCategories(tx, caller, files, errors)) };
}
