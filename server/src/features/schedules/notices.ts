/** Mail of runs that have ended. */
import { MailRefused } from "../../ports/mailer.ts";
import type { ScheduleDependencies } from "./dependencies.ts";
import type { EmailJob } from "./lifecycle.ts";
import type { Recipients } from "./recipients.ts";
import { findTaskSettings } from "./repo.ts";

export type NoticeDeps = Pick<ScheduleDependencies, "store" | "log" | "mailer"> & {
	readonly recipients: Recipients;
};

export function createNotices({ store, log, mailer, recipients }: NoticeDeps) {
	return {
		/** At least once; the message id is the same each time. */
		async mail(data: unknown): Promise<void> {
			if (mailer === null) return;
			const { sender, ...mail } = data as EmailJob;
			// The user may have left, or the setting may have changed, since the task was saved.
			if ((await recipients.refused(store.db, [mail.to])).length > 0) {
				log.warn(
					{ messageId: mail.messageId },
					"a mail of a scheduled task was not sent: its recipient is not allowed",
				);
				return;
			}
			if (sender !== undefined && !(await recipients.isWithinRate(sender))) {
				log.warn(
					{ messageId: mail.messageId, ...sender },
					"a mail of a scheduled task was not sent: too many in an hour",
				);
				return;
			}
			const { email_from_address: from } = await findTaskSettings(store.db);
			await mailer.send({ ...mail, ...(from === "" ? {} : { from }) }).catch((error: unknown) => {
				if (!(error instanceof MailRefused)) throw error;
				log.warn({ err: error, messageId: mail.messageId }, "the mail server refused a mail of a scheduled task");
			});
		},
	};
}
export type Notices = ReturnType<typeof createNotices>;
