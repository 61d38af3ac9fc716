/** Reads change windows as a caller sees them. */
import type { ChangeWindow, ChangeWindowList, WindowEventEntry } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller, Identity } from "../../core/caller.ts";
import { AppError, buildForbiddenError, buildNotFoundError } from "../../core/errors.ts";
import { paginateRows } from "../../core/http/paging.ts";
import type { Db, Tx } from "../../core/ports/store.ts";
import { listWindowJobs } from "../automation/jobs/sql/held-launches.ts";
import { nameItems } from "./plans/manage-plans.ts";
import { mayAct, REFUSALS, type WindowRole } from "./policy.ts";
import { presentEvent, presentListed, presentWindow, type WindowParts } from "./present.ts";
import { canLeave, type Move } from "./rules/transitions.ts";
import { countEvidence } from "./sql/evidence.ts";
import { countAccepted } from "./sql/findings.ts";
import { listCaptures, listEarlierCaptures, listLatestResults, listRounds } from "./sql/rounds.ts";
import {
	findShownWindow,
	listConnections,
	listEvents,
	listOverlaps,
	listWindowPage,
	lockWindowRow,
	type ShownWindow,
	type WindowRow,
} from "./sql/windows.ts";
import { listItemQueries } from "./start-round.ts";

export async function findVisibleWindow(db: Db, caller: Identity, id: string): Promise<ShownWindow> {
	const window = await findShownWindow(db, caller, id);
	if (window === undefined) throw buildNotFoundError();
	return window;
}

export const buildStateError = (state: WindowRow["state"], detail: string): AppError =>
	new AppError(409, { detail, state });

/**
 * Locks the window for a move.
 * @throws 404 if the caller does not see it, 403 without the right to the move, 409 with the state
 * if that does not allow the move
 */
export async function lockForMove(
	tx: Tx,
	caller: Identity,
	id: string,
	{ move, role = "mover" }: { readonly move: Move; readonly role?: WindowRole },
): Promise<ShownWindow> {
	const row = await lockWindowRow(tx, id);
	const shown = row && (await findShownWindow(tx.db, caller, id));
	if (shown === undefined) throw buildNotFoundError();
	if (!mayAct(role, caller, shown)) throw buildForbiddenError(REFUSALS[role]);
	if (!canLeave(move, shown.state)) {
		const words = shown.state.replaceAll("_", " ");
		throw buildStateError(shown.state, `The change window is ${words}: it cannot ${formatMove(move)}.`);
	}
	return shown;
}

const MOVE_WORDS: Readonly<Partial<Record<Move, string>>> = {
	edit: "be changed any more",
	rename: "be changed any more",
	remove: "be deleted",
	expect: "take expectations any more",
	evidence: "take or lose results of the pre-upgrade script any more",
	accept: "have findings accepted",
	recheck: "be checked again",
	override: "be overridden",
	submit: "be submitted",
	approve: "be approved",
	reject: "be rejected",
	retry: "be tried again",
	cancel: "be cancelled",
	sign: "be signed",
};
const formatMove = (move: Move): string => MOVE_WORDS[move] ?? move;

/** Reads the last round before the work, and the judged round after it, else the last one. */
async function readParts(db: Db, caller: Identity, window: ShownWindow): Promise<WindowParts> {
	const rounds = await listRounds(db, window.id);
	const before = rounds.findLast(({ phase }) => phase === "before");
	const judged = window.verdicts.at(-1)?.round;
	const after = rounds.findLast(({ phase, round }) => phase === "after" && (judged === undefined || round === judged));
	const range = { from: window.phase_round, to: window.round };
	return {
		connections: await listConnections(db, caller, window.id),
		rounds,
		queries: await listItemQueries(db, window),
		before: before === undefined ? [] : await listEarlierCaptures(db, window.id, { from: 1, before: before.round + 1 }),
		after: after === undefined ? [] : await listCaptures(db, window.id, after.round),
		results: window.state === "settling" ? await listLatestResults(db, window.id, range) : [],
		accepted: new Map(
			(await countAccepted(db, window.id)).map(({ item, connection_id, count }) => [`${item} ${connection_id}`, count]),
		),
		items: await nameItems(db, caller, window.plan.items),
		overlaps: await listOverlaps(db, caller, window),
		evidenceCount: await countEvidence(db, window.id, window.visible_ids),
		jobs: await listWindowJobs(db, window.id),
	};
}

export async function readWindow(db: Db, caller: Identity, id: string): Promise<ChangeWindow> {
	const window = await findVisibleWindow(db, caller, id);
	return presentWindow(window, await readParts(db, caller, window), caller);
}

export async function listWindows(ctx: Context, caller: Caller, filter: ChangeWindowList, url: string) {
	return paginateRows(url, filter, await listWindowPage(ctx.store.db, caller, filter), presentListed);
}

/** All events on one page: a window has some hundred at most. */
export async function listWindowEvents(ctx: Context, caller: Caller, id: string) {
	const { hidden_count: hidden } = await findVisibleWindow(ctx.store.db, caller, id);
	const events = await listEvents(ctx.store.db, id);
	const results: WindowEventEntry[] = events.map((event) => presentEvent(event, hidden === 0));
	return { count: results.length, next: null, previous: null, results };
}
