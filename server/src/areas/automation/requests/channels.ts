/**
 * One request over a WebSocket: how it stands over all its executions, then what changes, to its
 * end.
 */
import { automationRequestChannel } from "@weft/contracts";
import { type Context, getNow } from "../../../context.ts";
import { isAllowed } from "../../../core/caller.ts";
import { buildForbiddenError, notFound, orForbidden } from "../../../core/errors.ts";
import type { BoundChannel, SourceFrame } from "../../../core/ws/hub.ts";
import { listRequestExecutions } from "../executions/repo.ts";
import { isOver } from "./domain/transitions.ts";
import { findRequestRow, type RequestRow } from "./repo.ts";
import { findVisibleRequest } from "./service.ts";
import { requestTopic } from "./topic.ts";

/** The channel's word for a request that ended well. */
const formatWord = (status: string): string => (status === "successful" ? "succeeded" : status);

interface SentState {
	readonly jobId: number | null;
	readonly status: string;
	readonly over: boolean;
}

export function createChannel(ctx: Context): BoundChannel {
	return {
		contract: automationRequestChannel,
		async open(identity, params) {
			const { request_id: id } = params as { request_id: string };
			// Unlike HTTP, a socket distinguishes another user's request from one that does not exist.
			if ((await findRequestRow(ctx.store.db, id)) === undefined) throw notFound();
			await findVisibleRequest(ctx, identity, id).catch(orForbidden);
			if (!isAllowed(identity, "view_automationrequest")) throw buildForbiddenError();
			let state = "";
			const sentStates = new Map<string, SentState>();
			let first = true;
			return {
				topic: requestTopic(id),
				async next() {
					const row = await findRequestRow(ctx.store.db, id);
					if (row === undefined) throw notFound();
					const all = await listRequestExecutions(ctx.store.db, id);
					const timestamp = getNow(ctx);
					const frames: SourceFrame[] = [];
					const frame = (type: string, data: Record<string, unknown>) => frames.push({ type, timestamp, data });
					const complete = all.filter(({ finished_at }) => finished_at !== null).length;
					const stateNow = `${row.status}|${all.length}|${complete}`;
					if (stateNow !== state) {
						const data = {
							status: formatWord(row.status),
							executions_total: all.length,
							executions_complete: complete,
						};
						frame("request_status", data);
						state = stateNow;
					}
					for (const execution of all) {
						const now = { jobId: execution.job_id, status: execution.status, over: execution.finished_at !== null };
						const before = sentStates.get(execution.id);
						sentStates.set(execution.id, now);
						// Executions that were over before the subscription are only counted.
						if (first && now.over) continue;
						const about = { execution_id: execution.id };
						if (before === undefined || (before.jobId === null && now.jobId !== null)) {
							frame("execution_spawned", { ...about, automation_job_id: now.jobId });
						}
						if (before?.status !== now.status) frame("execution_status", { ...about, status: now.status });
						if (now.over && !before?.over) frame("execution_complete", { ...about, status: now.status });
					}
					first = false;
					if (isOver(row.status)) {
						frame("request_complete", { status: formatWord(row.status), duration_ms: computeDuration(row) });
					}
					return frames;
				},
			};
		},
	};
}

function computeDuration({ started_at, finished_at }: RequestRow): number {
	return started_at === null || finished_at === null ? 0 : Math.max(0, finished_at.getTime() - started_at.getTime());
}
