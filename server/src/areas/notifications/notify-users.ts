/**
 * Writes notifications and their deliveries in the transaction of the change, and wakes the open
 * sockets after the commit.
 */
import type { NotificationFacts } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Audience, NoticeFacts, NoticeReaders, NotificationDue } from "../../core/events.ts";
import type { Tx } from "../../core/ports/store.ts";
import { addDeliveries } from "./enqueue-deliveries.ts";
import { type EnabledChannels, planFor } from "./rules/plan.ts";
import { wantsInApp } from "./rules/preferences.ts";
import { clipBody, clipTitle } from "./rules/text.ts";
import { insertNotifications } from "./sql/notifications.ts";
import type { Person } from "./sql/recipients.ts";
import { holdAudience } from "./sql/recipients.ts";
import { claimSharedEvent } from "./sql/webhooks.ts";

export const getTopic = (userId: number): string => `notifications:${userId}`;

/** The person without the channels that are not among the readers. */
function selectChannels(
	person: Person,
	category: NotificationDue["category"],
	readers: NoticeReaders | undefined,
): Person {
	if (readers === undefined) return person;
	const { hasInbox, webhookIds, namedWebhookIds = [] } = readers;
	const webhooks = person.webhooks
		.filter(({ id }) => typeof webhookIds === "string" || webhookIds.includes(id))
		.map((hook) => (namedWebhookIds.includes(hook.id) ? { ...hook, categories: [category] } : hook));
	return { ...person, email: hasInbox ? person.email : "", webhooks };
}

/** Objects that the facts of a notification name; further ones are left out. */
const OBJECTS_MAX = 50;

const getFacts = ({ event, actor, objects }: NoticeFacts): NotificationFacts => ({
	event,
	actor: actor ?? null,
	objects: objects.slice(0, OBJECTS_MAX).map(({ kind, id, name, connection = null, before = null, after = null }) => ({
		kind,
		id: String(id),
		name: clipTitle(name),
		connection,
		before,
		after,
	})),
});

const listEnabledChannels = (ctx: Context): EnabledChannels => ({
	mail: ctx.mailer !== null,
	webhooks: ctx.webhooks !== null,
});

/** Users per statement, which holds their rows in memory. */
const AT_ONCE = 5_000;

/** The deliveries of one notification to each of its recipients. */
const getDeliveries = (
	ctx: Context,
	category: NotificationDue["category"],
	created_at: Date,
	written: readonly { readonly id: string; readonly person: Person }[],
	readers: NoticeReaders | undefined,
) =>
	written.flatMap(({ id: notification_id, person }) =>
		planFor(selectChannels(person, category, readers), category, created_at.getTime(), listEnabledChannels(ctx)).map(
			({ channel, dueAt, webhookId }) => ({
				notification_id,
				user_id: person.id,
				webhook_id: webhookId ?? null,
				is_named: webhookId !== undefined && readers?.namedWebhookIds?.includes(webhookId) === true,
				channel,
				due_at: new Date(dueAt),
				created_at,
			}),
		),
	);

/** Mails to addresses that the notification's user has named. */
const buildAddressDeliveries = (
	ctx: Context,
	created_at: Date,
	written: readonly { readonly id: string; readonly person: Person }[],
	addresses: readonly string[],
) =>
	ctx.mailer === null
		? []
		: written.flatMap(({ id: notification_id, person }) =>
				addresses.map((address) => ({
					notification_id,
					user_id: person.id,
					webhook_id: null,
					channel: "email" as const,
					address,
					due_at: created_at,
					created_at,
				})),
			);

/** The deliveries to shared webhooks. Each event once, with the notification of one recipient. */
async function buildSharedDeliveries(
	ctx: Context,
	tx: Tx,
	{ category, key, isPersonal, readers }: NotificationDue,
	due_at: Date,
	written: readonly { readonly id: string }[],
) {
	const [first] = written;
	if (first === undefined || isPersonal || !listEnabledChannels(ctx).webhooks) return [];
	const webhookIds = readers?.webhookIds ?? "all";
	const among = webhookIds === "all" ? null : webhookIds === "own" ? [] : webhookIds;
	const named = readers?.namedWebhookIds ?? [];
	const claimed = await claimSharedEvent(tx, category, key, due_at, among, named);
	return claimed.map((webhook_id) => ({
		notification_id: first.id,
		user_id: null,
		webhook_id,
		is_named: named.includes(webhook_id),
		channel: "webhook" as const,
		due_at,
		created_at: due_at,
	}));
}

/** Returns the number of users notified now: without those notified before, or deleted. */
export async function notifyUsers(ctx: Context, tx: Tx, event: NotificationDue): Promise<number> {
	const audience: Audience = "audience" in event ? event.audience : [event.userId];
	const { category, severity, link, key } = event;
	const content = {
		category,
		severity,
		link,
		facts: getFacts(event.facts),
		key,
		title: clipTitle(event.title),
		body: clipBody(event.body),
		created_at: new Date(ctx.clock.now()),
	};
	const all = await holdAudience(tx, audience);
	let count = 0;
	for (let at = 0; at < all.length; at += AT_ONCE) {
		const rows = all.slice(at, at + AT_ONCE).map((person) => ({
			id: ctx.ids.uuid(),
			user_id: person.id,
			person,
			hidden: event.readers?.hasInbox === false || !wantsInApp(person.preferences, category),
		}));
		const made = await insertNotifications(tx, content, rows);
		const written = rows.filter(({ id }) => made.has(id));
		await addDeliveries(ctx, tx, [
			...getDeliveries(ctx, category, content.created_at, written, event.readers),
			...buildAddressDeliveries(ctx, content.created_at, written, event.readers?.addresses ?? []),
			...(await buildSharedDeliveries(ctx, tx, event, content.created_at, written)),
		]);
		tx.afterCommit(() => Promise.all(written.map(({ user_id }) => ctx.pubsub.publish(getTopic(user_id), ""))));
		count += written.length;
	}
	return count;
}
