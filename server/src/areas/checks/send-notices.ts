/**
 * Notifies each reader of a check of its problems and of their ends. The states are compared with
 * the problems that were sent: at each evaluation, at each change of a check, and every few
 * seconds for changes that no use case of checks makes (the end of a mute, a new webhook, a
 * deleted query or connection).
 */
import type { Context } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import { buildNotice, type CheckAlert } from "./rules/alerts.ts";
import { applyNotice, decideNotice, type NoticeDecision } from "./rules/notice-decision.ts";
import { lockCheckRow } from "./sql/checks.ts";
import type { NotifiedRow, ReaderRow } from "./sql/notified.ts";
import { beginNotified, compareNotified, endNotified, listDueChecks } from "./sql/notified.ts";
import { lockCheckStates } from "./sql/states.ts";

/** Checks that are looked for at once. */
const BATCH = 200;

interface Due {
	readonly row: ReaderRow;
	readonly decision: NoticeDecision;
}

/** One notification: alerts of an owner on a connection, for readers who are due the same. */
interface Message {
	readonly ownerId: number;
	readonly connectionName: string | null;
	readonly alerts: readonly [CheckAlert, ...CheckAlert[]];
	readonly webhookIds: (string | null)[];
}

/**
 * Compares entries of checks with what their readers know, and notifies them. The caller has
 * locked the entries.
 * @param connectionId undefined: all entries of the checks; null: that of all connections
 */
export async function sendNotices(
	ctx: Context,
	tx: Tx,
	checkIds: readonly string[],
	connectionId?: string | null,
): Promise<void> {
	const due = (await compareNotified(tx, checkIds, connectionId, new Date(ctx.clock.now()))).flatMap(findDecision);
	const isEnd = ({ decision: { kind } }: Due) => kind === "recovered" || kind === "closed";
	const [ends, begins] = [due.filter(isEnd), due.filter((one) => !isEnd(one))];
	const done = [
		...(ends.length === 0
			? []
			: await endNotified(
					tx,
					ends.map(({ row }) => row),
				)),
		...(begins.length === 0 ? [] : await beginNotified(tx, begins.map(buildNotified))),
	];
	const keys = new Set(done.map(buildReaderKey));
	for (const message of groupMessages(due.filter(({ row }) => keys.has(buildReaderKey(row))))) {
		await ctx.events.emit(tx, {
			type: "notification_due",
			userId: message.ownerId,
			category: "scheduled_task",
			...buildNotice(message.alerts, message.connectionName),
			key: `checks:${ctx.ids.uuid()}`,
			readers: {
				hasInbox: message.webhookIds.includes(null),
				webhookIds: message.webhookIds.filter((id) => id !== null),
			},
		});
	}
}

/** Sends notifications that are due without an evaluation or a change of a check. */
export async function sendDueNotices(ctx: Context, signal: AbortSignal): Promise<void> {
	for (const id of await listDueChecks(ctx.store.db, new Date(ctx.clock.now()), BATCH)) {
		if (signal.aborted) return;
		await ctx.store.transaction(async (tx) => {
			await lockCheckRow(tx, id);
			await lockCheckStates(tx, id);
			await sendNotices(ctx, tx, [id]);
		});
	}
}

function findDecision(row: ReaderRow): Due[] {
	const { state, state_error: error, is_active: isActive, is_muted: isMuted } = row;
	const isGone = state === null || isActive === null || isMuted === null;
	const decision = decideNotice(row, isGone ? null : { state, error, isActive, isMuted });
	return decision === null ? [] : [{ row, decision }];
}

function buildNotified({ row, decision }: Due): NotifiedRow {
	return { ...row, ...applyNotice({ failing: row.failing, error: row.error }, decision) };
}

const buildReaderKey = (row: Pick<NotifiedRow, "check_id" | "connection_id" | "webhook_id">): string =>
	`${row.check_id} ${row.connection_id} ${row.webhook_id}`;

const buildAlert = ({ row, decision }: Due): CheckAlert => ({
	decision,
	checkId: row.check_id,
	checkName: row.check_name,
	severity: row.severity ?? "info",
	violations: row.violations ?? 0,
	error: row.state_error,
	before: row.failing ? "failing" : row.error ? "error" : "ok",
});

/** Usually one per owner and connection, for all readers. */
function groupMessages(due: readonly Due[]): Message[] {
	const byReader = new Map<string, Due[]>();
	for (const one of due) {
		const key = `${one.row.owner_id} ${one.row.connection_id} ${one.row.webhook_id}`;
		byReader.set(key, [...(byReader.get(key) ?? []), one]);
	}
	const messages = new Map<string, Message>();
	for (const all of byReader.values()) {
		const [first, ...more] = all;
		if (first === undefined) continue;
		const { owner_id: ownerId, connection_id, connection_name: connectionName, webhook_id } = first.row;
		const alerts: [CheckAlert, ...CheckAlert[]] = [buildAlert(first), ...more.map(buildAlert)];
		const key = JSON.stringify([ownerId, connection_id, alerts]);
		const known = messages.get(key);
		if (known === undefined) messages.set(key, { ownerId, connectionName, alerts, webhookIds: [webhook_id] });
		else known.webhookIds.push(webhook_id);
	}
	return [...messages.values()];
}
