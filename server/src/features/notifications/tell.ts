/**
 * Writes notifications in the transaction of what they tell of, with what is to be delivered besides; wakes the open sockets
 * once it has committed.
 */
import type { Audience, NotificationDue } from "../../platform/events.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ids } from "../../ports/ids.ts";
import type { PubSub } from "../../ports/pubsub.ts";
import type { Tx } from "../../ports/store.ts";
import { planFor, type Ways } from "./domain/plan.ts";
import { wantsInApp } from "./domain/preferences.ts";
import { clipBody, clipTitle } from "./domain/text.ts";
import type { Due } from "./due.ts";
import type { NotificationRepo } from "./repo.ts";
import type { PeopleRepo, Person } from "./repo-people.ts";

export const topicOf = (userId: number): string => `notifications:${userId}`;

export interface TellDeps {
	readonly clock: Pick<Clock, "now">;
	readonly ids: Pick<Ids, "uuid">;
	readonly pubsub: Pick<PubSub, "publish">;
	readonly repo: NotificationRepo;
	readonly people: PeopleRepo;
	readonly due: Pick<Due, "add">;
	readonly ways: Ways;
}

/** Users of one statement; its parameters are few, but its rows are held at once. */
const AT_ONCE = 5_000;

export function createTell({ clock, ids, pubsub, repo, people, due, ways }: TellDeps) {
	/** What is delivered of the same notification to each of them. */
	const deliveriesOf = (
		category: NotificationDue["category"],
		created_at: Date,
		written: readonly { readonly id: string; readonly person: Person }[],
	) =>
		written.flatMap(({ id: notification_id, person }) =>
			planFor(person, category, created_at.getTime(), ways).map(({ channel, dueAt }) => ({
				notification_id,
				user_id: person.id,
				channel,
				due_at: new Date(dueAt),
				created_at,
			})),
		);

	return {
		/** @returns how many were told now; whoever was told before, or is gone, is not told again */
		async tell(tx: Tx, event: NotificationDue): Promise<number> {
			const audience: Audience = "audience" in event ? event.audience : [event.userId];
			const { category, severity, link, key } = event;
			const told = {
				category,
				severity,
				link,
				key,
				title: clipTitle(event.title),
				body: clipBody(event.body),
				created_at: new Date(clock.now()),
			};
			const all = await people.audience(tx, audience);
			let count = 0;
			for (let at = 0; at < all.length; at += AT_ONCE) {
				const rows = all.slice(at, at + AT_ONCE).map((person) => ({
					id: ids.uuid(),
					user_id: person.id,
					person,
					hidden: !wantsInApp(person.preferences, category),
				}));
				const made = await repo.insert(tx, told, rows);
				const written = rows.filter(({ id }) => made.has(id));
				await due.add(tx, deliveriesOf(category, told.created_at, written));
				tx.afterCommit(() => Promise.all(written.map(({ user_id }) => pubsub.publish(topicOf(user_id), ""))));
				count += written.length;
			}
			return count;
		},
	};
}
export type Tell = ReturnType<typeof createTell>;
