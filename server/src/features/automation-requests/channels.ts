/** One request over a WebSocket: how it stands over all its executions, then what changes, to its end. */
import { automationRequestChannel } from "@weft/contracts";
import { type Identity, isAllowed } from "../../platform/caller.ts";
import { forbidden, notFound } from "../../platform/errors.ts";
import type { BoundChannel, SourceFrame } from "../../platform/ws/hub.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store } from "../../ports/store.ts";
import { isOver } from "./domain/moves.ts";
import { type RequestNeeds, requestTopic } from "./needs.ts";
import type { RequestRepo, RequestRow, ShownRequest } from "./repo.ts";

export interface ChannelDeps {
	readonly store: Pick<Store, "db">;
	readonly clock: Pick<Clock, "now">;
	readonly requests: Pick<RequestRepo, "row">;
	readonly executions: Pick<RequestNeeds["executions"], "ofRequest">;
	/** The request if the identity sees it; else 404. */
	visible(identity: Identity, id: string): Promise<ShownRequest>;
}

/** The channel's word for a request that ended well. */
const wordOf = (status: string): string => (status === "successful" ? "succeeded" : status);

interface Told {
	readonly jobId: number | null;
	readonly status: string;
	readonly over: boolean;
}

export function createChannel({ store, clock, requests, executions, visible }: ChannelDeps): BoundChannel {
	return {
		contract: automationRequestChannel,
		async open(identity, params) {
			const { request_id: id } = params as { request_id: string };
			await visible(identity, id);
			if (!isAllowed(identity, "view_automationrequest")) throw forbidden();
			let state = "";
			const told = new Map<string, Told>();
			let first = true;
			return {
				topic: requestTopic(id),
				async next() {
					const row = await requests.row(store.db, id);
					if (row === undefined) throw notFound();
					const all = await executions.ofRequest(store.db, id);
					const timestamp = new Date(clock.now());
					const frames: SourceFrame[] = [];
					const frame = (type: string, data: Record<string, unknown>) => frames.push({ type, timestamp, data });
					const complete = all.filter(({ finished_at }) => finished_at !== null).length;
					const stateNow = `${row.status}|${all.length}|${complete}`;
					if (stateNow !== state) {
						const data = { status: wordOf(row.status), executions_total: all.length, executions_complete: complete };
						frame("request_status", data);
						state = stateNow;
					}
					for (const execution of all) {
						const now = { jobId: execution.job_id, status: execution.status, over: execution.finished_at !== null };
						const before = told.get(execution.id);
						told.set(execution.id, now);
						// What was over before anybody listened is counted only.
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
						frame("request_complete", { status: wordOf(row.status), duration_ms: durationOf(row) });
					}
					return frames;
				},
			};
		},
	};
}

function durationOf({ started_at, finished_at }: RequestRow): number {
	return started_at === null || finished_at === null ? 0 : Math.max(0, finished_at.getTime() - started_at.getTime());
}
