/** Mail of runs that have ended. */
import { MailRefused } from "../../ports/mailer.ts";
import type { EmailJob } from "./lifecycle.ts";
import type { ScheduleNeeds } from "./needs.ts";
import type { TaskRepo } from "./repo.ts";

export type NoticeDeps = Pick<ScheduleNeeds, "store" | "log" | "mailer"> & {
	readonly tasks: Pick<TaskRepo, "settings">;
};

export function createNotices({ store, log, mailer, tasks }: NoticeDeps) {
	return {
		/** At least once; the message id is the same each time. */
		async mail(data: unknown): Promise<void> {
			if (mailer === null) return;
			const mail = data as EmailJob;
			const { email_from_address: from } = await tasks.settings(store.db);
			await mailer.send({ ...mail, ...(from === "" ? {} : { from }) }).catch((error: unknown) => {
				if (!(error instanceof MailRefused)) throw error;
				log.warn({ err: error, messageId: mail.messageId }, "the mail server refused a mail of a scheduled task");
			});
		},
	};
}
export type Notices = ReturnType<typeof createNotices>;
