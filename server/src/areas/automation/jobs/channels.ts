/**
 * The WebSocket channels of one request and of one execution: their state, then what changes, to
 * their end; of an execution its output, too.
 */
import { automationExecutionChannel, automationRequestChannel, type LaunchState } from "@weft/contracts";
import { type Context, getNow } from "../../../context.ts";
import { isAllowed } from "../../../core/caller.ts";
import { buildForbiddenError, buildNotFoundError, requireAllowed } from "../../../core/errors.ts";
import type { BoundChannel, SourceFrame } from "../../../core/ws/hub.ts";
import { findOwnOutput, getLength, readTextRange } from "./follow/output.ts";
import { recordView } from "./follow/views.ts";
import { findVisibleExecution } from "./launch/visible-execution.ts";
import { findVisibleRequest } from "./request/read-requests.ts";
import { splitOutputText } from "./rules/output.ts";
import { HELD_STATES, isOver } from "./rules/states.ts";
import { findExecutionRow, listRequestExecutions } from "./sql/executions.ts";
import { findRequestRow, type RequestRow } from "./sql/requests.ts";
import { getExecutionTopic, requestTopic } from "./topics.ts";

/** The channel's word for a request that ended well. */
const formatWord = (status: string): string => (status === "successful" ? "succeeded" : status);

interface SentState {
	readonly jobId: number | null;
	readonly status: string;
	readonly over: boolean;
	/** The state of a launch that waits for its change window; null for another one. */
	readonly held: LaunchState | null;
}

export function createRequestChannel(ctx: Context): BoundChannel {
	return {
		contract: automationRequestChannel,
		async open(identity, params) {
			const { request_id: id } = params as { request_id: string };
			// Unlike HTTP, a socket distinguishes another user's request from one that does not exist.
			if ((await findRequestRow(ctx.store.db, id)) === undefined) throw buildNotFoundError();
			await findVisibleRequest(ctx, identity, id).catch(requireAllowed);
			if (!isAllowed(identity, "view_automationrequest")) throw buildForbiddenError();
			let state = "";
			const sentStates = new Map<string, SentState>();
			let first = true;
			return {
				topic: requestTopic(id),
				async next() {
					const row = await findRequestRow(ctx.store.db, id);
					if (row === undefined) throw buildNotFoundError();
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
						const now = {
							jobId: execution.job_id,
							status: execution.status,
							over: execution.finished_at !== null,
							held: HELD_STATES.includes(execution.launch_state) ? execution.launch_state : null,
						};
						const before = sentStates.get(execution.id);
						sentStates.set(execution.id, now);
						// Executions that were over before the subscription are only counted.
						if (first && now.over) continue;
						const about = { execution_id: execution.id };
						if (before === undefined || (before.jobId === null && now.jobId !== null)) {
							frame("execution_spawned", { ...about, automation_job_id: now.jobId });
						}
						if (before?.status !== now.status || before.held !== now.held)
							frame("execution_status", { ...about, status: now.status });
						if (now.over && !before?.over) frame("execution_complete", { ...about, status: now.status });
					}
					first = false;
					if (isOver("request", row.status)) {
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

/**
 * Code units of one frame, and of what one reading gives: a slow reader takes them at its own pace.
 */
const FRAME_UNITS = 65_536;
const READ_UNITS = 512 * 1024;

export function createExecutionChannel(ctx: Context): BoundChannel {
	return {
		contract: automationExecutionChannel,
		async open(identity, params) {
			const { execution_id: id } = params as { execution_id: string };
			// Unlike HTTP, a socket distinguishes another user's execution from one that does not exist.
			if ((await findExecutionRow(ctx.store.db, id)) === undefined) throw buildNotFoundError();
			await findVisibleExecution(ctx, identity, id).catch(requireAllowed);
			if (!isAllowed(identity, "view_automationexecution")) throw buildForbiddenError();
			let shown: string | null = null;
			let offset = 0;
			let more = false;
			return {
				topic: getExecutionTopic(id),
				async next() {
					const row = await findExecutionRow(ctx.store.db, id);
					if (row === undefined) throw buildNotFoundError();
					if (row.finished_at === null) await recordView(ctx, id);
					const timestamp = getNow(ctx);
					const frames: SourceFrame[] = [];
					const frame = (type: string, data: Record<string, unknown>) => frames.push({ type, timestamp, data });
					// If the execution is over, its output comes first, so that its end is the last frame.
					const over = row.finished_at !== null;
					if (shown === null || (!over && shown !== row.status)) {
						frame("status_changed", { from: shown, to: row.status });
						shown = row.status;
					}
					const output = await findOwnOutput(ctx.store.db, row);
					if (getLength(output) > offset) {
						const text = await readTextRange(ctx.store.db, output, offset, offset + READ_UNITS);
						for (const piece of splitOutputText(text, FRAME_UNITS)) {
							frame("stdout_chunk", { offset, text: piece });
							offset += piece.length;
						}
					}
					more = getLength(output) > offset;
					if (over && !more) {
						if (shown !== row.status) frame("status_changed", { from: shown, to: row.status });
						frame("execution_complete", { status: row.status, artifacts: row.artifacts ?? {} });
					}
					return frames;
				},
				more: () => more,
			};
		},
	};
}
