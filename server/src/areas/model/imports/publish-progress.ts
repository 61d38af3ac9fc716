/** Publishes the progress of imports to their listeners. */
import type { Context } from "../../../context.ts";
import { importTopic } from "./topics.ts";

/** Least time between two announcements of the same import, in milliseconds. */
const PUBLISH_MS = 250;

/** An import and the time at which its progress was last published, in milliseconds since 1970. */
export interface PublishedProgress {
	readonly runId: string;
	at: number;
}

/** Announces that an import has changed; its listeners read the change. */
export function publishProgress(ctx: Context, published: PublishedProgress): void {
	published.at = ctx.clock.now();
	ctx.pubsub
		.publish(importTopic(published.runId), "")
		.catch((error: unknown) => ctx.log.debug({ err: error }, "the progress of an import could not be published"));
}

/** Does the same unless it was just done. */
export function publishBatch(ctx: Context, published: PublishedProgress): void {
	if (ctx.clock.now() - published.at >= PUBLISH_MS) publishProgress(ctx, published);
}
