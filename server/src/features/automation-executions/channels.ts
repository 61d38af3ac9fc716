/** One execution over a WebSocket: how it stands, its output from the beginning and as it comes, to its end. */
import { automationExecutionChannel } from "@weft/contracts";
import { type Identity, isAllowed } from "../../platform/caller.ts";
import { forbidden, notFound } from "../../platform/errors.ts";
import type { BoundChannel, SourceFrame } from "../../platform/ws/hub.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Store } from "../../ports/store.ts";
import { pieces } from "./domain/output.ts";
import { executionTopic } from "./needs.ts";
import type { Reading } from "./reading.ts";
import type { ExecutionRepo, ShownExecution } from "./repo.ts";
import type { StreamRepo } from "./repo-streams.ts";
import type { Watching } from "./watching.ts";

export interface ChannelDeps {
	readonly store: Pick<Store, "db">;
	readonly clock: Pick<Clock, "now">;
	readonly executions: Pick<ExecutionRepo, "row">;
	readonly streams: Pick<StreamRepo, "find">;
	readonly reading: Reading;
	readonly watching: Watching;
	/** The execution if the identity sees it; else 404. */
	visible(identity: Identity, id: string): Promise<ShownExecution>;
}

/** Code units of one frame, and of what one reading gives: a slow reader takes them at its own pace. */
const FRAME_UNITS = 65_536;
const READ_UNITS = 512 * 1024;

export function createChannel({
	store,
	clock,
	executions,
	streams,
	reading,
	watching,
	visible,
}: ChannelDeps): BoundChannel {
	return {
		contract: automationExecutionChannel,
		async open(identity, params) {
			const { execution_id: id } = params as { execution_id: string };
			await visible(identity, id);
			if (!isAllowed(identity, "view_automationexecution")) throw forbidden();
			let shown: string | null = null;
			let offset = 0;
			let more = false;
			return {
				topic: executionTopic(id),
				async next() {
					const row = await executions.row(store.db, id);
					if (row === undefined) throw notFound();
					if (row.finished_at === null) await watching.seen(id);
					const timestamp = new Date(clock.now());
					const frames: SourceFrame[] = [];
					const frame = (type: string, data: Record<string, unknown>) => frames.push({ type, timestamp, data });
					// Of an execution that is over the output comes first, so that its end is the last that is told.
					const over = row.finished_at !== null;
					if (shown === null || (!over && shown !== row.status)) {
						frame("status_changed", { from: shown, to: row.status });
						shown = row.status;
					}
					const stream = row.job_id === null ? undefined : await streams.find(store.db, id, row.job_id);
					if (stream !== undefined && stream.length > offset) {
						const text = await reading.text(store.db, stream, offset, offset + READ_UNITS);
						for (const piece of pieces(text, FRAME_UNITS)) {
							frame("stdout_chunk", { offset, text: piece });
							offset += piece.length;
						}
					}
					more = stream !== undefined && stream.length > offset;
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
