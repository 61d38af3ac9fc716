/** Finds the queries, connections and groups that files name. */
import type { Identity } from "../../core/caller.ts";
import type { Tx } from "../../core/ports/store.ts";
import { findNamedConnections } from "../fabrics/manage-connections.ts";
import { findNamedGroups, listVisibleGroupNames } from "../fabrics/manage-groups.ts";
import { findOthersByName, type OthersQuery } from "../queries/saved/sql/queries.ts";
import type { VisibleQuery } from "../queries/saved/visible-query.ts";
import type { KnownReferences } from "../schedules/known-references.ts";
import type { GivenFile, PlannedQuery, QueryPlan } from "./plan-queries.ts";
import { formatGroupProblem } from "./rules/group-problem.ts";
import type { Lines } from "./rules/read-file.ts";

/** A stored object, with the names that its query and connections have now. */
export interface Referring {
	readonly name: string;
	readonly saved_query_id: string;
	readonly query_name: string;
	readonly connection_ids: readonly string[];
	/** In the order of the ids. */
	readonly connection_names: readonly string[];
	/** Only schedules have it. */
	readonly connection_group_id?: string | null;
	readonly connection_group_name?: string;
}

/** The document of such an object. */
export interface ReferringContent {
	readonly name: string;
	readonly saved_query: string;
	readonly controller_connections: readonly string[];
	/** Only schedules have it. */
	readonly connection_group?: string | null | undefined;
}

export interface ReferringFile<Content> {
	readonly document: Content;
	readonly lines: Lines;
	/** Lines of the connections, in their order. */
	readonly connectionLines: readonly number[];
}

/** The plans of other files, whose objects a file may name. */
export interface OtherPlans {
	readonly queryPlan: QueryPlan;
	/** Connections that other files make. */
	readonly newConnections: readonly NamedConnection[];
	readonly prune: boolean;
}

export interface PlanInput<Content> extends OtherPlans {
	readonly files: readonly GivenFile<ReferringFile<Content>>[];
}

/** The names of the files of one kind. */
export interface NamedReferences {
	readonly queries: readonly string[];
	readonly connections: readonly string[];
	readonly groups: readonly string[];
}

/** An id, or why there is none. */
export type Found = { readonly id: string } | { readonly problem: string };

type NamedConnection = Awaited<ReturnType<typeof findNamedConnections>>[number];
type NamedGroup = Awaited<ReturnType<typeof findNamedGroups>>[number];

/** The references of the files of one kind, looked up all at once. */
export interface References extends Pick<OtherPlans, "queryPlan" | "prune"> {
	readonly plannedByName: ReadonlyMap<string, PlannedQuery>;
	/** Queries of other users. */
	readonly others: ReadonlyMap<string, readonly OthersQuery[]>;
	readonly connections: readonly NamedConnection[];
	readonly connectionsByName: ReadonlyMap<string, readonly NamedConnection[]>;
	readonly groups: readonly NamedGroup[];
	readonly groupsByName: ReadonlyMap<string, readonly NamedGroup[]>;
	/** The first names of groups that the caller sees; empty if the files name no unknown group. */
	readonly shownGroups: readonly string[];
}

/** The names in files of schedules and checks. */
export const listReferences = (files: PlanInput<ReferringContent>["files"]): NamedReferences => {
	const documents = files.map(({ file }) => file.document);
	return {
		queries: documents.map(({ saved_query }) => saved_query),
		connections: documents.flatMap(({ controller_connections }) => controller_connections),
		groups: documents.flatMap(({ connection_group }) => connection_group ?? []),
	};
};

export async function findReferences(
	tx: Tx,
	caller: Identity,
	named: NamedReferences,
	{ queryPlan, newConnections, prune }: OtherPlans,
): Promise<References> {
	const plannedByName = new Map(queryPlan.queries.map((query) => [query.file.document.name, query]));
	const wanted = named.queries.filter((name) => !plannedByName.has(name));
	const others = groupByName(await findOthersByName(tx.db, caller, [...new Set(wanted)]));
	const names = new Set(named.connections);
	const made = newConnections.filter(({ name }) => names.has(name));
	const connections = [...(await findNamedConnections(tx.db, caller, [...names])), ...made];
	const groupNames = new Set(named.groups);
	const groups = await findNamedGroups(tx.db, caller, [...groupNames]);
	const groupsByName = groupByName(groups);
	const hasUnknown = [...groupNames].some((name) => !groupsByName.has(name));
	return {
		queryPlan,
		prune,
		plannedByName,
		others,
		connections,
		connectionsByName: groupByName(connections),
		groups,
		groupsByName,
		shownGroups: hasUnknown ? await listVisibleGroupNames(tx.db, caller) : [],
	};
}

/** @param present the id that the stored object has under this name; undefined if it has none */
export function resolveQuery(
	{ plannedByName, queryPlan, prune, others }: References,
	name: string,
	present: string | undefined,
): Found {
	const inFiles = plannedByName.get(name);
	if (inFiles !== undefined) return inFiles;
	const own = queryPlan.others.get(name);
	if (own !== undefined) {
		return prune ? { problem: `The query "${name}" has no file and would be deleted. Add its file.` } : own;
	}
	if (present !== undefined) return { id: present };
	const [first, ...more] = others.get(name) ?? [];
	if (first === undefined) return { problem: `There is no query "${name}" that you can see.` };
	if (more.length === 0) return first;
	return { problem: `${more.length + 1} users have a query "${name}". Save a copy under a name of your own.` };
}

/** @param present the id that the stored object has under this name; undefined if it has none */
export function resolveConnection({ connectionsByName }: References, name: string, present: string | undefined): Found {
	const found = connectionsByName.get(name) ?? [];
	const [first, ...more] = found.filter(isOwn).length === 1 ? found.filter(isOwn) : found;
	if (present !== undefined && (first === undefined || more.length > 0)) return { id: present };
	if (first === undefined) return { problem: `There is no connection "${name}" that you can see.` };
	if (more.length === 0) return first;
	return { problem: `${more.length + 1} connections have the name "${name}". Rename one of them.` };
}

/** @param present the id that the stored object has under this name; undefined if it has none */
export function resolveGroup(
	{ groupsByName, shownGroups }: References,
	name: string,
	present: string | undefined,
): Found {
	const found = groupsByName.get(name) ?? [];
	const own = found.filter(isOwn);
	const [first, ...more] = own.length === 1 ? own : found;
	if (present !== undefined && (first === undefined || more.length > 0)) return { id: present };
	if (first !== undefined && more.length === 0) return first;
	return { problem: formatGroupProblem(name, found.length, shownGroups) };
}

/** The id at the place of a name; undefined if the names do not have it. */
export function findId(names: readonly string[], ids: readonly string[], name: string): string | undefined {
	const at = names.indexOf(name);
	return at < 0 ? undefined : ids[at];
}

/** The references by id, for the areas of the files. */
export const indexReferences = (
	tx: Tx,
	caller: Identity,
	{ queryPlan, connections, groups }: References,
): KnownReferences => ({
	db: tx.db,
	queries: new Map(queryPlan.queries.map((query) => [query.id, presentPlanned(query, caller)])),
	connections: new Map(connections.map((connection) => [connection.id, connection])),
	groups: new Map(groups.map((group) => [group.id, group])),
});

const isOwn = (one: { readonly isOwn: boolean }): boolean => one.isOwn;

export function groupByName<T extends { readonly name: string }>(items: readonly T[]): Map<string, T[]> {
	const groups = new Map<string, T[]>();
	for (const item of items) groups.set(item.name, [...(groups.get(item.name) ?? []), item]);
	return groups;
}

function presentPlanned({ id, file }: PlannedQuery, { userId }: Identity): VisibleQuery {
	const { document } = file;
	return {
		id,
		name: document.name,
		ownerId: userId,
		enableTimeMachine: document.enable_time_machine,
		isPublic: document.is_public,
		version: "",
		versionHash: "",
		flowData: document.flow_data,
		postProcessors: document.post_processors,
		variables: document.variables,
	};
}
