/** To whom scheduled tasks may send mail, and how much. */
import type { Db } from "../../ports/store.ts";
import type { ScheduleDependencies } from "./dependencies.ts";

const HOUR_MS = 3_600_000;
/** Mails in an hour: of one task, and of all tasks of one owner. */
const TASK_MAX = 100;
const OWNER_MAX = 300;

export type RecipientDeps = Pick<ScheduleDependencies, "cache" | "mailDomains" | "emailsOfUsers">;

export function createRecipients({ cache, mailDomains, emailsOfUsers }: RecipientDeps) {
	const domains = new Set(mailDomains);

	return {
		/** The addresses that belong to no active user and to no domain of `WEFT_MAIL_DOMAINS`. */
		async refused(db: Db, addresses: readonly string[]): Promise<string[]> {
			const outside = addresses.filter(
				(address) => !domains.has(address.slice(address.lastIndexOf("@") + 1).toLowerCase()),
			);
			if (outside.length === 0) return [];
			const known = new Set(await emailsOfUsers(db, outside));
			return outside.filter((address) => !known.has(address.toLowerCase()));
		},

		/** Counts a mail; false when the task or its owner has sent too many within an hour. */
		async isWithinRate({ taskId, ownerId }: { readonly taskId: string; readonly ownerId: number }): Promise<boolean> {
			const [task, owner] = await Promise.all([
				cache.increment(`schedules.mail:task:${taskId}`, HOUR_MS),
				cache.increment(`schedules.mail:owner:${ownerId}`, HOUR_MS),
			]);
			return task.count <= TASK_MAX && owner.count <= OWNER_MAX;
		},
	};
}
export type Recipients = ReturnType<typeof createRecipients>;
