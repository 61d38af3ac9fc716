/**
 * Writes notifications and their deliveries in the transaction of the change, and wakes the open
 * sockets after the commit.
 */
import type { NotificationFacts } from "@weft/contracts";
import type { Audience, NoticeFacts, NoticeReaders, NotificationDue } from "../../platform/events.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { PubSub } from "../../ports/pubsub.ts";
import type { Tx } from "../../ports/store.ts";
import { type EnabledChannels, planFor } from "./domain/plan.ts";
import { wantsInApp } from "./domain/preferences.ts";
import { clipBody, clipTitle } from "./domain/text.ts";
import { insertNotifications } from "./repo.ts";
import type { Person } from "./repo-recipients.ts";
import { holdAudience } from "./repo-recipients.ts";
import { claimSharedEvent } from "./repo-webhooks.ts";
import type { Due } from "./service-queue.ts";

export const getTopic = (userId: number): string => `notifications:${userId}`;

export interface NotifyDeps {
	readonly clock: Pick<Clock, "now">;
	readonly ids: Pick<Ids, "uuid">;
	readonly pubsub: Pick<PubSub, "publish">;
	readonly due: Pick<Due, "add">;
	readonly enabled: EnabledChannels;
}

/** The person without the channels that are not among the readers. */
const selectChannels = (person: Person, readers: NoticeReaders | undefined): Person =>
	readers === undefined
		? person
		: {
				...person,
				email: readers.hasInbox ? person.email : "",
				webhooks: person.webhooks.filter(({ id }) => readers.webhookIds.includes(id)),
			};

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

/** Users per statement, which holds their rows in memory. */
const AT_ONCE = 5_000;

export function createNotify({ clock, ids, pubsub, due, enabled }: NotifyDeps) {
	/** The deliveries of one notification to each of its recipients. */
	const getDeliveries = (
		category: NotificationDue["category"],
		created_at: Date,
		written: readonly { readonly id: string; readonly person: Person }[],
		readers: NoticeReaders | undefined,
	) =>
		written.flatMap(({ id: notification_id, person }) =>
			planFor(selectChannels(person, readers), category, created_at.getTime(), enabled).map(
				({ channel, dueAt, webhookId }) => ({
					notification_id,
					user_id: person.id,
					webhook_id: webhookId ?? null,
					channel,
					due_at: new Date(dueAt),
					created_at,
				}),
			),
		);

	/** The deliveries to shared webhooks. Each event once, with the notification of one recipient. */
	async function sharedDeliveries(
		tx: Tx,
		{ category, key, isPersonal, readers }: NotificationDue,
		due_at: Date,
		written: readonly { readonly id: string }[],
	) {
		const [first] = written;
		if (first === undefined || isPersonal || !enabled.webhooks) return [];
		const webhookIds = await claimSharedEvent(tx, category, key, due_at, readers?.webhookIds ?? null);
		return webhookIds.map((webhook_id) => ({
			notification_id: first.id,
			user_id: null,
			webhook_id,
			channel: "webhook" as const,
			due_at,
			created_at: due_at,
		}));
	}

	return {
		/** Returns the number of users notified now: without those notified before, or deleted. */
		async notify(tx: Tx, event: NotificationDue): Promise<number> {
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
				created_at: new Date(clock.now()),
			};
			const all = await holdAudience(tx, audience);
			let count = 0;
			for (let at = 0; at < all.length; at += AT_ONCE) {
				const rows = all.slice(at, at + AT_ONCE).map((person) => ({
					id: ids.uuid(),
					user_id: person.id,
					person,
					hidden: event.readers?.hasInbox === false || !wantsInApp(person.preferences, category),
				}));
				const made = await insertNotifications(tx, content, rows);
				const written = rows.filter(({ id }) => made.has(id));
				await due.add(tx, [
					...getDeliveries(category, content.created_at, written, event.readers),
					...(await sharedDeliveries(tx, event, content.created_at, written)),
				]);
				tx.afterCommit(() => Promise.all(written.map(({ user_id }) => pubsub.publish(getTopic(user_id), ""))));
				count += written.length;
			}
			return count;
		},
	};
}
export type Notify = ReturnType<typeof createNotify>["notify"];
