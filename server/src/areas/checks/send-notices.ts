/**
 * Notifies each reader of a check of its problems and of their ends. The states are compared with
 * the problems that were sent: at each evaluation, at each change of a check, and every few
 * seconds for changes that no use case of checks makes (the end of a mute, a new webhook, a
 * deleted query or connection).
 */
import type { CheckRule, CheckSampleRow } from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import { findHold, type Hold, listHolds } from "../calendar/find-hold.ts";
import { buildNotice, type CheckAlert } from "./rules/alerts.ts";
import { listEntryConnections } from "./rules/entry-connections.ts";
import { applyNotice, decideNotice, type NoticeDecision } from "./rules/notice-decision.ts";
import { describeViolation } from "./rules/violating-objects.ts";
import { lockCheckRow } from "./sql/checks.ts";
import { markHeld } from "./sql/held.ts";
import type { NotifiedRow, ReaderRow } from "./sql/notified.ts";
import { beginNotified, compareNotified, endNotified, listDueChecks } from "./sql/notified.ts";
import { lockCheckStates } from "./sql/states.ts";

/** Checks that are looked for at once. */
const BATCH = 200;

export interface Due {
	readonly row: ReaderRow;
	readonly decision: NoticeDecision;
}

/** One notification: alerts of an owner on a connection, for readers who are due the same. */
interface Message {
	readonly ownerId: number;
	readonly connectionName: string | null;
	readonly alerts: readonly [CheckAlert, ...CheckAlert[]];
	/** Whether the owner's list and mails are among the readers. */
	readonly hasInbox: boolean;
	readonly webhookIds: readonly string[];
	readonly namedWebhookIds: readonly string[];
	readonly addresses: readonly string[];
	/** Other people than the owner. */
	readonly userIds: readonly number[];
}

/** One who is due a decision. A webhook is named if it gets the alert whatever its categories. */
export type Reader =
	| { readonly kind: "owner" }
	| { readonly kind: "webhook"; readonly id: string; readonly isNamed: boolean }
	| { readonly kind: "user"; readonly id: number }
	| { readonly kind: "address"; readonly address: string };

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
	const now = getNow(ctx);
	const found = await findDueNotices(tx, checkIds, connectionId, now);
	const due = found.length === 0 ? [] : await holdDueNotices(tx, found, now);
	for (const message of groupMessages(await writeNotified(tx, due))) await emitMessage(ctx, tx, message);
}

/** Finds the decisions that are due for readers of the entries, whether or not alerts are held. */
export async function findDueNotices(
	tx: Tx,
	checkIds: readonly string[],
	connectionId: string | null | undefined,
	now: Date,
): Promise<Due[]> {
	return (await compareNotified(tx, checkIds, connectionId, now)).flatMap(findDecision);
}

/** Marks the entries whose alerts are held. Returns the decisions about the others. */
async function holdDueNotices(tx: Tx, found: readonly Due[], now: Date): Promise<Due[]> {
	const holds = await listHolds(tx.db, now);
	const due: Due[] = [];
	const held = new Map<Hold, Due["row"][]>();
	for (const one of found) {
		const hold = one.row.state === null ? null : findHold(holds, listEntryConnections(one.row));
		if (hold !== null) held.set(hold, [...(held.get(hold) ?? []), one.row]);
		// A marked entry waits for the message at the end of its hold.
		else if (one.row.is_held !== true) due.push(one);
	}
	for (const [hold, rows] of held) await markHeld(tx, rows, hold);
	return due;
}

/** Records the notified states of readers. Returns the decisions that this process made first. */
export async function writeNotified(tx: Tx, due: readonly Due[]): Promise<Due[]> {
	const ends = due.filter(({ decision }) => isEnd(decision));
	const begins = due.filter(({ decision }) => !isEnd(decision));
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
	return due.filter(({ row }) => keys.has(buildReaderKey(row)));
}

/** The owner's notification carries the deliveries to webhooks and addresses. */
async function emitMessage(ctx: Context, tx: Tx, message: Message): Promise<void> {
	const { ownerId, hasInbox, webhookIds, namedWebhookIds, addresses, userIds } = message;
	const notice = {
		type: "notification_due",
		category: "scheduled_task",
		...buildNotice(message.alerts, message.connectionName),
		key: `checks:${ctx.ids.uuid()}`,
	} as const;
	if (hasInbox || webhookIds.length > 0 || addresses.length > 0) {
		const readers = { hasInbox, webhookIds, namedWebhookIds, addresses };
		await ctx.events.emit(tx, { ...notice, userId: ownerId, readers });
	}
	if (userIds.length > 0) {
		await ctx.events.emit(tx, { ...notice, audience: userIds, readers: { hasInbox: true, webhookIds: "own" } });
	}
}

/** Sends notifications that are due without an evaluation or a change of a check. */
export async function sendDueNotices(ctx: Context, signal: AbortSignal): Promise<void> {
	const holds = await listHolds(ctx.store.db, getNow(ctx));
	for (const id of await listDueChecks(ctx.store.db, getNow(ctx), holds, BATCH)) {
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
	if (decision === null) return [];
	// The check's own bound holds for the webhooks that get its alerts by name only.
	if (!isEnd(decision) && row.is_named && row.is_severe === false) return [];
	return [{ row, decision }];
}

function buildNotified({ row, decision }: Due): NotifiedRow {
	const { userIds, addresses } = listRecipients({ row, decision });
	return {
		...row,
		...applyNotice({ failing: row.failing, error: row.error }, decision),
		recipient_ids: [...new Set([...row.recipient_ids, ...userIds])],
		recipient_addresses: [...new Set([...row.recipient_addresses, ...addresses])],
	};
}

const isEnd = ({ kind }: NoticeDecision): boolean => kind === "recovered" || kind === "closed";

/**
 * People and addresses that are due what the owner is due: those that the check names, and of the
 * end of a problem those that were notified of it.
 */
function listRecipients({ row, decision }: Due): { userIds: readonly number[]; addresses: readonly string[] } {
	if (row.webhook_id !== null) return { userIds: [], addresses: [] };
	const [ids, addresses] = [row.named_ids, row.named_addresses];
	if (!isEnd(decision)) return row.is_severe === true ? { userIds: ids ?? [], addresses: addresses ?? [] } : NOBODY;
	return {
		userIds: row.recipient_ids.filter((id) => ids === null || ids.includes(id)),
		addresses: row.recipient_addresses.filter((one) => addresses === null || addresses.includes(one)),
	};
}
const NOBODY = { userIds: [], addresses: [] } as const;

export function listReaders(due: Due): Reader[] {
	const { webhook_id: id, is_named: isNamed } = due.row;
	if (id !== null) return [{ kind: "webhook", id, isNamed }];
	const { userIds, addresses } = listRecipients(due);
	return [
		{ kind: "owner" },
		...userIds.map((userId) => ({ kind: "user", id: userId }) as const),
		...addresses.map((address) => ({ kind: "address", address }) as const),
	];
}

const buildReaderKey = (row: Pick<NotifiedRow, "check_id" | "connection_id" | "webhook_id">): string =>
	`${row.check_id} ${row.connection_id} ${row.webhook_id}`;

export const buildAlert = ({ row, decision }: Due): CheckAlert => ({
	decision,
	checkId: row.check_id,
	checkName: row.check_name,
	severity: row.severity ?? "info",
	violations: row.violations ?? 0,
	objects: decision.kind !== "failing" || row.rule === null ? [] : listObjects(row.rule, row.objects ?? []),
	error: row.state_error,
	before: row.failing ? "failing" : row.error ? "error" : "ok",
});

const listObjects = (rule: CheckRule, rows: readonly CheckSampleRow[]) =>
	rows.map((row) => describeViolation(rule, row));

/** Usually one per owner and connection, for all readers. */
function groupMessages(due: readonly Due[]): Message[] {
	const byReader = new Map<string, { readonly reader: Reader; readonly all: Due[] }>();
	for (const one of due) {
		for (const reader of listReaders(one)) {
			const key = JSON.stringify([one.row.owner_id, one.row.connection_id, reader]);
			const known = byReader.get(key);
			if (known === undefined) byReader.set(key, { reader, all: [one] });
			else known.all.push(one);
		}
	}
	const messages = new Map<string, Message>();
	for (const { reader, all } of byReader.values()) {
		const [first, ...more] = all;
		if (first === undefined) continue;
		const { owner_id: ownerId, connection_id, connection_name: connectionName } = first.row;
		const alerts: [CheckAlert, ...CheckAlert[]] = [buildAlert(first), ...more.map(buildAlert)];
		const key = JSON.stringify([ownerId, connection_id, alerts.map(({ objects: _, ...alert }) => alert)]);
		messages.set(key, addReader(messages.get(key) ?? { ...NO_READERS, ownerId, connectionName, alerts }, reader));
	}
	return [...messages.values()];
}

const NO_READERS = { hasInbox: false, webhookIds: [], namedWebhookIds: [], addresses: [], userIds: [] } as const;

function addReader(message: Message, reader: Reader): Message {
	switch (reader.kind) {
		case "owner":
			return { ...message, hasInbox: true };
		case "webhook": {
			const webhookIds = [...message.webhookIds, reader.id];
			const namedWebhookIds = [...message.namedWebhookIds, ...(reader.isNamed ? [reader.id] : [])];
			return { ...message, webhookIds, namedWebhookIds };
		}
		case "user":
			return { ...message, userIds: [...message.userIds, reader.id] };
		case "address":
			return { ...message, addresses: [...message.addresses, reader.address] };
	}
}
