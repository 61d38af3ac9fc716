/** Plans the changes of schedule files and finds their errors. Reads only. */
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import type { Identity } from "../../platform/caller.ts";
import { AppError } from "../../platform/errors.ts";
import type { Tx } from "../../ports/store.ts";
import type { Connections } from "../connections/index.ts";
import type { QueryFiles, SavedQueriesFeature, VisibleQuery } from "../saved-queries/index.ts";
import type { Schedules, TaskChange, TaskRow } from "../schedules/index.ts";
import { createPaths } from "./domain/paths.ts";
import type { ParsedSchedule } from "./domain/read-file.ts";
import type { FileErrors } from "./errors.ts";
import type { GivenFile, PlannedQuery, QueryPlan } from "./service-plan.ts";

export interface PlannedSchedule {
	readonly path: string;
	readonly name: string;
	readonly action: "created" | "updated" | "unchanged";
	readonly change: TaskChange;
}

export interface SchedulePlan {
	readonly schedules: readonly PlannedSchedule[];
	/** The caller's schedules without a file. */
	readonly others: readonly { readonly task: TaskRow; readonly path: string }[];
}

export interface SchedulePlannerDeps {
	readonly queries: Pick<QueryFiles, "othersNamed">;
	readonly findQuery: SavedQueriesFeature["findVisible"];
	readonly connections: Pick<Connections, "named">;
	readonly schedules: Pick<Schedules["files"], "owned" | "check">;
}

interface Input {
	readonly files: readonly GivenFile<ParsedSchedule>[];
	readonly queryPlan: QueryPlan;
	readonly prune: boolean;
}

type Connection = Awaited<ReturnType<Connections["named"]>>[number];
/** An id, or why there is none. */
type Found = { readonly id: string } | { readonly problem: string };

/** Files that are checked before other requests get a turn. */
const CHECKED_AT_ONCE = 20;

export function createSchedulePlanner({ queries, findQuery, connections, schedules }: SchedulePlannerDeps) {
	/** Looks up what the files refer to, all names at once. */
	async function openReferences(tx: Tx, caller: Identity, { files, queryPlan, prune }: Input) {
		const given = new Map(queryPlan.queries.map((query) => [query.file.document.name, query]));
		const byId = new Map(queryPlan.queries.map((query) => [query.id, query]));
		const documents = files.map(({ file }) => file.document);
		const wanted = documents.map(({ saved_query }) => saved_query).filter((name) => !given.has(name));
		const others = groupByName(await queries.othersNamed(tx.db, caller, [...new Set(wanted)]));
		const names = new Set(documents.flatMap(({ controller_connections }) => controller_connections));
		const visible = await connections.named(tx.db, caller, [...names]);
		const connectionsByName = groupByName(visible);
		const connectionsById = new Map(visible.map((connection) => [connection.id, connection]));

		function query(name: string, before: TaskRow | null): Found {
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

		function connection(name: string, before: TaskRow | null): Found {
			const found = connectionsByName.get(name) ?? [];
			const at = before?.connection_names.indexOf(name) ?? -1;
			const present = at < 0 ? undefined : before?.connection_ids[at];
			const [first, ...more] = found.filter(({ isOwn }) => isOwn).length === 1 ? found.filter(isOwn) : found;
			if (present !== undefined && (first === undefined || more.length > 0)) return { id: present };
			if (first === undefined) return { problem: `There is no connection "${name}" that you can see.` };
			if (more.length === 0) return first;
			return { problem: `${more.length + 1} connections have the name "${name}". Rename one of them.` };
		}

		const lookups = {
			db: tx.db,
			findQuery: async (identity: Identity, id: string): Promise<VisibleQuery | null> => {
				const planned = byId.get(id);
				return planned === undefined ? findQuery(identity, id, tx) : visibleQuery(planned, identity);
			},
			findConnection: async (_identity: Identity, id: string) => connectionsById.get(id) ?? null,
		};
		return { query, connection, lookups };
	}
	type References = Awaited<ReturnType<typeof openReferences>>;

	/** Null, and errors, where something is wrong with the file. */
	async function planOne(
		caller: Identity,
		{ path, file }: GivenFile<ParsedSchedule>,
		before: TaskRow | null,
		references: References,
		errors: FileErrors,
	): Promise<PlannedSchedule | null> {
		const { saved_query, controller_connections, ...fields } = file.document;
		const query = references.query(saved_query, before);
		if ("problem" in query) errors.add(path, file.lines.saved_query ?? 1, `saved_query: ${query.problem}`);
		const connectionIds = controller_connections.flatMap((name, index) => {
			const found = references.connection(name, before);
			if ("id" in found) return [found.id];
			errors.add(path, file.connectionLines[index] ?? 1, `controller_connections: ${found.problem}`);
			return [];
		});
		if ("problem" in query || errors.has(path)) return null;
		const controller_connection_ids = [...new Set(connectionIds)];
		const input = { ...fields, saved_query: query.id, controller_connection_ids };
		try {
			const change = await schedules.check(caller, input, before, references.lookups);
			const action = before === null ? "created" : change.fields.length > 0 ? "updated" : "unchanged";
			return { path, name: fields.name, action, change };
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
		async plan(tx: Tx, caller: Identity, input: Input, errors: FileErrors): Promise<SchedulePlan> {
			const owned = await schedules.owned(tx.db, caller.userId);
			const pathOf = createPaths();
			const withPaths = owned.map((task) => ({ task, path: pathOf("schedule", task.name) }));
			const byName = groupByName(owned);
			const references = await openReferences(tx, caller, input);
			const planned: PlannedSchedule[] = [];
			for (const [index, given] of input.files.entries()) {
				const { name } = given.file.document;
				const [before = null, ...more] = byName.get(name) ?? [];
				if (more.length > 0) {
					const problem = `You have ${more.length + 1} schedules "${name}". Rename or delete all but one.`;
					errors.add(given.path, given.file.lines.name ?? 1, `name: ${problem}`);
					continue;
				}
				const one = await planOne(caller, given, before, references, errors);
				if (one !== null) planned.push(one);
				if (index % CHECKED_AT_ONCE === CHECKED_AT_ONCE - 1) await nextEventLoopTurn();
			}
			const names = new Set(input.files.map(({ file }) => file.document.name));
			return { schedules: planned, others: withPaths.filter(({ task }) => !names.has(task.name)) };
		},
	};
}
export type SchedulePlanner = ReturnType<typeof createSchedulePlanner>;

/** Keys of files whose name is another than that of the field. */
const KEYS: Readonly<Record<string, string>> = { controller_connection_ids: "controller_connections" };

const isOwn = (connection: Connection): boolean => connection.isOwn;

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
