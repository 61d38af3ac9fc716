/**
 * Binds the launch of an automation request to a change window: one that the request names, or one
 * that is made of its plan. The window begins its phase before the work, and holds the launch until
 * it opens.
 */
import { type ExpectationInput, WINDOW_LIMITS } from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import type { Identity } from "../../core/caller.ts";
import { buildConflictError, buildFieldError, buildForbiddenError } from "../../core/errors.ts";
import type { Db, Tx } from "../../core/ports/store.ts";
import { findConnectionUser } from "../automation/connections/sql.ts";
import type { Launcher } from "../automation/jobs/launch/bind-window.ts";
import type { BoundWindow } from "../automation/jobs/launch/execution-lifecycle.ts";
import { addRequestWarnings } from "../automation/jobs/request/request-progress.ts";
import type { RequestRow } from "../automation/jobs/sql/requests.ts";
import { passFreeze } from "../calendar/pass-freeze.ts";
import { OPEN_MAX } from "./manage-windows.ts";
import { moveFrozenWindow } from "./move-frozen-window.ts";
import { buildTarget, moveWindow } from "./move-window.ts";
import { insertNewWindow } from "./new-window.ts";
import { canMove, REFUSALS } from "./policy.ts";
import { buildRequestExpectations } from "./read-import.ts";
import { buildStateError } from "./read-window.ts";
import type { RequestPlan } from "./request-change.ts";
import type { Imported } from "./rules/import-result.ts";
import { buildSnapshotPlan } from "./rules/snapshot-plan.ts";
import { isBeforeEnd } from "./rules/transitions.ts";
import { findUserId } from "./sql/approvers.ts";
import { insertExpectations } from "./sql/findings.ts";
import { findPlanId } from "./sql/plans.ts";
import {
	countOpenWindows,
	findShownWindow,
	findWindowRow,
	insertEvents,
	listAllConnections,
	lockWindowRow,
	replaceConnections,
	updateWindowRow,
	type WindowRow,
} from "./sql/windows.ts";
import { buildStart } from "./step-window.ts";

type Binding =
	/** `isDue`: the launch starts the window. */
	| { readonly kind: "join"; readonly window: WindowRow; readonly isDue: boolean }
	| { readonly kind: "make"; readonly plan: RequestPlan; readonly rows: Imported; readonly ownerId: number | null };

/** Whether the window waits for a start at its time, so that the launch waits for it, too. */
const isStartedLater = ({ auto_start, starts_at }: WindowRow, now: Date): boolean =>
	auto_start && starts_at !== null && starts_at > now;

async function readBinding(ctx: Context, tx: Tx, row: RequestRow, identity: Identity): Promise<Binding> {
	const window = row.change_window_id === null ? undefined : await lockWindowRow(tx, row.change_window_id);
	const plan = row.change_plan as RequestPlan | null;
	if (plan === null) {
		if (window === undefined)
			throw buildConflictError("The change window no longer exists. Edit the request and name another one.");
		return readJoin(ctx, tx, window, identity);
	}
	// A retry while the window of the launch before is open belongs to it.
	if (window !== undefined && isBeforeEnd(window.state)) return readJoin(ctx, tx, window, identity);
	return readMaking(tx, row, plan);
}

async function readJoin(ctx: Context, tx: Tx, window: WindowRow, identity: Identity): Promise<Binding> {
	const { state } = window;
	if (!isBeforeEnd(state) || state === "draft" || state === "waiting") {
		const words = state === "waiting" ? "waiting for approval" : state.replaceAll("_", " ");
		throw buildStateError(state, `The change window is ${words}: no job can begin in it.`);
	}
	const isDue = state === "planned" && !isStartedLater(window, getNow(ctx));
	if (isDue) {
		const shown = await findShownWindow(tx.db, identity, window.id);
		if (shown === undefined || !canMove(identity, shown)) throw buildForbiddenError(REFUSALS.mover);
	}
	return { kind: "join", window, isDue };
}

async function readMaking(tx: Tx, row: RequestRow, plan: RequestPlan): Promise<Binding> {
	const { requested_by_id: ownerId, target_controller_id: target } = row;
	if (row.change_plan_id === null) return { kind: "make", ownerId, ...declareRows(row, plan) };
	if (ownerId === null) throw buildConflictError("The requester's account is gone. Make a copy of the request.");
	if (target === null)
		throw buildFieldError("change_plan", "Name the target_controller whose state the plan compares.");
	if ((await countOpenWindows(tx.db, ownerId)) >= OPEN_MAX)
		throw buildForbiddenError(
			`${row.requested_by} has ${OPEN_MAX} change windows without a verdict. Finish or cancel those that are no longer needed.`,
		);
	// A dry run is to change nothing.
	const rows = row.check_mode ? NO_ROWS : buildRequestExpectations(row);
	if (plan.expectations.length + rows.expectations.length > WINDOW_LIMITS.expectations)
		throw buildFieldError(
			"change_plan",
			`The rows and the plan declare more than ${WINDOW_LIMITS.expectations} changes. Divide the rows among several requests.`,
		);
	return { kind: "make", plan, rows, ownerId };
}

const NO_ROWS: Imported = { expectations: [], notUnderstood: [] };

/**
 * The declared changes of a request that names no plan. Nothing in them refuses its launch: if
 * there are too many, changes are only reported. Those of an earlier launch may be there already.
 */
function declareRows(row: RequestRow, plan: RequestPlan): { readonly plan: RequestPlan; readonly rows: Imported } {
	if (row.check_mode) return { plan, rows: NO_ROWS };
	const rows = buildRequestExpectations(row);
	if (rows.expectations.length > WINDOW_LIMITS.expectations)
		return { plan: buildSnapshotPlan(row.watch_query_id ?? "", false), rows: NO_ROWS };
	if (row.executions_total === 0) return { plan, rows };
	return { plan, rows: { ...rows, expectations: rows.expectations.map((one) => ({ ...one, required: false })) } };
}

/** Why a launch cannot begin now. @throws 400, 403, 409 */
export async function assertLaunchable(ctx: Context, tx: Tx, row: RequestRow, identity: Identity): Promise<void> {
	await readBinding(ctx, tx, row, identity);
}

/** Call it with the window of the request locked. @throws 400, 403, 409 */
export async function bindLaunch(ctx: Context, tx: Tx, row: RequestRow, launcher: Launcher): Promise<BoundWindow> {
	const binding = await readBinding(ctx, tx, row, launcher.identity);
	if (binding.kind === "make") return makeWindow(ctx, tx, row, launcher, binding);
	const { window, isDue } = binding;
	if (isDue) {
		// Nobody waits for the answer of a scheduled launch: it is blocked with its window.
		if (launcher.isScheduled && (await moveFrozenWindow(ctx, tx, window))) return { id: window.id, gate: "blocked" };
		const connections = await listAllConnections(tx.db, window.id);
		const ids = connections.map(({ connection_id }) => connection_id);
		await passFreeze(ctx, tx.db, launcher.identity, ids, launcher.override);
		await startWindow(ctx, tx, window, launcher, row);
	}
	await addImplementers(tx, window, row);
	const { state } = window;
	return { id: window.id, gate: state === "open" || state === "blocked" ? state : "waiting_before" };
}

const startWindow = (ctx: Context, tx: Tx, window: WindowRow, { actor }: Launcher, row: RequestRow): Promise<void> =>
	moveWindow(ctx, tx, window, actor, {
		event: "start",
		to: "checking_before",
		values: buildStart(ctx, window),
		detail: row.title,
		verb: "started",
		metadata: { automation_request: row.id },
	});

/** The users who do the work of a job: that of its automation connection, if it has one. */
async function listImplementers(db: Db, connectionId: string | null): Promise<string[]> {
	const username = await findConnectionUser(db, connectionId);
	return username === null ? [] : [username];
}

/** Adds the users who do the work of a job to those of a window that was made before it. */
async function addImplementers(tx: Tx, { id, implementers }: WindowRow, { connection_id }: RequestRow): Promise<void> {
	const users = await listImplementers(tx.db, connection_id);
	const all = [...new Set([...implementers, ...users])];
	if (all.length > implementers.length && all.length <= WINDOW_LIMITS.implementers)
		await updateWindowRow(tx, id, { implementers: all });
}

const TITLE_MAX = 200;

/** People may plan a window of the same title for the same work: that of a job says so. */
const buildTitle = ({ title, change_plan_id }: RequestRow): string =>
	change_plan_id === null ? `Job: ${title}`.slice(0, TITLE_MAX).toWellFormed() : title;

/** The requester of the request asks for the window, and its approval approves the window. */
async function makeWindow(
	ctx: Context,
	tx: Tx,
	row: RequestRow,
	launcher: Launcher,
	{ plan, rows, ownerId }: Extract<Binding, { kind: "make" }>,
): Promise<BoundWindow> {
	const id = ctx.ids.uuid();
	const title = buildTitle(row);
	const approval = {
		approved_by_id: row.approved_by === null ? null : await findUserId(tx.db, row.approved_by),
		approved_by: row.approved_by,
		approved_at: row.approved_at,
	};
	await insertNewWindow(
		ctx,
		tx,
		{
			id,
			owner_id: ownerId,
			owner_name: row.requested_by,
			title,
			ticket_number: null,
			ticket_url: null,
			plan_id: await findPlanId(tx, row.change_plan_id),
			plan: JSON.stringify(plan.plan),
			starts_at: null,
			ends_at: null,
			auto_start: false,
			auto_finish: true,
			requires_approval: row.requires_approval,
			implementers: await listImplementers(tx.db, row.connection_id),
			state: "planned",
			idempotency_key: null,
			...approval,
		},
		launcher.actor.username,
	);
	await replaceConnections(tx, id, [{ id: row.target_controller_id ?? "", name: row.target_controller_name }]);
	const expectations: ExpectationInput[] = [...plan.expectations, ...rows.expectations];
	await insertExpectations(
		tx,
		id,
		expectations.map((data, position) => ({ id: ctx.ids.uuid(), position, isLate: false, data })),
	);
	await recordDeclaration(ctx, tx, id, row, rows);
	await ctx.events.changed(tx, launcher.actor, {
		...buildTarget({ id }),
		description: `${launcher.actor.username} planned the change window "${title}" of an automation request`,
		metadata: { automation_request: row.id, plan: row.change_plan_id, plan_revision: plan.plan.revision },
	});
	const window = await findWindowRow(tx.db, id);
	if (window === undefined) throw new Error("a change window is gone in the transaction that made it");
	await startWindow(ctx, tx, window, launcher, row);
	return { id, gate: "waiting_before" };
}

/** Rows that are named in the event and in the warning of the request. */
const NAMED_ROWS = 5;

/**
 * Adds the approval and the number of declared changes to the events of the window, and the rows
 * that were not understood to the warnings of the request.
 */
async function recordDeclaration(
	ctx: Context,
	tx: Tx,
	windowId: string,
	row: RequestRow,
	{ expectations, notUnderstood }: Imported,
): Promise<void> {
	const common = { window_id: windowId, from_state: "planned", to_state: "planned" } as const;
	const skipped = notUnderstood.slice(0, NAMED_ROWS).map(({ what, reason }) => `${what}: ${reason}`);
	const { length } = expectations;
	const declared = `${length} ${length === 1 ? "change" : "changes"} of the rows of "${row.title}"`;
	const at = getNow(ctx);
	await insertEvents(tx, [
		...(row.approved_at === null
			? []
			: [
					{
						...common,
						id: ctx.ids.uuid(),
						at,
						user_name: row.approved_by,
						event: "approve" as const,
						detail: `With the automation request "${row.title}"`,
					},
				]),
		{
			...common,
			id: ctx.ids.uuid(),
			at,
			user_name: row.requested_by,
			event: "expect" as const,
			detail: [declared, ...skipped].join("\n"),
		},
	]);
	if (notUnderstood.length === 0) return;
	const message = `${notUnderstood.length} of the changes that the rows declare were not understood. ${skipped.join(" ")}`;
	await addRequestWarnings(tx, row.id, [{ code: "rows_not_declared", message }]);
}
