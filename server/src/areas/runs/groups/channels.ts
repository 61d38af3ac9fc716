/** The progress of a group execution over a WebSocket. */
import { groupExecutionChannel } from "@weft/contracts";
import type { Context } from "../../../context.ts";
import { isAllowed } from "../../../core/caller.ts";
import { buildForbiddenError, buildNotFoundError } from "../../../core/errors.ts";
import type { BoundChannel, SourceFrame } from "../../../core/ws/hub.ts";
import { mayAccess } from "./policy.ts";
import { presentEnd, presentRunFrame } from "./present.ts";
import { findGroupExecution, listGroupRuns } from "./sql.ts";
import { groupTopic } from "./topic.ts";

export function createChannel(ctx: Context): BoundChannel {
	return {
		contract: groupExecutionChannel,
		async open(identity, params) {
			const { id } = params as { id: string };
			const found = await findGroupExecution(ctx.store.db, id);
			if (found === undefined) throw buildNotFoundError();
			if (!isAllowed(identity, "view_pipelineexecution") || !mayAccess(identity, found)) throw buildForbiddenError();
			/** The standing that was sent last, by connection. */
			const sent = new Map<string, string>();
			let isOver = false;
			return {
				topic: groupTopic(id),
				async next() {
					if (isOver) return [];
					// Read before its runs: an end that is read here is shown by the runs, too.
					const group = await findGroupExecution(ctx.store.db, id);
					const runs = (await listGroupRuns(ctx.store.db, [id])).get(id) ?? [];
					if (group === undefined) return [];
					const now = new Date(ctx.clock.now());
					const frames: SourceFrame[] = [];
					for (const run of runs) {
						const standing = `${run.job_id} ${run.status}`;
						if (sent.get(run.connection_id) === standing) continue;
						sent.set(run.connection_id, standing);
						frames.push(presentRunFrame(run, now));
					}
					isOver = group.status !== "running";
					return isOver ? [...frames, presentEnd(group, now)] : frames;
				},
			};
		},
	};
}
