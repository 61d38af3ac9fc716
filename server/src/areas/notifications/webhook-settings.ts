/** What all routes of webhooks do: save, remove and test one, within a caller's rights. */
import { NOTIFICATION_CATEGORIES, WEBHOOKS_MAX, type WebhookPatch } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Caller } from "../../core/caller.ts";
import { buildFieldError, buildInvalidError, buildRefusedError } from "../../core/errors.ts";
import type { Tx } from "../../core/ports/store.ts";
import { postWebhook } from "./post-webhook.ts";
import { getHost, isSealed } from "./rules/webhook-address.ts";
import { buildSecretContext } from "./rules/webhook-secrets.ts";
import type { WebhookRow } from "./sql/webhooks.ts";
import { cancelPendingDeliveries, countWebhooks, removeWebhookRow, saveWebhook } from "./sql/webhooks.ts";
import { openAddress, sealAddress } from "./webhook-address.ts";

export const UNAVAILABLE = "The administrator's settings allow no outgoing webhooks.";
const buildWebhookTarget = (id: string) => ({ targetType: "notification_webhook", targetId: id });
/** The webhook in a sentence of the audit log. */
export const getName = ({ user_id, name }: Pick<WebhookRow, "user_id" | "name">): string =>
	`${user_id === null ? "the shared" : "their"} webhook "${name}"`;
const isSigned = ({ format }: Pick<WebhookRow, "format">): boolean => format === "json";

/**
 * The columns of the address after a change.
 * @param address undefined: the stored one stays
 */
function changeAddress(
	ctx: Context,
	before: WebhookRow | null,
	after: Pick<WebhookRow, "id" | "format">,
	address: string | undefined,
): Pick<WebhookRow, "url" | "url_sealed"> {
	if (address !== undefined) return sealAddress(ctx.secrets, after, address);
	if (before === null || before.url === "") return { url: "", url_sealed: "" };
	if (isSealed(before)) return { url: before.url, url_sealed: before.url_sealed };
	return sealAddress(ctx.secrets, after, before.url);
}

/** Whether a change moves the webhook. An address that cannot be read counts as moved. */
function isMovedTo(ctx: Context, before: WebhookRow, address: string | undefined): boolean {
	if (address === undefined) return false;
	try {
		return openAddress(ctx.secrets, before) !== address;
	} catch {
		return true;
	}
}

/** What the webhook becomes. @throws 400 when it could not be sent to */
function buildWebhookRow(ctx: Context, caller: Caller, before: WebhookRow | null, patch: WebhookPatch) {
	const id = before?.id ?? ctx.ids.uuid();
	const wasShared = before !== null && before.user_id === null;
	const row = {
		id,
		user_id: (patch.is_shared ?? wasShared) ? null : caller.userId,
		name: patch.name ?? before?.name ?? "",
		format: patch.format ?? before?.format ?? "json",
		enabled: patch.enabled ?? before?.enabled ?? false,
		...changeAddress(ctx, before, { id, format: patch.format ?? before?.format ?? "json" }, patch.url),
		secret_sealed:
			patch.secret === undefined
				? (before?.secret_sealed ?? "")
				: ctx.secrets.seal(patch.secret, buildSecretContext(id)),
		categories: patch.categories ?? before?.categories ?? [...NOTIFICATION_CATEGORIES],
	};
	const refusal = patch.url === undefined ? null : (ctx.webhooks?.refusal(patch.url) ?? null);
	if (refusal !== null) throw buildFieldError("url", refusal);
	if (patch.secret === undefined && before !== null && before.url !== "" && before.secret_sealed !== "") {
		const { origin } = new URL(before.url);
		if (new URL(row.url).origin !== origin) {
			throw buildFieldError("secret", `Enter the secret again: the stored one is for ${origin} only.`);
		}
	}
	if (row.enabled) {
		const errors: Record<string, string[]> = {};
		if (ctx.webhooks === null) errors.enabled = [UNAVAILABLE];
		if (row.url === "") errors.url = ["Is needed to enable the webhook."];
		if (row.secret_sealed === "" && isSigned(row)) errors.secret = ["Is needed to enable the webhook."];
		if (Object.keys(errors).length > 0) throw buildInvalidError(errors);
	}
	return row;
}

/**
 * Adds or changes one. The caller has locked its row, or before adding or sharing it the owner.
 * @param before null: a new one
 */
export async function writeWebhook(
	ctx: Context,
	tx: Tx,
	caller: Caller,
	before: WebhookRow | null,
	patch: WebhookPatch,
): Promise<WebhookRow> {
	const at = new Date(ctx.clock.now());
	const row = buildWebhookRow(ctx, caller, before, patch);
	const isMoved = before === null || before.user_id !== row.user_id;
	if (isMoved && row.user_id !== null) await ctx.quotas.check(caller, "webhooks_max", tx);
	if (isMoved && row.user_id === null && (await countWebhooks(tx.db, null)) >= WEBHOOKS_MAX) {
		throw buildRefusedError(`There are ${WEBHOOKS_MAX} shared webhooks, which is the most. Remove one first.`);
	}
	// A change resets the failures: the new settings may be right.
	const afresh = { failures: 0, failing_since: null, held_until: null, last_error: "" };
	const history = {
		last_attempt_at: before?.last_attempt_at ?? null,
		last_success_at: before?.last_success_at ?? null,
	};
	const saved = await saveWebhook(tx, { ...row, ...afresh, ...history, created_at: at, updated_at: at });
	if (before !== null && (isMovedTo(ctx, before, patch.url) || !row.enabled || isMoved)) {
		const why = row.enabled ? "The webhook leads elsewhere now." : "The webhook was switched off.";
		await cancelPendingDeliveries(tx, row.id, at, why);
	}
	await ctx.events.changed(tx, caller, {
		...buildWebhookTarget(row.id),
		description: `${caller.username} ${before === null ? "set up" : "changed"} ${getName(row)}`,
		// Its path may be a secret of the receiver's.
		metadata: { fields: Object.keys(patch), enabled: row.enabled, host: getHost(row) },
	});
	return saved;
}

export async function deleteWebhook(ctx: Context, tx: Tx, caller: Caller, row: WebhookRow): Promise<void> {
	await removeWebhookRow(tx, row.id);
	await cancelPendingDeliveries(tx, row.id, new Date(ctx.clock.now()), "The webhook was removed.");
	await ctx.events.changed(tx, caller, {
		...buildWebhookTarget(row.id),
		description: `${caller.username} removed ${getName(row)}`,
	});
}

/** Sends a test. Changes nothing but the log. */
export async function testAddress(ctx: Context, caller: Caller, row: WebhookRow, signal: AbortSignal) {
	if (ctx.webhooks === null)
		return { success: false as const, message: UNAVAILABLE, reason: "address", response_status: null };
	if (row.url === "" || (row.secret_sealed === "" && isSigned(row))) {
		const message = "Set url and secret first.";
		return { success: false as const, message, reason: "address", response_status: null };
	}
	const began = performance.now();
	const message = { id: `test_${ctx.ids.uuid()}`, type: "webhook_test", timestamp: new Date(ctx.clock.now()) } as const;
	const outcome = await postWebhook(
		ctx,
		ctx.webhooks,
		row,
		{ ...message, data: { username: caller.username } },
		signal,
	);
	const latency_ms = Math.round(performance.now() - began);
	await ctx.store.transaction((tx) =>
		ctx.events.changed(tx, caller, {
			...buildWebhookTarget(row.id),
			description: `${caller.username} tried out ${getName(row)}`,
			metadata: { success: outcome.ok, host: getHost(row), response_status: outcome.status },
		}),
	);
	const response_status = outcome.status;
	return outcome.ok
		? {
				success: true as const,
				message: `The receiver answered ${outcome.status}.`,
				response_status: outcome.status,
				latency_ms,
			}
		: { success: false as const, message: outcome.message, reason: outcome.reason, response_status };
}
