/**
 * The progress of an import over a WebSocket. It is computed from the run's row, so a late
 * subscriber misses nothing that counts.
 */
import { mimImportChannel } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { isAllowed } from "../../../core/caller.ts";
import { buildForbiddenError, buildNotFoundError } from "../../../core/errors.ts";
import type { BoundChannel } from "../../../core/ws/hub.ts";
import { buildFrames, getProgress } from "./present.ts";
import type { Progress } from "./rules/progress.ts";
import { presentServed } from "./served.ts";
import { findImportRun } from "./sql/imports.ts";
import { importTopic } from "./topics.ts";

export function createChannel(ctx: Context): BoundChannel {
	return {
		contract: mimImportChannel,
		async open(identity, params) {
			const { task_id: runId } = params as { task_id: string };
			if (!isAllowed(identity, "view_modelversion")) throw buildForbiddenError();
			if ((await findImportRun(ctx.store.db, runId)) === undefined) throw buildNotFoundError();
			let lastSent: Progress | null = null;
			return {
				topic: importTopic(runId),
				async next() {
					const found = await findImportRun(ctx.store.db, runId);
					if (found === undefined) return [];
					const { run: row } = await presentServed(ctx, found);
					const frames = buildFrames(lastSent, row, ctx.clock.now());
					lastSent = getProgress(row);
					return frames;
				},
			};
		},
	};
}
