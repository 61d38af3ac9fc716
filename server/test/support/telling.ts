/**
 * Notifies users as another area would: an event in a transaction, handled by the area's own
 * index.
 */

import { createNotifications } from "../../src/areas/notifications/index.ts";
import type { Context } from "../../src/context.ts";
import { createEvents, type NotificationDue } from "../../src/core/events.ts";
import type { TestApp } from "./harness.ts";

type Notice = Omit<Extract<NotificationDue, { userId: number }>, "type">;
export type Telling = ReturnType<typeof createTelling>;

/** @param parts replace those of the context */
export function createTelling({ deps, app }: Pick<TestApp, "deps" | "app">, parts: Partial<Context> = {}) {
	const events = createEvents(deps.jobs);
	const notifications = createNotifications({ ...app.context, ...parts, events });
	let count = 0;

	const noticeFor = (userId: number, notice: Partial<Notice> = {}): NotificationDue => ({
		type: "notification_due",
		userId,
		category: "automation_execution",
		severity: "info",
		title: "A job has ended",
		body: "All is well.",
		link: "/api/automation/",
		facts: { event: "request_ended", objects: [] },
		key: `test:${count++}`,
		...notice,
	});

	return {
		/** The area's timers, beside those of the service. */
		work: notifications.work,
		/** Starts its background jobs and timers, and no other area's. */
		async start(): Promise<{ stop(): void }> {
			await deps.jobs.work(notifications.queues);
			return notifications.work();
		},
		noticeFor,
		/** Titles are `Number 0` and so on. */
		async many(userId: number, times: number): Promise<void> {
			await deps.store.transaction(async (tx) => {
				for (let i = 0; i < times; i++) await events.emit(tx, noticeFor(userId, { title: `Number ${i}` }));
			});
		},
		/** `work` runs in the same transaction, afterwards. */
		async tell(due: NotificationDue, work: () => Promise<void> = async () => {}): Promise<void> {
			await deps.store.transaction(async (tx) => {
				await events.emit(tx, due);
				await work();
			});
		},
	};
}
