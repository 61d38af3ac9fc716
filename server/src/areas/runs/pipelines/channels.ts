/** The progress of a run over a WebSocket. */
import { chainExecutionChannel } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { isAllowed } from "../../../core/caller.ts";
import { buildForbiddenError, buildNotFoundError } from "../../../core/errors.ts";
import type { BoundChannel } from "../../../core/ws/hub.ts";
import { mayAccess } from "./policy.ts";
import { presentFrame } from "./present.ts";
import { findRun, listRunFrames } from "./sql/runs.ts";
import { getPipelineTopic } from "./topics.ts";

export function createChannel({ store }: Context): BoundChannel {
	return {
		contract: chainExecutionChannel,
		async open(identity, params) {
			const { job_id: jobId } = params as { job_id: string };
			const job = await findRun(store.db, jobId);
			if (job === undefined) throw buildNotFoundError();
			if (!isAllowed(identity, "view_pipelineexecution") || !mayAccess(identity, job)) throw buildForbiddenError();
			const ended = job.status !== "pending" && job.status !== "running" && !job.is_recording;
			// A viewer of a run that has ended receives only the last frame.
			let lastSent = ended ? job.last_frame - 1 : 0;
			return {
				topic: getPipelineTopic(jobId),
				async next() {
					const frames = await listRunFrames(store.db, jobId, lastSent);
					lastSent = frames.at(-1)?.seq ?? lastSent;
					return frames.map(presentFrame);
				},
			};
		},
	};
}
