/** To whom scheduled tasks may send mail, and how much. */
import type { Context } from "../../context.ts";
import type { Db } from "../../core/ports/store.ts";
import { listUserEmails } from "../accounts/sign-in/sql/sign-in.ts";

const HOUR_MS = 3_600_000;
/** Mails in an hour: of one task, and of all tasks of one owner. */
const TASK_MAX = 100;
const OWNER_MAX = 300;

/** The addresses that belong to no active user and to no domain of `WEFT_MAIL_DOMAINS`. */
export async function listRefusedAddresses(ctx: Context, db: Db, addresses: readonly string[]): Promise<string[]> {
	const outside = addresses.filter(
		(address) => !ctx.mailDomains.includes(address.slice(address.lastIndexOf("@") + 1).toLowerCase()),
	);
	if (outside.length === 0) return [];
	const known = new Set(await listUserEmails(db, outside));
	return outside.filter((address) => !known.has(address.toLowerCase()));
}

/** Counts a mail; false when the task or its owner has sent too many within an hour. */
export async function isWithinRate(
	ctx: Context,
	{ taskId, ownerId }: { readonly taskId: string; readonly ownerId: number },
): Promise<boolean> {
	const [task, owner] = await Promise.all([
		ctx.cache.increment(`schedules.mail:task:${taskId}`, HOUR_MS),
		ctx.cache.increment(`schedules.mail:owner:${ownerId}`, HOUR_MS),
	]);
	return task.count <= TASK_MAX && owner.count <= OWNER_MAX;
}
