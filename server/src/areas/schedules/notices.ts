/** Mail of runs that have ended. */
import type { Context } from "../../context.ts";
import { MailRefused } from "../../integrations/smtp/port.ts";
import type { EmailJob } from "./lifecycle.ts";
import { isWithinRate, listRefusedAddresses } from "./recipients.ts";
import { findTaskSettings } from "./sql/tasks.ts";

/** At least once; the message id is the same each time. */
export async function mailEndOfExecution(ctx: Context, data: unknown): Promise<void> {
	if (ctx.mailer === null) return;
	const { sender, ...mail } = data as EmailJob;
	// The user may have left, or the setting may have changed, since the task was saved.
	if ((await listRefusedAddresses(ctx, ctx.store.db, [mail.to])).length > 0) {
		ctx.log.warn(
			{ messageId: mail.messageId },
			"a mail of a scheduled task was not sent: its recipient is not allowed",
		);
		return;
	}
	if (sender !== undefined && !(await isWithinRate(ctx, sender))) {
		ctx.log.warn(
			{ messageId: mail.messageId, ...sender },
			"a mail of a scheduled task was not sent: too many in an hour",
		);
		return;
	}
	const { email_from_address: from } = await findTaskSettings(ctx.store.db);
	await ctx.mailer.send({ ...mail, ...(from === "" ? {} : { from }) }).catch((error: unknown) => {
		if (!(error instanceof MailRefused)) throw error;
		ctx.log.warn({ err: error, messageId: mail.messageId }, "the mail server refused a mail of a scheduled task");
	});
}
