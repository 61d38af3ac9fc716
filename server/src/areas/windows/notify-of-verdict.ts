/**
 * Notifies of a verdict. The message has the alerts that the window held: it goes to the requester,
 * to the approver and to each recipient of a held alert, to each of them once.
 */
import type { NotificationEvent, Severity, Verdict } from "@weft/contracts";
import { type Context, getNow } from "../../context.ts";
import type { NotificationDue } from "../../core/events.ts";
import type { Tx } from "../../core/ports/store.ts";
import {
	findHeldSeverity,
	formatHeldCounts,
	type HeldAlert,
	type HeldMessage,
	listHeldLines,
	listHeldObjects,
} from "../checks/rules/summary.ts";
import { listSeenChecks } from "../checks/sql/held.ts";
import { type HeldAlerts, type Parcel, SILENT, takeHeldAlerts } from "../checks/take-held-alerts.ts";
import { formatWindowName, listFindingLines, listPeople, NAMED } from "./notify-of-window.ts";
import { isRecorded } from "./rules/settle.ts";
import type { NewFinding } from "./rules/types.ts";
import { listReachableWebhooks, type ReachableWebhook } from "./sql/webhooks.ts";
import type { WindowRow } from "./sql/windows.ts";

const SEVERITIES: Readonly<Record<Verdict, Severity>> = {
	failed: "error",
	inconclusive: "warning",
	passed_with_warnings: "info",
	passed: "info",
};

/** The category of messages about change windows. */
const CATEGORY = "time_machine";

/** Held alerts as one recipient reads them. */
interface HeldPart {
	/** Alerts that the recipient is due. */
	readonly own: { readonly alerts: readonly HeldAlert[]; readonly messages: readonly HeldMessage[] };
	/** Counts of the alerts, as a sentence; empty if there are none. */
	readonly counts: string;
	/** Alerts that are named. */
	readonly named: readonly HeldAlert[];
}

export async function notifyOfVerdict(
	ctx: Context,
	tx: Tx,
	window: WindowRow,
	findings: readonly NewFinding[],
): Promise<void> {
	const { id, title } = window;
	const held = await takeHeldAlerts(tx, { id, title }, { now: getNow(ctx), waits: false });
	// Nothing was to be judged, and nothing is wrong: the end of the job is message enough.
	const isReport = window.plan.items.every((_, index) => isRecorded(window.plan.items, index));
	if (isReport && window.verdict === "passed" && held.parcels.length === 0) return;
	const key = `change-window:${id}:change_window_judged:${window.updated_at.getTime()}`;
	const deciders = listPeople(window);
	const parcels = held.parcels.filter(({ recipient }) => recipient.readers.hasInbox);
	// A shared webhook gets the first message: it is that of the requester.
	for (const userId of new Set([...deciders, ...parcels.map(({ recipient }) => recipient.userId)])) {
		const own = joinParcels(parcels.filter(({ recipient }) => recipient.userId === userId));
		const isDecider = deciders.includes(userId);
		await ctx.events.emit(tx, {
			...buildMessage(window, findings, isDecider ? await describeAll(tx, held, userId, own) : describeOwn(own)),
			userId,
			key,
			...(isDecider ? {} : { readers: { hasInbox: true, webhookIds: [] } }),
		});
	}
	await notifyOtherReaders(ctx, tx, { window, findings, held, deciders, key });
}

const joinParcels = (parcels: readonly Parcel[]): HeldPart["own"] => ({
	alerts: parcels.flatMap(({ alerts }) => alerts),
	messages: parcels.flatMap(({ messages }) => messages),
});

const describeOwn = (own: HeldPart["own"]): HeldPart => ({
	own,
	counts: formatCounts(formatHeldCounts(own.alerts, own.messages), 0),
	named: own.alerts,
});

/** Counts all alerts, and names those of checks that the user is due or sees. */
async function describeAll(tx: Tx, held: HeldAlerts, userId: number, own: HeldPart["own"]): Promise<HeldPart> {
	const seen = await listSeenChecks(
		tx.db,
		userId,
		held.alerts.map(({ alert }) => alert.checkId),
	);
	const due = new Set(own.alerts.map(({ alert }) => alert.checkId));
	return {
		own,
		counts: formatCounts(formatHeldCounts(held.alerts, held.messages), held.overCount),
		named: held.alerts.filter(({ alert }) => seen.has(alert.checkId) || due.has(alert.checkId)),
	};
}

function formatCounts(counts: string, overCount: number): string {
	const over = overCount === 0 ? "" : `${overCount} ${overCount === 1 ? "problem is" : "problems are"} over`;
	const text = [counts, over].filter((part) => part !== "").join(", ");
	return text === "" ? "" : `Held alerts: ${text}.`;
}

function buildMessage(window: WindowRow, findings: readonly NewFinding[], { own, counts, named }: HeldPart) {
	const verdict = window.verdict ?? "inconclusive";
	return {
		type: "notification_due",
		category: CATEGORY,
		severity: findHeldSeverity(own.alerts, own.messages, SEVERITIES[verdict]),
		title: `The change window ${formatWindowName(window)}: ${verdict.replaceAll("_", " ")}`,
		body: [
			...listFindingLines(findings),
			...(counts === "" ? [] : [counts]),
			...listHeldLines(named, own.messages).slice(0, NAMED),
		].join("\n"),
		link: `/change-windows/${window.id}`,
		facts: {
			event: "change_window_judged" satisfies NotificationEvent,
			objects: [{ kind: "change_window", id: window.id, name: window.title }, ...listHeldObjects(named)],
		},
	} as const satisfies Omit<NotificationDue, "key" | "userId" | "audience">;
}

interface OtherReaders {
	readonly window: WindowRow;
	readonly findings: readonly NewFinding[];
	readonly held: HeldAlerts;
	readonly deciders: readonly number[];
	readonly key: string;
}

/** Notifies webhooks and addresses that no message to a person reaches. */
async function notifyOtherReaders(ctx: Context, tx: Tx, { window, findings, held, deciders, key }: OtherReaders) {
	const webhooks = held.parcels.length === 0 ? [] : await listReachableWebhooks(tx.db);
	const isReached = ({ user_id: userId, categories }: ReachableWebhook) =>
		categories.includes(CATEGORY) && (userId === null ? deciders.length > 0 : deciders.includes(userId));
	for (const [index, { category, recipient, alerts, messages }] of held.parcels.entries()) {
		const { userId, readers } = recipient;
		const { webhookIds: wanted } = readers;
		const webhookIds = webhooks
			.filter((hook) => !isReached(hook))
			.filter(({ id, user_id: ownerId }) =>
				typeof wanted === "string" ? ownerId === userId || (wanted === "all" && ownerId === null) : wanted.includes(id),
			)
			.map(({ id }) => id);
		if (webhookIds.length === 0 && (readers.addresses ?? []).length === 0) continue;
		await ctx.events.emit(tx, {
			...buildMessage(window, findings, describeOwn({ alerts, messages })),
			category,
			userId,
			key: `${key}:${index}`,
			readers: { ...SILENT, ...readers, hasInbox: false, webhookIds },
		});
	}
}
