/** Actions on a saved query: favorite, duplicate, restore a version, record an execution. */
import type { ConnectionQuestion, ConnectionVerdict, ExecutionLogList, ExecutionReport } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import type { Caller } from "../../../core/caller.ts";
import { buildNotFoundError } from "../../../core/errors.ts";
import { paginateRows } from "../../../core/http/paging.ts";
import {
	addQuery,
	addVersion,
	findQueryVersion,
	findVisibleQuery,
	freeCopyNames,
	readQuery,
	requireEditableQuery,
	requireVisibleQuery,
} from "./add-queries.ts";
import { buildContentColumns, checkContent, computeNextVersion } from "./check-content.ts";
import { buildQueryTarget } from "./manage-queries.ts";
import { presentLog, presentVersion } from "./present.ts";
import { recordExecution } from "./record-execution.ts";
import { decideConnectionVerdict } from "./rules/connection-verdict.ts";
import { bumpVersion, FIRST_VERSION, formatVersion, getVersion, type Version } from "./rules/versioning.ts";
import { listExecutionLogs } from "./sql/logs.ts";
import { holdQuery, toggleQueryFavorite, updateQueryRow } from "./sql/queries.ts";

/** Records an execution that a client reports. */
export async function executeSavedQuery(ctx: Context, caller: Caller, id: string, report: ExecutionReport) {
	const { response_content: content, ...outcome } = report;
	return ctx.store.transaction(async (tx) => {
		const row = await findVisibleQuery(tx.db, caller, id);
		await ctx.quotas.check(caller, "can_execute_queries", tx);
		const recorded = await recordExecution(ctx, tx, { ...outcome, query: row, user: caller });
		if (!recorded) throw buildNotFoundError("There is no such query.");
		await ctx.events.changed(tx, caller, {
			...buildQueryTarget(id),
			description: `Ran the query ${row.name}${report.success ? "" : ", which failed"}`,
			metadata: { ...outcome, version: formatVersion(getVersion(row)) },
			...(content === undefined ? {} : { content }),
		});
		await ctx.quotas.check(caller, "executions_daily", tx);
		return { message: "The execution has been recorded." };
	});
}

export async function toggleFavorite(ctx: Context, caller: Caller, id: string) {
	return ctx.store.transaction(async (tx) => {
		await holdQuery(tx, id);
		const row = await findVisibleQuery(tx.db, caller, id);
		const is_favorite = await toggleQueryFavorite(tx, caller.userId, id, new Date(ctx.clock.now()));
		await ctx.events.changed(tx, caller, {
			...buildQueryTarget(id),
			description: is_favorite
				? `Added the query ${row.name} to the favorites`
				: `Removed the query ${row.name} from the favorites`,
			metadata: { is_favorite },
		});
		return { is_favorite };
	});
}

/** A private copy under the first free name, with the current canvas and without history. */
export async function duplicateQuery(ctx: Context, caller: Caller, id: string) {
	const copyId = ctx.ids.uuid();
	return ctx.store.transaction(async (tx) => {
		const row = await findVisibleQuery(tx.db, caller, id);
		await ctx.quotas.check(caller, "can_create_queries", tx);
		await ctx.quotas.check(caller, "queries_max", tx);
		const current = await requireVisibleQuery(tx.db, row);
		const copy = {
			id: copyId,
			content: buildContentColumns(current, current.hash),
			changes: [`Copied from ${row.name} ${formatVersion(getVersion(row))}`],
		};
		const fields = {
			description: row.description,
			category: row.category_id,
			tags_list: row.tags,
			is_public: false,
			is_template: row.is_template,
			enable_time_machine: row.enable_time_machine,
		};
		for (const name of await freeCopyNames(tx, caller, row.name)) {
			// Another request may have taken the name meanwhile.
			if (!(await addQuery(ctx, tx, caller, { ...copy, fields: { ...fields, name } }))) continue;
			await ctx.events.changed(tx, caller, {
				...buildQueryTarget(copyId),
				description: `Copied the query ${row.name} to ${name}`,
				metadata: { copied_from: id, version: formatVersion(FIRST_VERSION) },
			});
			break;
		}
		return readQuery(tx.db, caller, copyId);
	});
}

export async function saveQueryVersion(ctx: Context, caller: Caller, id: string, version: Version) {
	await findVisibleQuery(ctx.store.db, caller, id);
	return presentVersion(await findQueryVersion(ctx.store.db, id, version));
}

/** Makes an old version's content current, always as a new version of the history. */
export async function restoreQueryVersion(ctx: Context, caller: Caller, id: string, wanted: Version) {
	return ctx.store.transaction(async (tx) => {
		const row = await requireEditableQuery(tx, caller, id);
		const old = await findQueryVersion(tx.db, id, wanted);
		const before = await requireVisibleQuery(tx.db, row);
		const after = checkContent(old);
		const next = computeNextVersion(getVersion(row), before, after);
		const version = next.level === "none" ? bumpVersion(getVersion(row), "minor") : next.version;
		const changes = [`Restored ${formatVersion(wanted)}`, ...next.changes];
		await addVersion(ctx, tx, caller, id, { ...version, changes, content: buildContentColumns(old, after.hash) });
		const updated_at = new Date(ctx.clock.now());
		await updateQueryRow(tx, id, { major_version: version.major, minor_version: version.minor, updated_at });
		await ctx.events.changed(tx, caller, {
			...buildQueryTarget(id),
			description: `Restored ${formatVersion(wanted)} of the query ${row.name}`,
			metadata: { version: formatVersion(version), changes },
		});
		return readQuery(tx.db, caller, id);
	});
}

/** 503 while the class model cannot be read. */
export async function validateConnection(
	ctx: Context,
	{ parentClass, childClass }: ConnectionQuestion,
): Promise<ConnectionVerdict> {
	return decideConnectionVerdict(await ctx.classModel(), parentClass, childClass);
}

export async function listQueryLogs(ctx: Context, caller: Caller, filter: ExecutionLogList, url: string) {
	return paginateRows(url, filter, await listExecutionLogs(ctx.store.db, caller, filter), presentLog);
}
