/**
 * Plans the changes of files that refer to a query and connections (schedules and checks) and finds
 * their errors. Reads only.
 */
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import type { FileKind } from "@weft/contracts";
import type { Identity } from "../../platform/caller.ts";
import { AppError } from "../../platform/errors.ts";
import type { Tx } from "../../ports/store.ts";
import { findNamedConnections } from "../connections/service.ts";
import { findNamedGroups, listVisibleGroupNames } from "../connections/service-groups.ts";
import type { QueryFiles, SavedQueriesFeature, VisibleQuery } from "../saved-queries/index.ts";
import { findOthersByName } from "../saved-queries/repo.ts";
import { createPaths } from "./domain/paths.ts";
import type { Lines } from "./domain/read-file.ts";
import type { FileErrors } from "./errors.ts";
import { createGroupProblem } from "./group-problem.ts";
import type { GivenFile, PlannedQuery, QueryPlan } from "./service-plan.ts";

/** A stored object, with the names that its query and connections have now. */
export interface Referring {
	readonly name: string;
	readonly saved_query_id: string;
	readonly query_name: string;
	readonly connection_ids: readonly string[];
	/** In the order of the ids. */
	readonly connection_names: readonly string[];
	/** Of schedules. */
	readonly connection_group_id?: string | null;
	readonly connection_group_name?: string;
}

/** The document of such an object. */
export interface ReferringContent {
	readonly name: string;
	readonly saved_query: string;
	readonly controller_connections: readonly string[];
	/** Of schedules. */
	readonly connection_group?: string | null | undefined;
}

export interface ReferringFile<Content> {
	readonly document: Content;
	readonly lines: Lines;
	/** Lines of the connections, in their order. */
	readonly connectionLines: readonly number[];
}

/** A document with ids instead of names. */
type Resolved<Content> = Omit<Content, "saved_query" | "controller_connections" | "connection_group"> & {
	/** Absent where files of the kind name no group. */
	readonly connection_group?: string | null;
	readonly saved_query: string;
	readonly controller_connection_ids: string[];
};

export interface PlannedObject<Change> {
	readonly path: string;
	readonly name: string;
	readonly action: "created" | "updated" | "unchanged";
	readonly change: Change;
}

export interface ObjectPlan<Row, Change> {
	readonly planned: readonly PlannedObject<Change>[];
	/** The caller's objects without a file. */
	readonly others: readonly { readonly row: Row; readonly path: string }[];
}

export interface Lookups {
	readonly db: Tx["db"];
	findQuery(identity: Identity, id: string): Promise<VisibleQuery | null>;
	findConnection(identity: Identity, id: string): Promise<{ id: string; name: string; isActive: boolean } | null>;
	findGroup(db: Tx["db"], identity: Identity, id: string): Promise<{ id: string; name: string } | null>;
}

export interface ReferencePlannerDeps {
	readonly queries: Pick<QueryFiles, "othersNamed">;
	readonly findQuery: SavedQueriesFeature["findVisible"];
}

/** Objects of one kind. */
export interface ObjectKind<Content extends ReferringContent, Row extends Referring, Change> {
	readonly kind: Exclude<FileKind, "query">;
	owned(db: Tx["db"], ownerId: number): Promise<Row[]>;
	/** @throws AppError 400 by field */
	check(caller: Identity, input: Resolved<Content>, before: Row | null, lookups: Lookups): Promise<Change>;
}

interface Input<Content> {
	readonly files: readonly GivenFile<ReferringFile<Content>>[];
	readonly queryPlan: QueryPlan;
	readonly prune: boolean;
}

/** An id, or why there is none. */
type Found = { readonly id: string } | { readonly problem: string };

/** Files that are checked before other requests get a turn. */
const CHECKED_AT_ONCE = 20;

export function createObjectPlanner<
	Content extends ReferringContent,
	Row extends Referring,
	Change extends { readonly fields: readonly string[] },
>({ findQuery }: ReferencePlannerDeps, objects: ObjectKind<Content, Row, Change>) {
	/** Looks up what the files refer to, all names at once. */
	async function openReferences(tx: Tx, caller: Identity, { files, queryPlan, prune }: Input<Content>) {
		const given = new Map(queryPlan.queries.map((query) => [query.file.document.name, query]));
		const byId = new Map(queryPlan.queries.map((query) => [query.id, query]));
		const documents = files.map(({ file }) => file.document);
		const wanted = documents.map(({ saved_query }) => saved_query).filter((name) => !given.has(name));
		const others = groupByName(await findOthersByName(tx.db, caller, [...new Set(wanted)]));
		const names = new Set(documents.flatMap(({ controller_connections }) => controller_connections));
		const visible = await findNamedConnections(tx.db, caller, [...names]);
		const groupNames = new Set(documents.flatMap(({ connection_group }) => connection_group ?? []));
		const groups = await findNamedGroups(tx.db, caller, [...groupNames]);
		const groupsByName = groupByName(groups);
		const connectionsByName = groupByName(visible);
		const connectionsById = new Map(visible.map((connection) => [connection.id, connection]));

		function resolveQuery(name: string, before: Row | null): Found {
			const inFiles = given.get(name);
			if (inFiles !== undefined) return inFiles;
			const own = queryPlan.others.get(name);
			if (own !== undefined) {
				return prune ? { problem: `The query "${name}" has no file and would be deleted. Add its file.` } : own;
			}
			if (before?.query_name === name) return { id: before.saved_query_id };
			const [first, ...more] = others.get(name) ?? [];
			if (first === undefined) return { problem: `There is no query "${name}" that you can see.` };
			if (more.length === 0) return first;
			return { problem: `${more.length + 1} users have a query "${name}". Save a copy under a name of your own.` };
		}

		function resolveConnection(name: string, before: Row | null): Found {
			const found = connectionsByName.get(name) ?? [];
			const at = before?.connection_names.indexOf(name) ?? -1;
			const present = at < 0 ? undefined : before?.connection_ids[at];
			const [first, ...more] = found.filter(({ isOwn }) => isOwn).length === 1 ? found.filter(isOwn) : found;
			if (present !== undefined && (first === undefined || more.length > 0)) return { id: present };
			if (first === undefined) return { problem: `There is no connection "${name}" that you can see.` };
			if (more.length === 0) return first;
			return { problem: `${more.length + 1} connections have the name "${name}". Rename one of them.` };
		}

		const groupProblem = createGroupProblem(() => listVisibleGroupNames(tx.db, caller));
		async function resolveGroup(name: string, before: Row | null): Promise<Found> {
			const found = groupsByName.get(name) ?? [];
			const own = found.filter(isOwn);
			const [first, ...more] = own.length === 1 ? own : found;
			const { connection_group_id: present, connection_group_name } = before ?? {};
			if (present && connection_group_name === name && (first === undefined || more.length > 0)) return { id: present };
			if (first !== undefined && more.length === 0) return first;
			return { problem: await groupProblem(name, found.length) };
		}

		const lookups: Lookups = {
			db: tx.db,
			async findQuery(identity, id) {
				const planned = byId.get(id);
				return planned === undefined ? findQuery(identity, id, tx) : visibleQuery(planned, identity);
			},
			findConnection: async (_identity, id) => connectionsById.get(id) ?? null,
			findGroup: async (_db, _identity, id) => groups.find((one) => one.id === id) ?? null,
		};
		return { query: resolveQuery, connection: resolveConnection, group: resolveGroup, lookups };
	}
	type References = Awaited<ReturnType<typeof openReferences>>;

	/** Null, and errors, where something is wrong with the file. */
	async function planOne(
		caller: Identity,
		{ path, file }: GivenFile<ReferringFile<Content>>,
		before: Row | null,
		references: References,
		errors: FileErrors,
	): Promise<PlannedObject<Change> | null> {
		const document: Content = file.document;
		const { saved_query, controller_connections, connection_group, ...fields } = document;
		const query = references.query(saved_query, before);
		if ("problem" in query) errors.add(path, file.lines.saved_query ?? 1, `saved_query: ${query.problem}`);
		const connectionIds = controller_connections.flatMap((name, index) => {
			const found = references.connection(name, before);
			if ("id" in found) return [found.id];
			errors.add(path, file.connectionLines[index] ?? 1, `controller_connections: ${found.problem}`);
			return [];
		});
		const group = connection_group ? await references.group(connection_group, before) : null;
		if (group !== null && "problem" in group) {
			errors.add(path, file.lines.connection_group ?? 1, `connection_group: ${group.problem}`);
			return null;
		}
		if ("problem" in query || errors.has(path)) return null;
		const controller_connection_ids = [...new Set(connectionIds)];
		const connection_group_id = objects.kind === "schedule" ? { connection_group: group?.id ?? null } : {};
		const input = { ...fields, saved_query: query.id, controller_connection_ids, ...connection_group_id };
		try {
			const change = await objects.check(caller, input, before, references.lookups);
			const action = before === null ? "created" : change.fields.length > 0 ? "updated" : "unchanged";
			return { path, name: document.name, action, change };
		} catch (error) {
			if (!(error instanceof AppError) || error.status >= 500) throw error;
			for (const [field, messages] of Object.entries(error.body)) {
				const key = KEYS[field.split(".")[0] ?? ""] ?? field.split(".")[0] ?? "";
				const line = file.lines[key] ?? file.lines.name ?? 1;
				for (const message of [messages].flat()) errors.add(path, line, `${KEYS[field] ?? field}: ${String(message)}`);
			}
			return null;
		}
	}

	return {
		async plan(tx: Tx, caller: Identity, input: Input<Content>, errors: FileErrors): Promise<ObjectPlan<Row, Change>> {
			const owned = await objects.owned(tx.db, caller.userId);
			const getPath = createPaths();
			const withPaths = owned.map((row) => ({ row, path: getPath(objects.kind, row.name) }));
			const byName = groupByName(owned);
			const references = await openReferences(tx, caller, input);
			const planned: PlannedObject<Change>[] = [];
			for (const [index, given] of input.files.entries()) {
				const { name } = given.file.document;
				const [before = null, ...more] = byName.get(name) ?? [];
				if (more.length > 0) {
					const problem = `You have ${more.length + 1} ${objects.kind}s "${name}". Rename or delete all but one.`;
					errors.add(given.path, given.file.lines.name ?? 1, `name: ${problem}`);
					continue;
				}
				const one = await planOne(caller, given, before, references, errors);
				if (one !== null) planned.push(one);
				if (index % CHECKED_AT_ONCE === CHECKED_AT_ONCE - 1) await nextEventLoopTurn();
			}
			const names = new Set(input.files.map(({ file }) => file.document.name));
			return { planned, others: withPaths.filter(({ row }) => !names.has(row.name)) };
		},
	};
}
/** Of one kind. */
export interface ObjectPlanner<Content, Row, Change> {
	plan(tx: Tx, caller: Identity, input: Input<Content>, errors: FileErrors): Promise<ObjectPlan<Row, Change>>;
}

/** Keys of files whose name is another than that of the field. */
const KEYS: Readonly<Record<string, string>> = { controller_connection_ids: "controller_connections" };

const isOwn = (one: { readonly isOwn: boolean }): boolean => one.isOwn;

function groupByName<T extends { readonly name: string }>(items: readonly T[]): Map<string, T[]> {
	const groups = new Map<string, T[]>();
	for (const item of items) groups.set(item.name, [...(groups.get(item.name) ?? []), item]);
	return groups;
}

function visibleQuery({ id, file }: PlannedQuery, { userId }: Identity): VisibleQuery {
	const { document } = file;
	return {
		id,
		name: document.name,
		ownerId: userId,
		enableTimeMachine: document.enable_time_machine,
		version: "",
		versionHash: "",
		flowData: document.flow_data,
		postProcessors: document.post_processors,
		variables: document.variables,
	};
}
