/** The progress of a run over a WebSocket. */
import { chainExecutionChannel } from "@weft/contracts";
import { notFound } from "../../platform/errors.ts";
import type { BoundChannel } from "../../platform/ws/hub.ts";
import type { Store } from "../../ports/store.ts";
import { pipelineTopic } from "./lease.ts";
import { mayAccess } from "./policy.ts";
import { presentFrame } from "./present.ts";
import type { PipelineRepo } from "./repo.ts";

export interface ChannelDeps {
	readonly store: Pick<Store, "db">;
	readonly repo: Pick<PipelineRepo, "find" | "frames">;
}

export function createChannel({ store, repo }: ChannelDeps): BoundChannel {
	return {
		contract: chainExecutionChannel,
		async open(identity, params) {
			const { job_id: jobId } = params as { job_id: string };
			const job = await repo.find(store.db, jobId);
			if (job === undefined || !mayAccess(identity, job)) throw notFound();
			const ended = job.status !== "pending" && job.status !== "running";
			// Of a run that has ended only its last frame is left to tell.
			let seen = ended ? job.last_frame - 1 : 0;
			return {
				topic: pipelineTopic(jobId),
				async next() {
					const frames = await repo.frames(store.db, jobId, seen);
					seen = frames.at(-1)?.seq ?? seen;
					return frames.map(presentFrame);
				},
			};
		},
	};
}
