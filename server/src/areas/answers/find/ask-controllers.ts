/** Searches for objects on controllers: asks them in parallel, and stores their answers. */
import {
	FIND_LIMITS,
	type FoundObject,
	type LiveFindAnswer,
	type LiveFindBody,
	type LiveFindStarted,
} from "@weft/contracts";
import { type Context, getNow } from "../../../context.ts";
import type { Caller, Identity } from "../../../core/caller.ts";
import { buildFieldError, buildNotFoundError, buildRefusedError } from "../../../core/errors.ts";
import { findTarget, requireTarget } from "../../fabrics/manage-connections.ts";
import { findVisibleGroup } from "../../fabrics/manage-groups.ts";
import { readControllerObjects } from "./read-controller.ts";
import { listLiveRequests } from "./rules/live-requests.ts";
import { compareMatches, matchObject } from "./rules/match.ts";
import { type Question, readQuestion } from "./rules/question.ts";
import { getLabel } from "./rules/terms.ts";
import {
	countRunningFinds,
	deleteOldFinds,
	endLiveRun,
	findLiveFind,
	insertLiveFind,
	type LiveRunRow,
	listLiveRuns,
} from "./sql/live.ts";
import type { LiveObject } from "./tables.ts";

/** Upper bound of a connection's answer, in milliseconds. */
const ANSWER_MS = 60_000;
/** Answers are kept that long, in milliseconds. */
const KEPT_MS = 30 * 60_000;
/** Controllers that one search asks at the same time. */
const PARALLEL = 8;
/** Searches of one user that run at the same time. */
const PER_USER = 3;

interface Asked {
	readonly id: string;
	readonly connection_id: string;
	readonly connection_name: string;
}

const LATE = "The controller did not answer within the time of a search. Try again, or name fewer connections.";

export async function startLiveFind(ctx: Context, caller: Caller, input: LiveFindBody): Promise<LiveFindStarted> {
	const connections = await listAskedConnections(ctx, caller, input);
	await ctx.quotas.check(caller, "can_execute_queries");
	const id = ctx.ids.uuid();
	const question = readQuestion(input.q);
	const runs = connections.map((connection) => ({
		id: ctx.ids.uuid(),
		connection_id: connection.id,
		connection_name: connection.name,
	}));
	await deleteOldFinds(ctx.store.db, new Date(ctx.clock.now() - KEPT_MS));
	await ctx.store.transaction(async (tx) => {
		const running = await countRunningFinds(tx, caller.userId, new Date(ctx.clock.now() - ANSWER_MS));
		if (running >= PER_USER)
			throw buildRefusedError(`${PER_USER} of your searches are still running. Wait until one of them ends.`);
		await insertLiveFind(tx, { id, user_id: caller.userId, ...question, created_at: getNow(ctx) }, runs);
		await ctx.events.changed(tx, caller, {
			targetType: "live_find",
			targetId: id,
			description: `${caller.username} searched ${connections.length} controllers for ${question.normalized}`,
			metadata: { kind: question.kind, connection_ids: connections.map((connection) => connection.id) },
		});
		tx.afterCommit(() => void askAll(ctx, question, runs));
	});
	return { id, runs: runs.map((run) => run.id) };
}

async function listAskedConnections(
	ctx: Context,
	caller: Identity,
	input: LiveFindBody,
): Promise<readonly { id: string; name: string }[]> {
	if (!input.connection_group_id) {
		const found: { id: string; name: string }[] = [];
		for (const id of input.controller_connection_ids ?? [])
			found.push(await requireTarget(ctx, caller, id, "controller_connection_ids"));
		return found;
	}
	const field = "connection_group_id";
	const group = await findVisibleGroup(ctx.store.db, caller, input.connection_group_id);
	if (group === null) throw buildFieldError(field, "There is no such connection group that you can see.");
	if (group.members.length === 0)
		throw buildFieldError(field, `The group "${group.name}" has no connections that you can see. Add one to it.`);
	if (group.members.length > FIND_LIMITS.connections)
		throw buildFieldError(field, `A search asks at most ${FIND_LIMITS.connections} connections. Name some of them.`);
	return group.members;
}

async function askAll(ctx: Context, question: Question, runs: readonly Asked[]): Promise<void> {
	const waiting = [...runs];
	const askNext = async (): Promise<void> => {
		for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) await askOne(ctx, question, run);
	};
	try {
		await Promise.all(Array.from({ length: PARALLEL }, askNext));
	} catch (error) {
		// What has no answer by then is shown as failed after its time.
		ctx.log.warn({ err: error }, "the answer of a controller could not be kept");
	}
}

async function askOne(ctx: Context, question: Question, run: Asked): Promise<void> {
	const answer = await askConnection(ctx, question, run).catch((error: unknown) => {
		if (!(error instanceof Error)) throw error;
		return { status: "failed" as const, error: error.message, objects: [], total: 0, is_total_exact: true };
	});
	await endLiveRun(ctx.store.db, run.id, answer);
}

async function askConnection(ctx: Context, question: Question, run: Asked) {
	const found = await findTarget(ctx, run.connection_id);
	if ("problem" in found) throw new Error(found.message);
	const seen_at = getNow(ctx).toISOString();
	const signal = AbortSignal.timeout(ANSWER_MS);
	const matches = new Map<string, LiveObject>();
	let isExact = true;
	for (const path of listLiveRequests(question)) {
		const { objects, total } = await readControllerObjects(ctx, found.target, path, signal);
		if (total > objects.length) isExact = false;
		for (const object of objects) {
			const match = matchObject(question, object);
			if (match === null) continue;
			const { rank, tie, attribute, value } = match;
			matches.set(object.dn, {
				dn: object.dn,
				class_name: object.className,
				label: getLabel(object),
				matched: { attribute, value },
				rank,
				tie,
				seen_at,
			});
		}
	}
	const sorted = [...matches.values()].sort(compareLiveObjects);
	return {
		status: "completed" as const,
		error: null,
		objects: sorted.slice(0, FIND_LIMITS.objects),
		total: sorted.length,
		is_total_exact: isExact,
	};
}

const compareLiveObjects = (a: LiveObject, b: LiveObject): number =>
	compareMatches({ ...a, ...a.matched }, { ...b, ...b.matched }) || (a.dn < b.dn ? -1 : 1);

/** @throws 404 for searches of others, and after their time */
export async function readLiveFind(
	ctx: Context,
	caller: Identity,
	id: string,
	{ limit }: { limit: number },
): Promise<LiveFindAnswer> {
	const now = ctx.clock.now();
	const find = await findLiveFind(ctx.store.db, { id, userId: caller.userId, since: new Date(now - KEPT_MS) });
	if (find === undefined) throw buildNotFoundError();
	const isLate = now - find.created_at.getTime() > 2 * ANSWER_MS;
	const runs = (await listLiveRuns(ctx.store.db, id)).map(
		(run): LiveRunRow => (isLate && run.status === "running" ? { ...run, status: "failed", error: LATE } : run),
	);
	const objects = runs
		.flatMap((run) => run.objects.map((object) => ({ run, object })))
		.sort((a, b) => compareLiveObjects(a.object, b.object));
	return {
		kind: find.kind,
		normalized: find.normalized,
		total: runs.reduce((sum, run) => sum + run.total, 0),
		is_total_exact: runs.every((run) => run.is_total_exact),
		objects: objects.slice(0, limit).map(({ run, object }) => presentLiveObject(run, object)),
		status: runs.some(({ status }) => status === "running") ? "running" : "done",
		connections: runs.map(({ connection_id, connection_name, status, error }) => ({
			connection: { id: connection_id, name: connection_name },
			status,
			error,
		})),
	};
}

function presentLiveObject(run: LiveRunRow, { rank: _, tie: __, ...object }: LiveObject): FoundObject {
	return {
		connection: { id: run.connection_id, name: run.connection_name },
		...object,
		saved_query: null,
		snapshot_id: null,
		first_seen_at: null,
		is_current: true,
	};
}
