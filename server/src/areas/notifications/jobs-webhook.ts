/**
 * Sends notifications to webhooks, at least once. After a failure all deliveries to the receiver
 * wait for the backoff, so that a receiver that is down costs few requests.
 */
import type { Context } from "../../context.ts";
import type { NotificationDue } from "../../core/events.ts";
import type { Outcome } from "./post-webhook.ts";
import { postWebhook } from "./post-webhook.ts";
import { computeBackoff } from "./rules/plan.ts";
import { buildCopiedId } from "./rules/webhook-secrets.ts";
import type { FullDelivery } from "./sql/deliveries.ts";
import { findPendingDelivery, finishDeliveries, postponeDeliveries } from "./sql/deliveries.ts";
import { findPerson } from "./sql/recipients.ts";
import type { WebhookRow } from "./sql/webhooks.ts";
import { cancelPendingDeliveries, findWebhook, lockWebhook, updateWebhookRow } from "./sql/webhooks.ts";

const DAY = 24 * 3_600_000;
/** Age at which a delivery fails for good. */
const GIVEN_UP_MS = DAY;
/** Time of failures after which a webhook is switched off. */
const SWITCHED_OFF_MS = 3 * DAY;
/** Longer waits that a receiver asks for are cut to this. */
const RETRY_AFTER_MAX_MS = DAY;
/** The receiver says that it is gone for good. */
const GONE = 410;

const cancelDelivery = (ctx: Context, row: FullDelivery, error: string) =>
	finishDeliveries(ctx.store.db, [row.id], {
		state: "cancelled",
		at: new Date(ctx.clock.now()),
		error,
		tried: false,
	});

const isTooOld = (ctx: Context, { created_at }: FullDelivery): boolean =>
	ctx.clock.now() - created_at.getTime() >= GIVEN_UP_MS;

/** Tells the owner, or of a shared webhook all administrators. */
function buildSwitchedOffNotice(
	{ id, user_id, name }: WebhookRow,
	at: Date,
	{ status, message }: Outcome & { ok: false },
): NotificationDue {
	const isGone = status === GONE;
	return {
		type: "notification_due",
		audience: user_id === null ? "administrators" : [user_id],
		category: "system",
		severity: "error",
		title: user_id === null ? `The shared webhook "${name}" was switched off` : "Your webhook was switched off",
		body: isGone
			? `The receiver of "${name}" answered that it is gone (410). Enable it again when it is back.`
			: `"${name}" failed for three days. The last time: ${message} Enable it again when it is mended.`,
		link: `/api/notifications/webhooks/${id}/`,
		facts: {
			event: "webhook_switched_off",
			objects: [{ kind: "notification_webhook", id, name, before: "enabled", after: "disabled" }],
		},
		key: `webhook_off:${id}:${at.toISOString()}`,
		isPersonal: user_id !== null,
	};
}

/** Not counted when the webhook was changed after it was read: a change resets its failures. */
async function recordFailure(
	ctx: Context,
	row: FullDelivery,
	hook: WebhookRow,
	outcome: Outcome & { ok: false },
): Promise<void> {
	await ctx.store.transaction(async (tx) => {
		const now = ctx.clock.now();
		const at = new Date(now);
		const current = await lockWebhook(tx, hook.id);
		const { message: error, status, retryAfterMs } = outcome;
		if (current === null || current.updated_at.getTime() !== hook.updated_at.getTime()) {
			return postponeDeliveries(tx.db, [row.id], at, { error, status });
		}
		// Of concurrent failures one counts.
		const isHeld = current.held_until !== null && current.held_until.getTime() > now;
		const failures = isHeld ? current.failures : current.failures + 1;
		const backoffEnd = isHeld && current.held_until ? current.held_until.getTime() : now + computeBackoff(failures);
		const heldUntil = new Date(Math.max(backoffEnd, now + Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS)));
		const since = current.failing_since ?? at;
		const isOver = status === GONE || now - since.getTime() >= SWITCHED_OFF_MS;
		await updateWebhookRow(tx, hook.id, {
			failures,
			failing_since: since,
			held_until: heldUntil,
			last_attempt_at: at,
			last_error: error,
			...(isOver ? { enabled: false } : {}),
		});
		if (isTooOld(ctx, row) || isOver) {
			await finishDeliveries(tx.db, [row.id], { state: "failed", at, error, status, tried: true });
		} else await postponeDeliveries(tx.db, [row.id], heldUntil, { error, status });
		if (!isOver) return;
		await cancelPendingDeliveries(tx, hook.id, at, "The webhook was switched off.");
		await ctx.events.emit(tx, buildSwitchedOffNotice(current, at, outcome));
	});
}

async function recordSuccess(ctx: Context, row: FullDelivery, hook: WebhookRow, status: number): Promise<void> {
	const at = new Date(ctx.clock.now());
	await ctx.store.transaction(async (tx) => {
		await updateWebhookRow(tx, hook.id, {
			failures: 0,
			failing_since: null,
			held_until: null,
			last_attempt_at: at,
			last_success_at: at,
			last_error: "",
		});
		await finishDeliveries(tx.db, [row.id], { state: "delivered", at, status, tried: true });
	});
}

export async function deliverWebhook(ctx: Context, data: unknown, signal: AbortSignal): Promise<void> {
	const { deliveryId } = data as { readonly deliveryId: string };
	const row = await findPendingDelivery(ctx.store.db, deliveryId);
	if (row === null) return;
	const { user_id } = row;
	const hook = await findWebhook(ctx.store.db, row.webhook_id ?? buildCopiedId(user_id ?? 0));
	if (ctx.webhooks === null) return cancelDelivery(ctx, row, "The service sends to no webhook any more.");
	if (user_id !== null && !(await findPerson(ctx.store.db, user_id))?.isActive)
		return cancelDelivery(ctx, row, "The user is not active.");
	if (hook === null || !hook.enabled) return cancelDelivery(ctx, row, "The webhook was switched off.");
	if (!row.is_named && !hook.categories.includes(row.category))
		return cancelDelivery(ctx, row, "The webhook does not want this category any more.");
	if (hook.held_until !== null && hook.held_until.getTime() > ctx.clock.now()) {
		if (!isTooOld(ctx, row)) return postponeDeliveries(ctx.store.db, [row.id], hook.held_until);
		const end = { state: "failed", at: new Date(ctx.clock.now()), error: hook.last_error, tried: false } as const;
		return finishDeliveries(ctx.store.db, [row.id], end);
	}
	const { notification_id: id, category, severity, title, body, link, facts, told_at } = row;
	const data_ = { id, category, severity, title, body, link, facts, created_at: told_at.toISOString() };
	const message = { id, type: "notification_created", timestamp: told_at, data: data_ } as const;
	const outcome = await postWebhook(ctx, ctx.webhooks, hook, message, signal);
	await (outcome.ok ? recordSuccess(ctx, row, hook, outcome.status) : recordFailure(ctx, row, hook, outcome));
}
