/** Tells the owner of an account that its email address was changed. */
import type { Context } from "../../../context.ts";
import type { Tx } from "../../../core/ports/store.ts";
import { MAIL_QUEUE, type MailJob } from "./rules/mails.ts";

interface EmailChange {
	readonly userId: number;
	readonly username: string;
	/** The address before; empty if there was none. */
	readonly before: string;
	/** The user who made the change. */
	readonly by: string;
}

export const reportEmailChange = async (
	ctx: Context,
	tx: Tx,
	{ userId, username, before, by }: EmailChange,
): Promise<void> => {
	const mailId = ctx.ids.uuid();
	await ctx.events.emit(tx, {
		type: "notification_due",
		category: "system",
		severity: "warning",
		title: "Your email address was changed",
		body: `${by} changed it. If you do not know of this, change your password and tell an administrator.`,
		link: "/api/auth/profile/",
		facts: { event: "account_changed", actor: by, objects: [{ kind: "user", id: userId, name: username }] },
		key: `email-changed:${userId}:${mailId}`,
		isPersonal: true,
		userId,
	});
	if (before === "" || ctx.mailer === null) return;
	const job: MailJob = { kind: "email_changed", mailId, to: before, username };
	await ctx.jobs.enqueue(tx, MAIL_QUEUE, job);
};
