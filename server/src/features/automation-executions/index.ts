/** Automation executions: an intent becomes exactly one job, which is watched to its end; output, nodes and results by row are kept. */
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { BoundChannel } from "../../platform/ws/hub.ts";
import type { JobQueue } from "../../ports/jobs.ts";
import { createCancelling } from "./cancelling.ts";
import { createChannel } from "./channels.ts";
import { createContents } from "./contents.ts";
import { createFollow } from "./follow.ts";
import { createIngest } from "./ingest.ts";
import { createWork } from "./jobs.ts";
import { createLauncher, type Launcher } from "./launcher.ts";
import { createLifecycle, type Lifecycle } from "./lifecycle.ts";
import type { ExecutionNeeds } from "./needs.ts";
import { createNodes } from "./nodes.ts";
import { createPoller } from "./poller.ts";
import { createReading } from "./reading.ts";
import { createExecutionRepo, type ExecutionRepo } from "./repo.ts";
import { createLaunchRepo } from "./repo-launch.ts";
import { createPollRepo } from "./repo-polls.ts";
import { createStreamRepo } from "./repo-streams.ts";
import { createWatchRepo } from "./repo-watches.ts";
import { createRoutes } from "./routes.ts";
import { createExecutions, type Executions } from "./service.ts";
import { createSnapshots } from "./snapshots.ts";
import { createWatching } from "./watching.ts";
import { createWebhook } from "./webhook.ts";

export type { Ended, ExecutionNeeds, RequestContent } from "./needs.ts";

export interface AutomationExecutions {
	readonly routes: BoundRoute[];
	readonly channel: BoundChannel;
	readonly queues: readonly JobQueue[];
	/** Writes the intent of a launch, and the job that carries it out. */
	open: Lifecycle["open"];
	/** Why a request would not be launched now, by field. @throws AutomationError */
	problems: Launcher["problems"];
	/** Cancels one that is locked and not over. */
	cancelIn: Executions["cancelIn"];
	ofRequest: ExecutionRepo["ofRequest"];
	lock: ExecutionRepo["lock"];
	openCount: ExecutionRepo["openCount"];
	inUse: ExecutionRepo["inUse"];
	/** Starts the timers of a process that takes jobs. */
	work(): { stop(): void };
}

export function createAutomationExecutions(
	needs: ExecutionNeeds & { readonly webhookSecrets: readonly string[] },
): AutomationExecutions {
	const [executions, launches] = [createExecutionRepo(), createLaunchRepo()];
	const [polls, streams] = [createPollRepo(), createStreamRepo()];
	const all = { ...needs, executions, launches, polls, streams, watches: createWatchRepo() };
	const snapshots = createSnapshots(all);
	needs.events.inTransaction("pipeline_job_finished", (tx, { jobId }) => snapshots.runEnded(tx, jobId));
	const lifecycle = createLifecycle(all);
	const launcher = createLauncher({ ...all, lifecycle });
	const ingest = createIngest(all);
	const nodes = createNodes({ ...all, ingest });
	const follow = createFollow({ ...all, lifecycle, contents: createContents(needs.content), ingest, nodes });
	const reading = createReading(streams);
	const watching = createWatching(all);
	const service = createExecutions({ ...all, lifecycle, reading, watching });
	const { queues, work } = createWork({
		...needs,
		launcher,
		poller: createPoller({ ...all, follow }),
		cancel: createCancelling(all),
		capture: snapshots.step,
	});
	return {
		routes: createRoutes({ ...needs, executions: service, webhook: createWebhook(all) }),
		channel: createChannel({ ...all, reading, watching, visible: service.visible }),
		queues,
		open: lifecycle.open,
		problems: launcher.problems,
		cancelIn: service.cancelIn,
		ofRequest: executions.ofRequest,
		lock: executions.lock,
		openCount: executions.openCount,
		inUse: executions.inUse,
		work,
	};
}
