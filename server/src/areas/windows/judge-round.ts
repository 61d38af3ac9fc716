/** Judges a round after the work against the last round before it. Writes nothing. */
import { type Expectation, WINDOW_LIMITS } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { findIdentity } from "../accounts/sign-in/create-sessions.ts";
import { isEndedAfter, isRunningJob, listWindowJobs, type WindowJob } from "../automation/jobs/sql/held-launches.ts";
import { buildQueryTask, readDifferences } from "./read-differences.ts";
import { type ItemReading, listPlanChecks, type RoundCaptures } from "./read-items.ts";
import { compareFindings } from "./rules/findings.ts";
import { isRecorded, isSettled } from "./rules/settle.ts";
import { joinGroups } from "./rules/tolerance.ts";
import type { JudgedConnection, NewFinding } from "./rules/types.ts";
import { type JudgedWindow, judgeWindow } from "./rules/verdict.ts";
import { type ExpectationRow, listExpectations } from "./sql/findings.ts";
import {
	type CaptureRow,
	listEarlierCaptures,
	listLatestResults,
	listRounds,
	type ResultRow,
	type RoundRow,
} from "./sql/rounds.ts";
import type { ConnectionRow, WindowRow } from "./sql/windows.ts";
import { findWindowRules } from "./window-rules.ts";
import type { ItemToJudge } from "./workers/tasks.ts";
import { JUDGE_MS } from "./workers/work.ts";

export interface Judgement extends JudgedWindow {
	readonly connections: readonly JudgedConnection[];
	/** In the order of a report, up to the limit of a window. */
	readonly findings: readonly NewFinding[];
	/** Number of all findings. */
	readonly findingCount: number;
	/** Items that have settled, as `item connection`. */
	readonly settled: ReadonlySet<string>;
}

export const presentExpectation = ({ id, is_late, data }: ExpectationRow): Expectation => ({
	...data,
	id,
	late: is_late,
});

/** The last round before the work. */
interface Before {
	readonly round: RoundRow | undefined;
	readonly captures: readonly CaptureRow[];
	readonly results: readonly ResultRow[];
}

async function readBefore(ctx: Context, window: WindowRow, rounds: readonly RoundRow[]): Promise<Before> {
	const { db } = ctx.store;
	const round = rounds.findLast(({ phase }) => phase === "before");
	if (round === undefined) return { round, captures: [], results: [] };
	const range = { from: round.round, before: round.round + 1, to: round.round };
	return {
		round,
		captures: await listEarlierCaptures(db, window.id, range),
		results: await listLatestResults(db, window.id, range),
	};
}

/** A round as it was read. */
export interface ReadRound {
	readonly readings: readonly ItemReading[];
	/** Comparisons without a difference up to this round, by `item connection`. */
	readonly stable: ReadonlyMap<string, number>;
	/** Why the answers of controllers may lack objects, by connection. */
	readonly defects: ReadonlyMap<string, string>;
}

export async function judgeRound(
	ctx: Context,
	captured: RoundCaptures,
	{ readings, stable, defects }: ReadRound,
	signal: AbortSignal,
): Promise<Judgement> {
	const { window, connections } = captured;
	const { db } = ctx.store;
	const rounds = await listRounds(db, window.id);
	const before = await readBefore(ctx, window, rounds);
	const settled = new Set<string>();
	const judging = {
		failOn: window.plan.gate.fail_on,
		expectations: (await listExpectations(db, window.id)).map(presentExpectation),
		implementers: window.implementers,
	};
	const common = { ...(await readCommon(ctx, window, before, rounds.at(-1))), connections, defects };
	const judged: JudgedConnection[] = [];
	for (const { connection_id: connectionId } of connections) {
		const items: ItemToJudge[] = [];
		for (const reading of readings.filter((one) => one.connectionId === connectionId)) {
			const key = `${reading.item} ${connectionId}`;
			const { items: planned, settle } = window.plan;
			if (isSettled(stable.get(key) ?? 0, isRecorded(planned, reading.item), settle)) settled.add(key);
			items.push(await prepareItem(ctx, common, reading, settled.has(key), signal));
		}
		judged.push(await ctx.judgePool.run("judge", { judging, connectionId, items }, { signal, timeoutMs: JUDGE_MS }));
	}
	const findings = judged.flatMap(({ items, missing }) => [...items.flatMap((item) => item.findings), ...missing]);
	return {
		...judgeWindow(judged),
		connections: judged,
		findings: findings.sort(compareFindings).slice(0, WINDOW_LIMITS.findings),
		findingCount: findings.length,
		settled,
	};
}

interface Common {
	readonly window: WindowRow;
	readonly before: Before;
	readonly after: RoundRow | undefined;
	readonly identity: Awaited<ReturnType<typeof findIdentity>>;
	readonly checks: Awaited<ReturnType<typeof listPlanChecks>>;
	readonly jobs: readonly WindowJob[];
	readonly connections: readonly ConnectionRow[];
	readonly defects: ReadonlyMap<string, string>;
}

async function readCommon(
	ctx: Context,
	window: WindowRow,
	before: Before,
	after: RoundRow | undefined,
): Promise<Omit<Common, "connections" | "defects">> {
	return {
		window,
		before,
		after,
		identity: window.owner_id === null ? null : await findIdentity(ctx, window.owner_id),
		checks: await listPlanChecks(ctx.store.db, window),
		jobs: await listWindowJobs(ctx.store.db, window.id),
	};
}

/** Reason why the two sides cannot be judged; null if they can. */
function findDoubt(common: Common, reading: ItemReading, before: CaptureRow | undefined): string | null {
	const { window, after, jobs, connections, defects } = common;
	const { capture, connectionId } = reading;
	if (capture === null) return "The query or check of the item no longer exists.";
	if (before === undefined || before.is_complete !== true)
		return `There is no complete snapshot before the work. ${before?.error ?? ""}`.trim();
	if (capture.is_complete !== true)
		return `There is no complete snapshot after the work. ${capture.error ?? ""}`.trim();
	const old = connections.find((one) => one.connection_id === connectionId)?.defect_before ?? null;
	if (old !== null) return `The snapshot before the work may lack objects. ${old}`;
	const defect = defects.get(connectionId);
	if (defect !== undefined) return `The snapshot after the work may lack objects. ${defect}`;
	if (before.version_hash !== capture.version_hash || before.query_version !== capture.query_version)
		return `The query was changed meanwhile: ${before.query_version} before, ${capture.query_version} after.`;
	if (window.finished_at === null || after === undefined || after.started_at < window.finished_at)
		return "The run after the work started before the work ended.";
	const { started_at: startedAt } = after;
	if (jobs.some((job) => isRunningJob(job) || isEndedAfter(job, startedAt)))
		return "A job of the change window was still running when the run after the work started.";
	return null;
}

async function prepareItem(
	ctx: Context,
	common: Common,
	reading: ItemReading,
	isItemSettled: boolean,
	signal: AbortSignal,
): Promise<ItemToJudge> {
	const { item: index, connectionId, capture } = reading;
	const planned = common.window.plan.items[index];
	const of = planned !== undefined && "check" in planned ? "check" : "query";
	const before = common.before.captures.find(
		(one) => one.saved_query_id === capture?.saved_query_id && one.connection_id === connectionId,
	);
	const doubt = findDoubt(common, reading, before);
	const none = (reason: string): ItemToJudge => ({ kind: "none", of, index, reason });
	if (planned === undefined || doubt !== null || before === undefined || capture === null) return none(doubt ?? "");
	if (!isItemSettled) return none("The fabric had not settled at the end of the time that the plan gives it.");
	const earlier = common.before.results.find((one) => one.item === index && one.connection_id === connectionId);
	if ("check" in planned) {
		const severity = common.checks.get(planned.check)?.severity ?? "warning";
		return { kind: "check", item: planned, index, severity, before: earlier?.side ?? null, after: reading.side };
	}
	if (planned.match === "dn" && common.before.round?.model !== common.after?.model)
		return none("Another class model was loaded meanwhile. Compare by name, or take the rounds again.");
	const groups = joinGroups(earlier?.groups ?? null, reading.groups);
	if (planned.compare === "tolerance" && planned.tolerance?.count !== undefined && groups === null)
		return none("The rows could not be counted by their groups.");
	const differences = await readDifferences(
		ctx,
		{
			from: before.snapshot_id ?? "",
			to: capture.snapshot_id ?? "",
			rules: await findWindowRules(ctx.store.db, common.window, capture.saved_query_id),
			match: planned.match,
			identity: common.identity,
		},
		signal,
	);
	if (differences === null) return none("A snapshot was deleted before it was compared.");
	return buildQueryTask(planned, index, differences, groups ?? []);
}
