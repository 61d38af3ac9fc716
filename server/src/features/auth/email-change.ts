/** Tells the owner of an account that its email address was changed. */
import type { Events } from "../../platform/events.ts";
import type { Ids } from "../../ports/ids.ts";
import type { Jobs } from "../../ports/jobs.ts";
import type { Tx } from "../../ports/store.ts";
import { MAIL_QUEUE, type MailJob } from "./domain/mails.ts";

export interface EmailChange {
	readonly userId: number;
	readonly username: string;
	/** The address before; empty if there was none. */
	readonly before: string;
	/** The user who made the change. */
	readonly by: string;
}

export interface EmailChangeDeps {
	readonly events: Pick<Events, "emit">;
	readonly ids: Pick<Ids, "uuid">;
	readonly jobs: Pick<Jobs, "enqueue">;
	/** Null: no mail is sent. */
	readonly mailer: object | null;
}

/** Notifies the owner, and mails the address before: the one now may be another person's. */
export const createEmailChangeReport =
	({ events, ids, jobs, mailer }: EmailChangeDeps) =>
	async (tx: Tx, { userId, username, before, by }: EmailChange): Promise<void> => {
		const mailId = ids.uuid();
		await events.emit(tx, {
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
		if (before === "" || mailer === null) return;
		const job: MailJob = { kind: "email_changed", mailId, to: before, username };
		await jobs.enqueue(tx, MAIL_QUEUE, job);
	};
export type EmailChangeReport = ReturnType<typeof createEmailChangeReport>;
