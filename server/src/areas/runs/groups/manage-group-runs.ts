/**
 * One query on many connections: starts a run for each, and derives the status of the whole from
 * them in the transaction that ends a run.
 */
import type { GroupExecution, GroupExecutionCreate, GroupExecutionList } from "@weft/contracts";
import { type Context, getNow } from "../../../context.ts";
import type { Caller, Identity } from "../../../core/caller.ts";
import { buildFieldError, buildNotFoundError, buildRefusedError } from "../../../core/errors.ts";
import { markUnchanged } from "../../../core/events.ts";
import { paginateRows } from "../../../core/http/paging.ts";
import { type Db, findBrokenUnique, type Tx } from "../../../core/ports/store.ts";
import { findVisibleConnection, requireTarget } from "../../fabrics/manage-connections.ts";
import { findVisibleGroup } from "../../fabrics/manage-groups.ts";
import { type Program, readProgram } from "../../queries/flow/index.ts";
import { loadVisibleQuery } from "../../queries/saved/visible-query.ts";
import { isTrustedRunner } from "../background/index.ts";
import { computeValuesDigest, readQueryProgram, startQueryRuns } from "../background/start-background-runs.ts";
import { cancelRuns } from "../pipelines/read-runs.ts";
import { getRunId } from "../pipelines/rules/run-id.ts";
import { findRunOriginal } from "../pipelines/run-standing.ts";
import { startAllRuns } from "../pipelines/start-runs.ts";
import { mayAccess } from "./policy.ts";
import { presentGroup } from "./present.ts";
import { groupStatus, isOpen, isRetried } from "./rules/status.ts";
import type { GroupRow, GroupRunRow } from "./sql.ts";
import {
	findGroupExecution,
	insertGroupExecution,
	insertGroupRuns,
	listGroupExecutions,
	listGroupRuns,
	lockGroupByRun,
	lockGroupExecution,
	replaceGroupRun,
	updateGroupExecution,
} from "./sql.ts";
import { groupTopic } from "./topic.ts";

/** The origin of the runs, for the recorder of ends. */
export const GROUP = "group";
/** Of `group_executions`. */
const PRIMARY_KEY = "group_executions_pkey";

interface Connection {
	readonly id: string;
	readonly name: string;
}

/** What runs on every connection. */
interface Work {
	/** Null for a canvas without a name. */
	readonly name: string | null;
	readonly program: Program;
	readonly valuesDigest: string | null;
	readonly isTrusted: boolean;
	readonly query: Parameters<typeof startQueryRuns>[2][number]["query"] | null;
	readonly keepsSnapshot: boolean;
}

/** Work that is no run of a saved query. */
const UNSAVED = { valuesDigest: null, isTrusted: false, query: null, keepsSnapshot: false } as const;

interface Targets {
	readonly connections: readonly Connection[];
	readonly groupId: string | null;
	readonly hiddenCount: number;
}

const buildGroupRunTarget = (id: string) => ({ targetType: "group_execution", targetId: id });

/** @throws 404 */
function requireAccess(identity: Identity, row: GroupRow | undefined): GroupRow {
	if (row === undefined || !mayAccess(identity, row)) throw buildNotFoundError();
	return row;
}

const listRuns = async (db: Db, id: string): Promise<GroupRunRow[]> => (await listGroupRuns(db, [id])).get(id) ?? [];

async function readGroupRun(db: Db, identity: Identity, id: string): Promise<GroupExecution> {
	return presentGroup(requireAccess(identity, await findGroupExecution(db, id)), await listRuns(db, id));
}

/**
 * A member that is switched off is run, and fails with the reason: a group never leaves one out
 * silently.
 */
async function listTargets(ctx: Context, caller: Caller, input: GroupExecutionCreate): Promise<Targets> {
	if (input.connection_group) {
		const field = "connection_group";
		const group = await findVisibleGroup(ctx.store.db, caller, input.connection_group);
		if (group === null) throw buildFieldError(field, "There is no such connection group that you can see.");
		if (group.members.length === 0) {
			throw buildFieldError(field, `The group "${group.name}" has no connections that you can see. Add one to it.`);
		}
		return { connections: group.members, groupId: group.id, hiddenCount: group.hiddenCount };
	}
	const connections: Connection[] = [];
	for (const id of input.connection_ids ?? []) {
		connections.push(await requireTarget(ctx, caller, id, "connection_ids"));
	}
	return { connections, groupId: null, hiddenCount: 0 };
}

async function prepareWork(
	ctx: Context,
	caller: Caller,
	input: GroupExecutionCreate,
	name: string | null,
): Promise<Work> {
	if (!input.saved_query_id) {
		const program = readProgram({
			flow_data: input.flow_data,
			post_processors: input.post_processors ?? [],
			variables: input.variables ?? [],
			variable_values: input.variable_values,
		});
		return { program, ...UNSAVED, name };
	}
	const query = await loadVisibleQuery(ctx.store.db, caller, input.saved_query_id);
	if (query === null) throw buildFieldError("saved_query_id", "There is no such query that you can see.");
	return {
		name: query.name,
		...readQueryProgram(query, input.variable_values),
		query,
		isTrusted: isTrustedRunner(caller, query),
		keepsSnapshot: query.enableTimeMachine,
	};
}

/** Starts a run on each connection. Returns their ids in the same order. */
async function startRuns(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	groupId: string,
	{ query, ...work }: Work,
	connections: readonly Connection[],
): Promise<string[]> {
	if (query === null) {
		const starts = connections.map((connection) => ({
			owner: caller,
			program: work.program,
			connection,
			query,
			name: work.name,
			awaited: true,
		}));
		return (await startAllRuns(ctx, tx, starts)).map(({ id }) => id);
	}
	const purpose = { origin: GROUP, originId: groupId, ...work };
	return startQueryRuns(
		ctx,
		tx,
		connections.map((connection) => ({ ...purpose, identity: caller, connection, query, from: caller })),
	);
}

async function startGroupRun(
	ctx: Context,
	caller: Caller,
	id: string,
	input: GroupExecutionCreate,
	name: string | null,
): Promise<GroupExecution> {
	const work = await prepareWork(ctx, caller, input, name);
	const { connections, groupId, hiddenCount } = await listTargets(ctx, caller, input);
	return ctx.store.transaction(async (tx) => {
		await insertGroupExecution(tx, {
			id,
			owner_id: caller.userId,
			saved_query_id: work.query?.id ?? null,
			query_name: work.name,
			query_version: work.query?.version ?? null,
			connection_group_id: groupId,
			hidden_count: hiddenCount,
			created_at: getNow(ctx),
		});
		const jobs = await startRuns(ctx, tx, caller, id, work, connections);
		await insertGroupRuns(
			tx,
			connections.map((connection, position) => ({
				group_execution_id: id,
				connection_id: connection.id,
				connection_name: connection.name,
				position,
				job_id: jobs[position] ?? "",
			})),
		);
		await ctx.events.changed(tx, caller, {
			...buildGroupRunTarget(id),
			description: `${caller.username} started ${work.name ?? "a query"} on ${connections.length} connections`,
			metadata: {
				connection_ids: connections.map((connection) => connection.id),
				connection_group: groupId,
				saved_query_id: work.query?.id ?? null,
				version: work.query?.version ?? null,
			},
		});
		return readGroupRun(tx.db, caller, id);
	});
}

/** The connections that the caller can still use, of runs to be started again. */
async function isStillVisible(ctx: Context, caller: Caller, runs: readonly GroupRunRow[]): Promise<Connection[]> {
	const found: Connection[] = [];
	for (const { connection_id, connection_name } of runs) {
		if ((await findVisibleConnection(ctx, caller, connection_id)) !== null) {
			found.push({ id: connection_id, name: connection_name });
		}
	}
	return found;
}

/** What the runs of a group execution were made from. @throws 400 once it is gone */
async function findOriginalWork(ctx: Context, caller: Caller, group: GroupRow, jobId: string): Promise<Work> {
	const original = await findRunOriginal(ctx, jobId);
	if (original === null) {
		throw buildRefusedError(
			"What ran has been removed together with the rows: its time was over. Start the query again.",
		);
	}
	const { program, query } = original;
	if (query === null) return { program, ...UNSAVED, name: group.query_name };
	const current = await loadVisibleQuery(ctx.store.db, caller, query.id);
	if (current === null) throw buildRefusedError("The query is gone, or you cannot see it any more.");
	return {
		name: query.name,
		program,
		valuesDigest: await computeValuesDigest(ctx, jobId),
		query,
		isTrusted: isTrustedRunner(caller, current),
		keepsSnapshot: current.enableTimeMachine,
	};
}

export async function listOwnGroupRuns(ctx: Context, caller: Caller, query: GroupExecutionList, url: string) {
	const page = await listGroupExecutions(ctx.store.db, caller.userId, query);
	const runs = await listGroupRuns(
		ctx.store.db,
		page.rows.map(({ id }) => id),
	);
	return paginateRows(url, query, page, (row) => presentGroup(row, runs.get(row.id) ?? []));
}

export const readOwnGroupRun = (ctx: Context, caller: Caller, id: string) => readGroupRun(ctx.store.db, caller, id);

/** The group execution and its runs. @throws 404 */
export async function requireVisibleGroupRun(
	ctx: Context,
	identity: Identity,
	id: string,
): Promise<{ group: GroupRow; runs: GroupRunRow[] }> {
	return {
		group: requireAccess(identity, await findGroupExecution(ctx.store.db, id)),
		runs: await listRuns(ctx.store.db, id),
	};
}

/**
 * Starts the runs, or finds what the caller has started with the same key.
 * @param name of a canvas, shown in place of the name of a saved query
 */
export async function createGroupRun(
	ctx: Context,
	caller: Caller,
	input: GroupExecutionCreate,
	name: string | null = null,
): Promise<GroupExecution> {
	const key = input.idempotency_key ?? null;
	if (key === null) return startGroupRun(ctx, caller, ctx.ids.uuid(), input, name);
	const id = getRunId(caller.userId, key);
	if ((await findGroupExecution(ctx.store.db, id)) !== undefined) {
		markUnchanged(caller);
		return readGroupRun(ctx.store.db, caller, id);
	}
	try {
		return await startGroupRun(ctx, caller, id, input, name);
	} catch (error) {
		// A concurrent call with the same key has started it.
		if (findBrokenUnique(error) !== PRIMARY_KEY) throw error;
		markUnchanged(caller);
		return readGroupRun(ctx.store.db, caller, id);
	}
}

export async function cancelGroupRun(ctx: Context, caller: Caller, id: string): Promise<GroupExecution> {
	requireAccess(caller, await findGroupExecution(ctx.store.db, id));
	return ctx.store.transaction(async (tx) => {
		const open = (await listRuns(tx.db, id)).filter(({ status }) => isOpen(status));
		// Locks the runs before the group execution, as the end of a run does.
		const cancelled = await cancelRuns(
			ctx,
			tx,
			open.map(({ job_id }) => job_id),
			() => updateGroupExecution(tx, id, { is_cancelled: true }),
		);
		if (cancelled === 0) throw buildRefusedError("All runs have ended: there is nothing to cancel.");
		const shown = await readGroupRun(tx.db, caller, id);
		await ctx.events.changed(tx, caller, {
			...buildGroupRunTarget(id),
			description: `${caller.username} cancelled ${cancelled} runs of ${shown.query_name ?? "a query"} on several connections`,
		});
		return shown;
	});
}

/** Starts runs again that failed or were cancelled, each in the version that ran. */
export async function retryGroupRun(ctx: Context, caller: Caller, id: string): Promise<GroupExecution> {
	const group = requireAccess(caller, await findGroupExecution(ctx.store.db, id));
	const before = (await listRuns(ctx.store.db, id)).filter(({ status }) => isRetried(status));
	const [first] = before;
	if (first === undefined) throw buildRefusedError("No run has failed: there is nothing to retry.");
	const work = await findOriginalWork(ctx, caller, group, first.job_id);
	const visible = await isStillVisible(ctx, caller, before);
	if (visible.length === 0) throw buildRefusedError("You cannot see the connections of the failed runs any more.");
	return ctx.store.transaction(async (tx) => {
		await lockGroupExecution(tx, id);
		const failed = new Set(
			(await listRuns(tx.db, id)).filter(({ status }) => isRetried(status)).map(({ connection_id }) => connection_id),
		);
		// A concurrent retry has started the others.
		const connections = visible.filter((connection) => failed.has(connection.id));
		if (connections.length === 0) throw buildRefusedError("The failed runs have been started again already.");
		const jobs = await startRuns(ctx, tx, caller, id, work, connections);
		for (const [i, connection] of connections.entries()) {
			await replaceGroupRun(tx, id, connection.id, jobs[i] ?? "");
		}
		await updateGroupExecution(tx, id, {
			status: "running",
			is_cancelled: false,
			total_rows: null,
			completed_at: null,
		});
		await ctx.events.changed(tx, caller, {
			...buildGroupRunTarget(id),
			description: `${caller.username} retried ${connections.length} runs of ${group.query_name ?? "a query"}`,
			metadata: { connection_ids: connections.map((connection) => connection.id) },
		});
		tx.afterCommit(() => ctx.pubsub.publish(groupTopic(id), ""));
		return readGroupRun(tx.db, caller, id);
	});
}

/**
 * Called in the transaction that ends a run of any kind, and in the one that records its end.
 * A run whose end is not recorded yet counts as running.
 */
export async function endMemberRun(ctx: Context, tx: Tx, jobId: string): Promise<void> {
	const group = await lockGroupByRun(tx, jobId);
	if (group === undefined) return;
	// Read after the lock: of two runs that end at once the second sees the end of the first.
	const runs = await listRuns(tx.db, group.id);
	const status = groupStatus(
		runs.map((run) => run.status),
		group.is_cancelled,
	);
	if (status !== "running" && group.status === "running") {
		const total_rows = runs.reduce((sum, run) => sum + (run.total_rows ?? 0), 0);
		await updateGroupExecution(tx, group.id, { status, total_rows, completed_at: getNow(ctx) });
	}
	tx.afterCommit(() => ctx.pubsub.publish(groupTopic(group.id), ""));
}
