/** Enqueues deliveries when they are due, and again when their queue task was lost. */
import type { Context } from "../../context.ts";
import type { Tx } from "../../core/ports/store.ts";
import { computeNextDigest } from "./rules/quiet-hours.ts";
import type { DeliveryRow, NewDelivery } from "./sql/deliveries.ts";
import {
	bundleDeliveries,
	claimDueDeliveries,
	insertDeliveries,
	leaseDelivery,
	listDigestUsers,
} from "./sql/deliveries.ts";
import { lockInbox } from "./sql/notifications.ts";
import { findPerson } from "./sql/recipients.ts";

export const EMAIL_QUEUE = "notifications.email";
export const DIGEST_QUEUE = "notifications.digest";
export const WEBHOOK_QUEUE = "notifications.webhooks";

/** Time after which a delivery without an outcome is enqueued again. */
const LOST_MS = 10 * 60_000;
const BATCH = 200;

async function enqueueDeliveries(
	ctx: Context,
	tx: Tx,
	rows: readonly Pick<DeliveryRow, "id" | "channel" | "digest_id">[],
): Promise<void> {
	const of = (channel: DeliveryRow["channel"]) => rows.filter((row) => row.channel === channel);
	const digests = new Set(of("digest").flatMap(({ digest_id }) => digest_id ?? []));
	await ctx.jobs.enqueueAll(
		tx,
		EMAIL_QUEUE,
		of("email").map(({ id: deliveryId }) => ({ deliveryId })),
	);
	await ctx.jobs.enqueueAll(
		tx,
		WEBHOOK_QUEUE,
		of("webhook").map(({ id: deliveryId }) => ({ deliveryId })),
	);
	await ctx.jobs.enqueueAll(
		tx,
		DIGEST_QUEUE,
		[...digests].map((digestId) => ({ digestId })),
	);
}

async function takeDue(ctx: Context): Promise<number> {
	return ctx.store.transaction(async (tx) => {
		const now = ctx.clock.now();
		const taken = await claimDueDeliveries(tx, new Date(now), new Date(now + LOST_MS), BATCH);
		await enqueueDeliveries(ctx, tx, taken);
		return taken.length;
	});
}

async function bundleDigest(ctx: Context, userId: number): Promise<void> {
	const person = await findPerson(ctx.store.db, userId);
	if (person === null) return;
	const now = ctx.clock.now();
	await ctx.store.transaction(async (tx) => {
		await lockInbox(tx, userId);
		const digestId = ctx.ids.uuid();
		const at = {
			now: new Date(now),
			until: new Date(now + LOST_MS),
			next: new Date(computeNextDigest(person.preferences, person.timezone, now)),
		};
		if (await bundleDeliveries(tx, userId, digestId, at)) await ctx.jobs.enqueue(tx, DIGEST_QUEUE, { digestId });
	});
}

/**
 * Stores deliveries in the notification's transaction, and enqueues those that are due now.
 * Returns their ids.
 */
export async function addDeliveries(
	ctx: Context,
	tx: Tx,
	planned: readonly Omit<NewDelivery, "id" | "state" | "look_at">[],
): Promise<string[]> {
	if (planned.length === 0) return [];
	const now = ctx.clock.now();
	const rows = planned.map((row) => {
		const isDue = (row.due_at as Date).getTime() <= now;
		return {
			...row,
			id: ctx.ids.uuid(),
			state: "pending" as const,
			look_at: isDue ? new Date(now + LOST_MS) : row.due_at,
			isDue,
		};
	});
	await insertDeliveries(
		tx,
		rows.map(({ isDue: _, ...row }) => row),
	);
	await enqueueDeliveries(
		ctx,
		tx,
		rows.filter(({ isDue }) => isDue).map(({ id, channel }) => ({ id, channel, digest_id: null })),
	);
	return rows.map(({ id }) => id);
}

/** Enqueues a delivery that waits for a later attempt. */
export async function hastenDeliveries(ctx: Context, tx: Tx, row: DeliveryRow): Promise<void> {
	const now = ctx.clock.now();
	await leaseDelivery(tx, row.id, new Date(now), new Date(now + LOST_MS));
	await enqueueDeliveries(ctx, tx, [row]);
}

/** Enqueues all that is due now. Costs two small reads when nothing is. */
export async function enqueueDueDeliveries(ctx: Context, signal: AbortSignal): Promise<void> {
	while (!signal.aborted) {
		const users = await listDigestUsers(ctx.store.db, new Date(ctx.clock.now()), BATCH);
		for (const userId of users) await bundleDigest(ctx, userId);
		if (users.length < BATCH) break;
	}
	while (!signal.aborted && (await takeDue(ctx)) === BATCH);
}
