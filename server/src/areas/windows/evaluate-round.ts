/**
 * Evaluates a round of a change window when all of its runs have ended: before the work the gate,
 * after it whether the fabric has settled, and the verdict. It reads and judges outside of the
 * transaction, and writes the outcome in one if the window is still in that round.
 */
import { isDeepStrictEqual } from "node:util";
import { type Context, getNow } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import { type Judgement, judgeRound } from "./judge-round.ts";
import { findNewFreeze } from "./move-frozen-window.ts";
import { moveWindow, SERVICE_ACTOR } from "./move-window.ts";
import { notifyOfWindow } from "./notify-of-window.ts";
import { type ControllerState, readControllers } from "./read-controllers.ts";
import { type ItemReading, listPlanChecks, type RoundCaptures, readItems } from "./read-items.ts";
import { type BeforeItem, decideGate, type GateDecision } from "./rules/gate.ts";
import { countStable, decideNextStep, isRecorded, isSettled } from "./rules/settle.ts";
import {
	insertResults,
	listCaptures,
	listEarlierCaptures,
	listLatestResults,
	listRounds,
	type ResultRow,
} from "./sql/rounds.ts";
import { findWindowRow, listAllConnections, lockWindowRow, setControllers, type WindowRow } from "./sql/windows.ts";
import { listItemQueries } from "./start-round.ts";
import { writeVerdict } from "./write-verdict.ts";

/** Time between the two rounds of a quiet baseline. */
const QUIET_MS = 60_000;

/** Whether the window still waits for this round. */
const isWaiting = (window: WindowRow | undefined, round: number): window is WindowRow =>
	window !== undefined &&
	(window.state === "checking_before" || window.state === "settling") &&
	window.round === round &&
	window.round_at === null;

/** Safe to call any number of times, and concurrently. */
export async function evaluateRound(ctx: Context, data: unknown, signal: AbortSignal): Promise<void> {
	const { windowId, round } = data as { readonly windowId: string; readonly round: number };
	const { db } = ctx.store;
	const window = await findWindowRow(db, windowId);
	if (!isWaiting(window, round)) return;
	const captured: RoundCaptures = {
		window,
		connections: await listAllConnections(db, windowId),
		queries: await listItemQueries(db, window),
		captures: await listCaptures(db, windowId, round),
		earlier: await listEarlierCaptures(db, windowId, { from: window.phase_round, before: round }),
	};
	const readings = await readItems(ctx, captured, signal);
	if (window.state === "checking_before") await writeGate(ctx, captured, readings, signal);
	else await writeSettling(ctx, captured, readings, signal);
}

type Results = Parameters<typeof insertResults>[1];

const buildResults = (
	{ window }: RoundCaptures,
	readings: readonly ItemReading[],
	countRounds: (reading: ItemReading) => number,
): Results =>
	readings
		.filter(({ capture }) => capture !== null)
		.map((reading) => ({
			window_id: window.id,
			round: window.round,
			item: reading.item,
			connection_id: reading.connectionId,
			side: reading.side === null ? null : JSON.stringify(reading.side),
			groups: reading.groups === null ? null : JSON.stringify(reading.groups),
			unsettled_rows: reading.unsettledRows,
			stable_rounds: countRounds(reading),
		}));

/** The differences of an item from the first round of a quiet baseline; null: not comparable. */
function countUnrest(reading: ItemReading, first: ResultRow | undefined): number | null {
	if (first === undefined) return null;
	if (reading.side === null) return reading.drift;
	return isSameAsBefore(reading, first.side) ? 0 : 1;
}

async function listBeforeItems(
	ctx: Context,
	{ window }: RoundCaptures,
	readings: readonly ItemReading[],
	defects: ReadonlyMap<string, string>,
): Promise<BeforeItem[]> {
	const { db } = ctx.store;
	const checks = await listPlanChecks(db, window);
	const isSecond = window.plan.gate.quiet_baseline && window.round > window.phase_round;
	const range = { from: window.phase_round, to: window.round - 1 };
	const first = isSecond ? await listLatestResults(db, window.id, range) : [];
	return readings.map((reading) => {
		const { item, connectionId, capture, side, unsettledRows } = reading;
		const own = first.find((one) => one.item === item && one.connection_id === connectionId);
		const isCompared = isSecond && !isRecorded(window.plan.items, item);
		const planned = window.plan.items[item];
		const isComplete = capture !== null && capture.is_complete === true;
		const missing = isComplete
			? (defects.get(connectionId) ?? null)
			: (capture?.error ?? "The query or check of the item no longer exists.");
		const check =
			planned !== undefined && "check" in planned && side !== null
				? { severity: checks.get(planned.check)?.severity ?? "warning", when: planned.when, side }
				: null;
		const drift = isCompared ? { drift: countUnrest(reading, own) } : {};
		return { item, connectionId, missing, check, unsettledRows, ...drift };
	});
}

const NONE: ReadonlyMap<string, ControllerState> = new Map();

/** The defects of controllers by connection, without those that have none. */
const listDefects = (controllers: ReadonlyMap<string, ControllerState>): ReadonlyMap<string, string> =>
	new Map([...controllers].flatMap(([id, { defect }]) => (defect === null ? [] : [[id, defect] as const])));

async function writeGate(
	ctx: Context,
	captured: RoundCaptures,
	readings: readonly ItemReading[],
	signal: AbortSignal,
): Promise<void> {
	const { window: seen } = captured;
	const { gate } = seen.plan;
	const controllers = await readControllers(ctx, captured.connections, signal);
	const decided = decideGate(await listBeforeItems(ctx, captured, readings, listDefects(controllers)), gate);
	const needsSecond = gate.quiet_baseline && gate.before !== "off" && seen.round === seen.phase_round;
	await ctx.store.transaction(async (tx) => {
		const window = await lockWindowRow(tx, seen.id);
		if (!isWaiting(window, seen.round)) return;
		await insertResults(
			tx,
			buildResults(captured, readings, () => 0),
		);
		await setControllers(tx, window.id, "before", controllers);
		if (needsSecond) {
			const round_at = new Date(ctx.clock.now() + QUIET_MS);
			await moveWindow(ctx, tx, window, SERVICE_ACTOR, {
				event: "round",
				values: { round_at },
				detail: "A second round before the work follows.",
				verb: "took a round of",
			});
			return;
		}
		await openWindow(ctx, tx, window, decided);
	});
}

/** Opens a locked window, or blocks it if the gate or a freeze that began meanwhile forbids it. */
export async function openWindow(ctx: Context, tx: Tx, window: WindowRow, decided: GateDecision): Promise<void> {
	const freeze = await findNewFreeze(ctx, tx, window);
	const decision = freeze === null ? decided : { passed: false, reasons: [...decided.reasons, freeze] };
	const isOpen = decision.passed || window.override !== null;
	await moveWindow(ctx, tx, window, SERVICE_ACTOR, {
		event: "gate",
		to: isOpen ? "open" : "blocked",
		values: { gate: JSON.stringify(decision), ...(isOpen ? { opened_at: getNow(ctx) } : {}) },
		detail: formatReasonCount(decision.reasons.length),
		verb: isOpen ? "opened" : "blocked",
	});
	if (!isOpen) await notifyOfWindow(ctx, tx, window, { event: "change_window_blocked", gate: decision });
}

function formatReasonCount(count: number): string {
	if (count === 0) return "";
	return count === 1 ? "1 reason against it" : `${count} reasons against it`;
}

/** Comparisons of each item without a difference, up to this round, by `item connection`. */
async function countStableRounds(
	ctx: Context,
	{ window, captures }: RoundCaptures,
	readings: readonly ItemReading[],
): Promise<ReadonlyMap<string, number>> {
	const earlier = await listLatestResults(ctx.store.db, window.id, { from: window.phase_round, to: window.round - 1 });
	const known = new Map(earlier.map((row) => [`${row.item} ${row.connection_id}`, row]));
	return new Map(
		readings.map((reading) => {
			const key = `${reading.item} ${reading.connectionId}`;
			const before = known.get(key);
			const isCaptured = reading.capture !== null && captures.includes(reading.capture);
			const stable = countStable({
				isCaptured,
				isComplete: reading.capture?.is_complete === true,
				isSame: before === undefined ? null : isSameAsBefore(reading, before.side),
				unsettledRows: reading.unsettledRows,
				stableBefore: before?.stable_rounds ?? 0,
			});
			return [key, stable];
		}),
	);
}

/** Whether a check has an equal outcome for the same objects, or a query no differences. */
function isSameAsBefore({ side, drift }: ItemReading, before: ItemReading["side"]): boolean {
	if (side === null) return drift === 0;
	// Lists that were cut are of any of the rows.
	if (!side.isComplete && before?.isComplete === false)
		return side.state === before.state && side.violations === before.violations && side.error === before.error;
	// The store does not keep the order of the fields.
	return isDeepStrictEqual(side, before);
}

async function writeSettling(
	ctx: Context,
	captured: RoundCaptures,
	readings: readonly ItemReading[],
	signal: AbortSignal,
): Promise<void> {
	const { window: seen } = captured;
	const { db } = ctx.store;
	const stable = await countStableRounds(ctx, captured, readings);
	const round = (await listRounds(db, seen.id)).find((one) => one.round === seen.round);
	if (round === undefined) return;
	const allSettled = readings.every(({ item, connectionId }) => {
		const rounds = stable.get(`${item} ${connectionId}`) ?? 0;
		return isSettled(rounds, isRecorded(seen.plan.items, item), seen.plan.settle);
	});
	const since = seen.phase_at ?? round.started_at;
	const step = decideNextStep({
		isCommon: round.is_common,
		allSettled,
		judgeNow: seen.judge_now,
		rounds: seen.round - seen.phase_round + 1,
		elapsedMs: ctx.clock.now() - since.getTime(),
		settle: seen.plan.settle,
	});
	const isJudged = step === "judge" || step === "judge_if_passed";
	const controllers = isJudged ? await readControllers(ctx, captured.connections, signal) : NONE;
	const judgement = isJudged
		? await judgeRound(ctx, captured, { readings, stable, defects: listDefects(controllers) }, signal)
		: null;
	const isFinal = judgement !== null && (step === "judge" || isGood(judgement));
	await ctx.store.transaction(async (tx) => {
		const window = await lockWindowRow(tx, seen.id);
		if (!isWaiting(window, seen.round)) return;
		const results = buildResults(captured, readings, (one) => stable.get(`${one.item} ${one.connectionId}`) ?? 0);
		await insertResults(tx, results);
		if (judgement !== null && isFinal) {
			await setControllers(tx, window.id, "after", controllers);
			await writeVerdict(ctx, tx, window, { judgement, round });
			return;
		}
		await scheduleRound(ctx, tx, window, step === "common", round.started_at);
	});
}

/** Whether the verdict is one that another round could only worsen. */
const isGood = ({ verdict }: Judgement): boolean => verdict === "passed" || verdict === "passed_with_warnings";

async function scheduleRound(
	ctx: Context,
	tx: Tx,
	window: WindowRow,
	isCommon: boolean,
	startedAt: Date,
): Promise<void> {
	const following = new Date(startedAt.getTime() + window.plan.settle.interval_s * 1_000);
	const now = getNow(ctx);
	await moveWindow(ctx, tx, window, SERVICE_ACTOR, {
		event: "round",
		values: { round_at: isCommon || window.judge_now || following < now ? now : following, common_next: isCommon },
		detail: isCommon ? "A round of all items follows." : "",
		verb: "took a round of",
	});
}
