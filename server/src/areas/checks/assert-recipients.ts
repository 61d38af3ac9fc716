/** The recipients that a check adds: their columns, and the rules of who may be named. */
import type { CheckNotifyInput } from "@weft/contracts";
import type { Context } from "../../context.ts";
import { buildInvalidError, type FieldErrors } from "../../core/errors.ts";
import type { Db } from "../../core/ports/store.ts";
import { listRefusedAddresses } from "../schedules/recipients.ts";
import type { CheckRow } from "./sql/checks.ts";
import { listUsableWebhooks, listUsersWithSight, type SeenCheck } from "./sql/recipients.ts";

export const NOTIFY_DEFAULTS: CheckNotifyInput = { webhook_ids: [], addresses: [], min_severity: "info" };

type Recipients = Pick<CheckRow, "notify_user_ids" | "notify_webhook_ids" | "notify_addresses" | "notify_min_severity">;

/** @param notify undefined: those of before */
export function buildNotifyColumns(notify: CheckNotifyInput | undefined, before: Recipients | null): Recipients {
	const { user_ids, webhook_ids, addresses, min_severity } = notify ?? NOTIFY_DEFAULTS;
	if (notify !== undefined || before === null) {
		return {
			notify_user_ids: user_ids ?? null,
			notify_webhook_ids: webhook_ids,
			notify_addresses: addresses,
			notify_min_severity: min_severity,
		};
	}
	const { notify_user_ids, notify_webhook_ids, notify_addresses, notify_min_severity } = before;
	return { notify_user_ids, notify_webhook_ids, notify_addresses, notify_min_severity };
}

/** Names of a message: more are counted. */
const NAMED = 5;
const listNames = (names: readonly (string | number)[]): string =>
	names.length > NAMED ? `${names.slice(0, NAMED).join(", ")} and ${names.length - NAMED} more` : names.join(", ");

/**
 * Recipients that the check has already are not asked for again: those that have left since are
 * left out when an alert is sent.
 * @throws AppError 400 by field
 */
export async function assertRecipients(
	ctx: Context,
	db: Db,
	after: Recipients & SeenCheck,
	ownerId: number,
	before: Recipients | null,
): Promise<void> {
	const errors: FieldErrors = {};
	const userIds = (after.notify_user_ids ?? []).filter(
		(id) => id !== ownerId && before?.notify_user_ids?.includes(id) !== true,
	);
	const seeing = new Set(await listUsersWithSight(db, userIds, after));
	const blind = userIds.filter((id) => !seeing.has(id));
	if (blind.length > 0) {
		errors["notify.user_ids"] = [
			`No active user who sees the check has the id ${listNames(blind)}. ` +
				"Make the check public and share its query with them, or leave them out.",
		];
	}
	const webhookIds = after.notify_webhook_ids.filter((id) => before?.notify_webhook_ids.includes(id) !== true);
	const usable = new Set(await listUsableWebhooks(db, webhookIds, ownerId));
	const foreign = webhookIds.filter((id) => !usable.has(id));
	if (foreign.length > 0) {
		errors["notify.webhook_ids"] = [
			`The owner of the check has no webhook ${listNames(foreign)}, and it is not shared. Use a webhook of the owner, or a shared one.`,
		];
	}
	const refused = await listRefusedAddresses(
		ctx,
		db,
		after.notify_addresses.filter((address) => before?.notify_addresses.includes(address) !== true),
	);
	if (refused.length > 0) {
		errors["notify.addresses"] = [
			`No user has ${listNames(refused)}. Use addresses of users, or let the administrator allow the domain (WEFT_MAIL_DOMAINS).`,
		];
	}
	if (Object.keys(errors).length > 0) throw buildInvalidError(errors);
}
