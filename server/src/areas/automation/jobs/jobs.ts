/** Background work of executions: the queues, and the timers of a process that takes jobs. */
import type { Context } from "../../../context.ts";
import type { JobQueue } from "../../../core/ports/jobs.ts";
import { type Repeating, repeatWork } from "../../../core/repeating.ts";
import { sendFirstCancellation } from "./follow/cancellation.ts";
import { createPoller } from "./follow/poller.ts";
import { enqueueDueLaunches, runLaunchStep } from "./launch/run-launch-step.ts";
import { CANCEL_QUEUE, LAUNCH_QUEUE } from "./queues.ts";

const POLL_MS = 500;
const SWEEP_MS = 1_000;

export const listExecutionQueues = (ctx: Context): JobQueue[] => [
	{ name: LAUNCH_QUEUE, concurrency: 4, handler: (data) => runLaunchStep(ctx, data) },
	{ name: CANCEL_QUEUE, concurrency: 2, handler: (data) => sendFirstCancellation(ctx, data) },
];

export function startExecutionTimers(ctx: Context): Repeating {
	const poller = createPoller(ctx);
	return repeatWork(ctx, [
		{
			everyMs: POLL_MS,
			failure: "jobs of automation servers could not be polled",
			mayOverlap: true,
			work: poller.pollDueConnections,
		},
		{ everyMs: SWEEP_MS, failure: "launches could not be looked for", work: () => enqueueDueLaunches(ctx) },
	]);
}
