/** Takes the alerts that a maintenance or a change window held, with their recipients. */
import type { NotificationCategory } from "@weft/contracts";
import type { NoticeReaders } from "../../core/events.ts";
import type { Tx } from "../../core/ports/store.ts";
import { findHold, type Hold, listHolds } from "../calendar/find-hold.ts";
import { type HeldNotice, takeHeldNotices } from "../calendar/sql/held-notices.ts";
import { listEntryConnections } from "./rules/entry-connections.ts";
import type { HeldAlert, HeldMessage } from "./rules/summary.ts";
import { buildAlert, type Due, findDueNotices, listReaders, type Reader, writeNotified } from "./send-notices.ts";
import { clearHeld, type EntryKey, lockHeldEntries, markHeld } from "./sql/held.ts";
import type { HeldBy } from "./tables.ts";

/** Recipient of a message. */
interface Recipient {
	/** The user whose list, mails or webhooks get it, or for whom addresses are mailed. */
	readonly userId: number;
	readonly readers: NoticeReaders;
}

/** The alerts of one recipient and one category. */
export interface Parcel {
	readonly category: NotificationCategory;
	readonly recipient: Recipient;
	readonly alerts: HeldAlert[];
	readonly messages: HeldMessage[];
}

export interface HeldAlerts {
	readonly parcels: readonly Parcel[];
	/** Each alert of a check once, for all its recipients. */
	readonly alerts: readonly HeldAlert[];
	readonly messages: readonly HeldMessage[];
	/** Number of alerts whose problem is over. */
	readonly overCount: number;
}

const INBOX: NoticeReaders = { hasInbox: true, webhookIds: [] };
export const SILENT: NoticeReaders = { hasInbox: false, webhookIds: [] };
const WEBHOOKS: NoticeReaders = { hasInbox: false, webhookIds: "all" };

/**
 * Takes the alerts of a hold, and records what their readers are notified of. Alerts whose
 * connection has another hold stay held by that one. Does nothing if the hold is not over.
 * @param waits false: leaves out entries that other transactions have locked; they stay held
 */
export async function takeHeldAlerts(
	tx: Tx,
	ended: HeldBy,
	{ now, waits }: { readonly now: Date; readonly waits: boolean },
): Promise<HeldAlerts> {
	const held = await lockHeldEntries(tx, ended.id, waits);
	const holds = await listHolds(tx.db, now);
	if (holds.some(({ id }) => id === ended.id)) return { parcels: [], alerts: [], messages: [], overCount: 0 };
	await clearHeld(tx, held);
	const free: EntryKey[] = [];
	const heldAgain = new Map<Hold, EntryKey[]>();
	for (const one of held) {
		const other = findHold(holds, listEntryConnections(one));
		if (other === null) free.push(one);
		else heldAgain.set(other, [...(heldAgain.get(other) ?? []), one]);
	}
	for (const [hold, keys] of heldAgain) await markHeld(tx, keys, hold);
	const due = await writeNotified(tx, await findReleased(tx, free, now));
	const notices = await takeHeldNotices(tx, ended.id);
	const byEntry = new Map(due.map((one) => [buildEntryKey(one.row), buildHeldAlert(one)]));
	return {
		parcels: buildParcels(due, notices),
		alerts: [...byEntry.values()],
		messages: notices.map(buildMessage),
		overCount: free.length - byEntry.size,
	};
}

/** Finds the decisions that are due for readers of the entries. */
async function findReleased(tx: Tx, free: readonly EntryKey[], now: Date): Promise<Due[]> {
	if (free.length === 0) return [];
	const keys = new Set(free.map(buildEntryKey));
	const checkIds = [...new Set(free.map(({ check_id }) => check_id))];
	return (await findDueNotices(tx, checkIds, undefined, now)).filter(({ row }) => keys.has(buildEntryKey(row)));
}

const buildEntryKey = ({ check_id, connection_id }: EntryKey): string => `${check_id} ${connection_id}`;

const buildHeldAlert = (due: Due): HeldAlert => ({ alert: buildAlert(due), connection: due.row.connection_name });

const buildMessage = ({ severity, title, kind }: HeldNotice): HeldMessage => ({ severity, title, kind });

function buildParcels(due: readonly Due[], notices: readonly HeldNotice[]): Parcel[] {
	const parcels = new Map<string, Parcel>();
	const getParcel = (category: NotificationCategory, name: string, recipient: Recipient): Parcel => {
		const key = `${category} ${name}`;
		const known = parcels.get(key) ?? { category, recipient, alerts: [], messages: [] };
		parcels.set(key, known);
		return known;
	};
	for (const one of due) {
		for (const [name, recipient] of listRecipients(one))
			getParcel("scheduled_task", name, recipient).alerts.push(buildHeldAlert(one));
	}
	for (const notice of notices) {
		const { user_id: userId, addresses } = notice;
		const add = (name: string, readers: NoticeReaders) =>
			getParcel(CATEGORIES[notice.kind], name, { userId, readers }).messages.push(buildMessage(notice));
		add(`user ${userId}`, INBOX);
		add(`webhooks of ${userId}`, WEBHOOKS);
		for (const address of addresses) add(`address ${address}`, { ...SILENT, addresses: [address] });
	}
	return [...parcels.values()];
}

/** The category that an alert has where it is not held. */
const CATEGORIES = { schedule: "scheduled_task", drift: "time_machine" } as const;

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
