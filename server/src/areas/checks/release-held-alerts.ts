/**
 * Sends the alerts that a maintenance or a change window held when it is over: one message per
 * recipient. The entries of checks and the alerts of schedules name their hold. One transaction
 * locks them, removes the names and writes the messages, so that a process that dies sends nothing
 * twice.
 */
import { type Context, getNow } from "../../context.ts";
import type { NoticeReaders } from "../../core/events.ts";
import type { Tx } from "../../core/ports/store.ts";
import { findHold, type Hold, listHolds } from "../calendar/find-hold.ts";
import { type HeldNotice, listNoticeHolds, takeHeldNotices } from "../calendar/sql/held-notices.ts";
import { findHoldKind } from "../calendar/sql/window-holds.ts";
import { listEntryConnections } from "./rules/entry-connections.ts";
import { buildSummary, type HeldAlert, type HeldMessage } from "./rules/summary.ts";
import { buildAlert, type Due, findDueNotices, listReaders, type Reader, writeNotified } from "./send-notices.ts";
import { clearHeld, type EntryKey, listCheckHolds, lockHeldEntries, markHeld } from "./sql/held.ts";
import type { HeldBy } from "./tables.ts";

/** Recipient of a message. */
interface Recipient {
	/** The user whose list, mails or webhooks get it, or for whom addresses are mailed. */
	readonly userId: number;
	readonly readers: NoticeReaders;
}

interface Parcel {
	readonly recipient: Recipient;
	readonly alerts: HeldAlert[];
	readonly messages: HeldMessage[];
}

const INBOX: NoticeReaders = { hasInbox: true, webhookIds: [] };
const SILENT: NoticeReaders = { hasInbox: false, webhookIds: [] };
const WEBHOOKS: NoticeReaders = { hasInbox: false, webhookIds: "all" };

/** Sends the alerts of holds that are over. Idempotent. */
export async function releaseHeldAlerts(ctx: Context, signal: AbortSignal): Promise<void> {
	const { db } = ctx.store;
	const active = new Set((await listHolds(db, getNow(ctx))).map(({ id }) => id));
	const holding = new Map<string, HeldBy>();
	for (const hold of [...(await listNoticeHolds(db)), ...(await listCheckHolds(db))]) {
		if (!active.has(hold.id)) holding.set(hold.id, hold);
	}
	for (const hold of holding.values()) {
		if (signal.aborted) return;
		await ctx.store.transaction((tx) => releaseHold(ctx, tx, hold));
	}
}

async function releaseHold(ctx: Context, tx: Tx, ended: HeldBy): Promise<void> {
	const now = getNow(ctx);
	const held = await lockHeldEntries(tx, ended.id);
	const holds = await listHolds(tx.db, now);
	if (holds.some(({ id }) => id === ended.id)) return;
	await clearHeld(tx, ended.id);
	const free: EntryKey[] = [];
	const heldAgain = new Map<Hold, EntryKey[]>();
	for (const one of held) {
		const other = findHold(holds, listEntryConnections(one));
		if (other === null) free.push(one);
		else heldAgain.set(other, [...(heldAgain.get(other) ?? []), one]);
	}
	for (const [hold, keys] of heldAgain) await markHeld(tx, keys, hold);
	const due = await writeNotified(tx, await findReleased(tx, free, now));
	const kind = await findHoldKind(tx.db, ended.id);
	for (const parcel of buildParcels(due, await takeHeldNotices(tx, ended.id))) {
		await ctx.events.emit(tx, {
			type: "notification_due",
			category: "scheduled_task",
			userId: parcel.recipient.userId,
			readers: parcel.recipient.readers,
			...buildSummary({ kind, title: ended.title }, parcel.alerts, parcel.messages),
			key: `maintenance:${ctx.ids.uuid()}`,
		});
	}
}

/** Finds the decisions that are due for readers of the entries. */
async function findReleased(tx: Tx, free: readonly EntryKey[], now: Date): Promise<Due[]> {
	if (free.length === 0) return [];
	const keys = new Set(free.map(buildEntryKey));
	const checkIds = [...new Set(free.map(({ check_id }) => check_id))];
	return (await findDueNotices(tx, checkIds, undefined, now)).filter(({ row }) => keys.has(buildEntryKey(row)));
}

const buildEntryKey = ({ check_id, connection_id }: EntryKey): string => `${check_id} ${connection_id}`;

function buildParcels(due: readonly Due[], notices: readonly HeldNotice[]): Parcel[] {
	const parcels = new Map<string, Parcel>();
	const getParcel = (key: string, recipient: Recipient): Parcel => {
		const known = parcels.get(key) ?? { recipient, alerts: [], messages: [] };
		parcels.set(key, known);
		return known;
	};
	for (const one of due) {
		const alert = { alert: buildAlert(one), connection: one.row.connection_name };
		for (const [key, recipient] of listRecipients(one)) getParcel(key, recipient).alerts.push(alert);
	}
	for (const { user_id: userId, addresses, severity, title } of notices) {
		getParcel(`user ${userId}`, { userId, readers: INBOX }).messages.push({ severity, title });
		getParcel(`webhooks of ${userId}`, { userId, readers: WEBHOOKS }).messages.push({ severity, title });
		for (const address of addresses) {
			const readers = { ...SILENT, addresses: [address] };
			getParcel(`address ${address}`, { userId, readers }).messages.push({ severity, title });
		}
	}
	return [...parcels.values()];
}

/** Lists the recipients of an alert of a check, by a key that is the same for all checks. */
const listRecipients = (due: Due): [string, Recipient][] =>
	listReaders(due).map((reader) => getRecipient(reader, due.row.owner_id));

function getRecipient(reader: Reader, ownerId: number): [string, Recipient] {
	switch (reader.kind) {
		case "owner":
			return [`user ${ownerId}`, { userId: ownerId, readers: INBOX }];
		case "user":
			return [`user ${reader.id}`, { userId: reader.id, readers: { hasInbox: true, webhookIds: "own" } }];
		case "webhook": {
			const namedWebhookIds = reader.isNamed ? [reader.id] : [];
			const readers = { ...SILENT, webhookIds: [reader.id], namedWebhookIds };
			return [`webhook ${reader.id}`, { userId: ownerId, readers }];
		}
		case "address":
			return [`address ${reader.address}`, { userId: ownerId, readers: { ...SILENT, addresses: [reader.address] } }];
	}
}
