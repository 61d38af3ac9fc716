/** Actions on a saved query: favorite, duplicate, restore a version, record an execution. */
import type { ConnectionQuestion, ConnectionVerdict, ExecutionLogList, ExecutionReport } from "@weft/contracts";
import type { Caller } from "../../platform/caller.ts";
import { notFound } from "../../platform/errors.ts";
import { paginateRows } from "../../platform/http/paging.ts";
import type { CurrentModel } from "../../ports/class-model.ts";
import { connectionVerdict } from "./domain/connection-verdict.ts";
import { bumpVersion, FIRST_VERSION, getVersion, type Version, versionString } from "./domain/versioning.ts";
import { presentLog, presentVersion } from "./present.ts";
import { holdQuery, toggleQueryFavorite, updateQueryRow } from "./repo.ts";
import { listExecutionLogs } from "./repo-logs.ts";
import { buildQueryTarget, type SavedQueriesDeps } from "./service.ts";
import { checkContent, contentColumns, nextVersion } from "./service-content.ts";
import type { Executions } from "./service-executions.ts";

export interface ActionsDeps extends SavedQueriesDeps {
	readonly executions: Executions;
	readonly classModel: CurrentModel;
}

export function createActions(deps: ActionsDeps) {
	const { store, executions, queries, events, clock, ids, quotas } = deps;
	return {
		/** Records an execution that a client reports. */
		async execute(caller: Caller, id: string, report: ExecutionReport) {
			const { response_content: content, ...outcome } = report;
			return store.transaction(async (tx) => {
				const row = await queries.visible(tx.db, caller, id);
				await quotas.check(caller, "can_execute_queries", tx);
				const recorded = await executions.record(tx, { ...outcome, query: row, user: caller });
				if (!recorded) throw notFound("There is no such query.");
				await events.changed(tx, caller, {
					...buildQueryTarget(id),
					description: `Ran the query ${row.name}${report.success ? "" : ", which failed"}`,
					metadata: { ...outcome, version: versionString(getVersion(row)) },
					...(content === undefined ? {} : { content }),
				});
				await quotas.check(caller, "executions_daily", tx);
				return { message: "The execution has been recorded." };
			});
		},

		async favorite(caller: Caller, id: string) {
			return store.transaction(async (tx) => {
				await holdQuery(tx, id);
				const row = await queries.visible(tx.db, caller, id);
				const is_favorite = await toggleQueryFavorite(tx, caller.userId, id, new Date(clock.now()));
				await events.changed(tx, caller, {
					...buildQueryTarget(id),
					description: is_favorite
						? `Added the query ${row.name} to the favorites`
						: `Removed the query ${row.name} from the favorites`,
					metadata: { is_favorite },
				});
				return { is_favorite };
			});
		},

		/** A private copy under the first free name, with the current canvas and without history. */
		async duplicate(caller: Caller, id: string) {
			const copyId = ids.uuid();
			return store.transaction(async (tx) => {
				const row = await queries.visible(tx.db, caller, id);
				await quotas.check(caller, "can_create_queries", tx);
				await quotas.check(caller, "queries_max", tx);
				const current = await queries.current(tx.db, row);
				const copy = {
					id: copyId,
					content: contentColumns(current, current.hash),
					changes: [`Copied from ${row.name} ${versionString(getVersion(row))}`],
				};
				const fields = {
					description: row.description,
					category: row.category_id,
					tags_list: row.tags,
					is_public: false,
					is_template: row.is_template,
					enable_time_machine: row.enable_time_machine,
				};
				for (const name of await queries.freeCopyNames(tx, caller, row.name)) {
					// Another request may have taken the name meanwhile.
					if (!(await queries.add(tx, caller, { ...copy, fields: { ...fields, name } }))) continue;
					await events.changed(tx, caller, {
						...buildQueryTarget(copyId),
						description: `Copied the query ${row.name} to ${name}`,
						metadata: { copied_from: id, version: versionString(FIRST_VERSION) },
					});
					break;
				}
				return queries.detail(tx.db, caller, copyId);
			});
		},

		async version(caller: Caller, id: string, version: Version) {
			await queries.visible(store.db, caller, id);
			return presentVersion(await queries.version(store.db, id, version));
		},

		/** Makes an old version's content current, always as a new version of the history. */
		async restore(caller: Caller, id: string, wanted: Version) {
			return store.transaction(async (tx) => {
				const row = await queries.editable(tx, caller, id);
				const old = await queries.version(tx.db, id, wanted);
				const before = await queries.current(tx.db, row);
				const after = checkContent(old);
				const next = nextVersion(getVersion(row), before, after);
				const version = next.level === "none" ? bumpVersion(getVersion(row), "minor") : next.version;
				const changes = [`Restored ${versionString(wanted)}`, ...next.changes];
				await queries.addVersion(tx, caller, id, { ...version, changes, content: contentColumns(old, after.hash) });
				const updated_at = new Date(clock.now());
				await updateQueryRow(tx, id, { major_version: version.major, minor_version: version.minor, updated_at });
				await events.changed(tx, caller, {
					...buildQueryTarget(id),
					description: `Restored ${versionString(wanted)} of the query ${row.name}`,
					metadata: { version: versionString(version), changes },
				});
				return queries.detail(tx.db, caller, id);
			});
		},

		/** 503 while the class model cannot be read. */
		async validateConnection({ parentClass, childClass }: ConnectionQuestion): Promise<ConnectionVerdict> {
			return connectionVerdict(await deps.classModel(), parentClass, childClass);
		},

		async logs(caller: Caller, filter: ExecutionLogList, url: string) {
			return paginateRows(url, filter, await listExecutionLogs(store.db, caller, filter), presentLog);
		},
	};
}

export type Actions = ReturnType<typeof createActions>;
