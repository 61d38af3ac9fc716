/** Sends mails and digests, at least once. A retry has the same message id. */
import { createHash } from "node:crypto";
import type { Context } from "../../context.ts";
import { type Mailer, MailRefused } from "../../integrations/smtp/port.ts";
import { isWithinRate, listRefusedAddresses } from "../schedules/recipients.ts";
import { buildAddressMail, buildOneMail, digestMail, type Words } from "./rules/mails.ts";
import { computeBackoff, EMAIL_TRIES } from "./rules/plan.ts";
import { wantsEmail } from "./rules/preferences.ts";
import { endOfQuiet } from "./rules/quiet-hours.ts";
import type { FullDelivery } from "./sql/deliveries.ts";
import { findPendingDelivery, finishDeliveries, listDigestDeliveries, postponeDeliveries } from "./sql/deliveries.ts";
import type { Person } from "./sql/recipients.ts";
import { findPerson } from "./sql/recipients.ts";

/** Why a user gets no mail; null when they do. */
function findRefusal(person: Person | null, mailer: Mailer | null): string | null {
	if (person === null || !person.isActive) return "The user is not active.";
	if (mailer === null) return "The service sends no mail any more.";
	return person.email === "" ? "The user has no email address any more." : null;
}

const NOT_WANTED = "The preferences want no mail of it any more.";

export function createEmailDelivery(ctx: Context) {
	const now = () => new Date(ctx.clock.now());
	const getIds = (rows: readonly FullDelivery[]) => rows.map(({ id }) => id);

	const cancel = (rows: readonly FullDelivery[], error: string) =>
		finishDeliveries(ctx.store.db, getIds(rows), { state: "cancelled", at: now(), error, tried: false });

	/** The deliveries that the user still wants. Cancels the others. */
	async function filterWantedDeliveries(rows: readonly FullDelivery[], person: Person): Promise<FullDelivery[]> {
		const isWanted = ({ category }: FullDelivery) => wantsEmail(person.preferences, category);
		const unwanted = rows.filter((row) => !isWanted(row));
		if (unwanted.length > 0) await cancel(unwanted, NOT_WANTED);
		return rows.filter(isWanted);
	}

	async function sendMail(
		rows: readonly FullDelivery[],
		by: Mailer,
		to: string,
		messageId: string,
		words: Words,
	): Promise<void> {
		try {
			await by.send({ to, messageId, ...words });
		} catch (error) {
			const attempt = Math.max(...rows.map(({ attempts }) => attempts)) + 1;
			const final = error instanceof MailRefused || attempt >= EMAIL_TRIES;
			ctx.log.warn({ err: error, messageId, attempt, final }, "a mail about notifications could not be sent");
			// What a mail server says may hold addresses and names of hosts: it is for the log.
			const text = error instanceof MailRefused ? "The mail server refused it." : "The mail server did not take it.";
			if (final)
				await finishDeliveries(ctx.store.db, getIds(rows), { state: "failed", at: now(), error: text, tried: true });
			else
				await postponeDeliveries(ctx.store.db, getIds(rows), new Date(ctx.clock.now() + computeBackoff(attempt)), {
					error: text,
				});
			return;
		}
		await finishDeliveries(ctx.store.db, getIds(rows), { state: "delivered", at: now(), tried: true });
	}

	async function deliverMail(
		rows: readonly FullDelivery[],
		messageId: string,
		getWords: (rows: readonly FullDelivery[], person: Person) => Words,
	): Promise<void> {
		const [first] = rows;
		if (first === undefined) return;
		const person = first.user_id === null ? null : await findPerson(ctx.store.db, first.user_id);
		const why = findRefusal(person, ctx.mailer);
		if (person === null || ctx.mailer === null || why !== null) return cancel(rows, why ?? "");
		const left = await filterWantedDeliveries(rows, person);
		if (left.length === 0) return;
		const from = endOfQuiet(person.preferences, person.timezone, ctx.clock.now());
		// The task ran late, or the quiet hours have changed.
		if (from > ctx.clock.now()) return postponeDeliveries(ctx.store.db, getIds(left), new Date(from));
		await sendMail(left, ctx.mailer, person.email, messageId, getWords(left, person));
	}

	/** To an address that the user has named; the user's own preferences do not matter to it. */
	async function deliverToAddress(row: FullDelivery, address: string): Promise<void> {
		const person = row.user_id === null ? null : await findPerson(ctx.store.db, row.user_id);
		if (person === null || !person.isActive) return cancel([row], "The user is not active.");
		if (ctx.mailer === null) return cancel([row], "The service sends no mail any more.");
		// The user of the address may have left, or the setting may have changed, since it was named.
		if ((await listRefusedAddresses(ctx, ctx.store.db, [address])).length > 0)
			return cancel([row], "The address belongs to no user and no allowed domain any more.");
		if (row.attempts === 0 && !(await isWithinRate(ctx, { taskId: `addresses:${person.id}`, ownerId: person.id })))
			return cancel([row], "Too many mails to addresses in an hour.");
		const recipient = createHash("sha256").update(address).digest("hex").slice(0, 16);
		const words = buildAddressMail(mailed(row), person.username, ctx.frontendUrl);
		await sendMail([row], ctx.mailer, address, `notification.${row.notification_id}.${recipient}@weft`, words);
	}

	const mailed = (row: FullDelivery) => ({ ...row, created_at: row.told_at });

	return {
		async one(data: unknown): Promise<void> {
			const { deliveryId } = data as { readonly deliveryId: string };
			const row = await findPendingDelivery(ctx.store.db, deliveryId);
			if (row === null) return;
			if (row.address !== null) return deliverToAddress(row, row.address);
			await deliverMail([row], `notification.${row.notification_id}@weft`, () =>
				buildOneMail(mailed(row), ctx.frontendUrl),
			);
		},

		async digest(data: unknown): Promise<void> {
			const { digestId } = data as { readonly digestId: string };
			const rows = await listDigestDeliveries(ctx.store.db, digestId);
			await deliverMail(rows, `digest.${digestId}@weft`, (left, { timezone }) =>
				digestMail(left.map(mailed), timezone, ctx.frontendUrl),
			);
		},
	};
}
