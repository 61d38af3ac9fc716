/** Change windows: declared changes, the states before and after the work, and the verdict. */
import type { Verdict, WindowState } from "@weft/contracts";
import type { Context } from "../../context.ts";
import type { Identity } from "../../core/caller.ts";
import type { BoundRoute } from "../../core/http/binder.ts";
import type { JobQueue } from "../../core/ports/jobs.ts";
import type { Tx } from "../../core/ports/store.ts";
import type { Repeating } from "../../core/repeating.ts";
import type { BoundChannel } from "../../core/ws/hub.ts";
import type { Launcher } from "../automation/jobs/launch/bind-window.ts";
import type { BoundWindow } from "../automation/jobs/launch/execution-lifecycle.ts";
import type { ChosenPlan } from "../automation/jobs/request/choose-change.ts";
import type { RequestRow } from "../automation/jobs/sql/requests.ts";
import { assertLaunchable, bindLaunch } from "./bind-launch.ts";
import { createChannel } from "./channels.ts";
import { followWindowJobs } from "./follow-jobs.ts";
import { listWindowQueues, startWindowTimers } from "./jobs.ts";
import { assertRequestWindow, chooseRequestPlan } from "./request-change.ts";
import { createRoutes } from "./routes.ts";
import { buildSnapshotPlan } from "./rules/snapshot-plan.ts";
import { listVerdictCounts } from "./sql/verdict-counts.ts";
import { countByState, lockWindowRow, tryLockWindow } from "./sql/windows.ts";

export interface Windows {
	readonly routes: BoundRoute[];
	readonly channels: BoundChannel[];
	readonly queues: JobQueue[];
	/** Numbers of windows by state, for the metrics. */
	readStateSamples(): Promise<{ labels: { state: WindowState }; value: number }[]>;
	/** The plan that a request names, as it is now. @throws 400, 403 */
	chooseRequestPlan(identity: Identity, id: string): Promise<ChosenPlan>;
	/** The plan of a request that names only the query of its snapshots. */
	buildSnapshotPlan: typeof buildSnapshotPlan;
	/** @throws 400 unless the requester sees the window, and a job may begin in it on the target */
	assertRequestWindow(identity: Identity, id: string, target: string | null): Promise<void>;
	lockLaunchWindow(tx: Tx, id: string): Promise<unknown>;
	tryLockWindow(tx: Tx, id: string): Promise<boolean>;
	assertLaunchable(tx: Tx, row: RequestRow, identity: Identity): Promise<void>;
	/** The window of a launch, made or started where it is to be. @throws 400, 403, 409 */
	bindLaunch(tx: Tx, row: RequestRow, launcher: Launcher): Promise<BoundWindow>;
	/** Numbers of verdicts so far, for the metrics. */
	readVerdictSamples(): Promise<{ labels: { verdict: Verdict }; value: number }[]>;
	/** Starts the timers of a process that takes queue tasks. */
	work(): Repeating;
}

export function createWindows(ctx: Context, background: Context): Windows {
	ctx.events.durable("automation_execution_ended", "change_windows.jobs", ({ windowId }) =>
		followWindowJobs(background, windowId),
	);
	return {
		routes: createRoutes(ctx),
		channels: [createChannel(ctx)],
		queues: listWindowQueues(background),
		chooseRequestPlan: (identity, id) => chooseRequestPlan(ctx, identity, id),
		buildSnapshotPlan,
		assertRequestWindow: (identity, id, target) => assertRequestWindow(ctx, identity, id, target),
		lockLaunchWindow: lockWindowRow,
		tryLockWindow,
		assertLaunchable: (tx, row, identity) => assertLaunchable(ctx, tx, row, identity),
		bindLaunch: (tx, row, launcher) => bindLaunch(ctx, tx, row, launcher),
		readStateSamples: async () =>
			(await countByState(ctx.store.db)).map(({ state, count }) => ({ labels: { state }, value: count })),
		readVerdictSamples: async () =>
			(await listVerdictCounts(ctx.store.db)).map(({ verdict, total }) => ({ labels: { verdict }, value: total })),
		work: () => startWindowTimers(background),
	};
}
