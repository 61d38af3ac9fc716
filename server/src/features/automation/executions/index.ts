/**
 * Automation executions: an intent becomes one automation job, which is followed to its end, with
 * output, nodes and row results.
 */
import type { BoundRoute } from "../../../platform/http/binder.ts";
import type { Repeating } from "../../../platform/repeating.ts";
import type { BoundChannel } from "../../../platform/ws/hub.ts";
import type { JobQueue } from "../../../ports/jobs.ts";
import { createCancelling } from "./cancelling.ts";
import { createChannel } from "./channels.ts";
import { createContentCache } from "./content-cache.ts";
import type { ExecutionDependencies } from "./dependencies.ts";
import { createFollow } from "./follow.ts";
import { createIngest } from "./ingest.ts";
import { createJobEndReader } from "./job-end.ts";
import { createWork } from "./jobs.ts";
import { createLauncher, type Launcher } from "./launcher.ts";
import { createLifecycle, type Lifecycle } from "./lifecycle.ts";
import { createNodes } from "./nodes.ts";
import { createPoller } from "./poller.ts";
import { createRelaunchCheck } from "./relaunching.ts";
import { createRoutes } from "./routes.ts";
import { createExecutions, type Executions } from "./service.ts";
import { createSnapshots } from "./snapshots.ts";
import { createViewers } from "./viewers.ts";
import { createWebhook } from "./webhook.ts";

export type { Ended, ExecutionDependencies, RequestContent } from "./dependencies.ts";
export { findLaunchGaps } from "./domain/launch-gaps.ts";
export { findUnaskedPrompts } from "./domain/prompts.ts";
export { FAILED_FROM } from "./domain/rows.ts";

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
	/** Starts the timers of a process that takes jobs. */
	work(): Repeating;
}

export function createAutomationExecutions(
	dependencies: ExecutionDependencies & { readonly webhookSecrets: readonly string[] },
): AutomationExecutions {
	const prepareContent = createContentCache(dependencies.content);
	const all = { ...dependencies, prepareContent };
	const captures = createSnapshots(all);
	dependencies.queryRuns.register(captures.origin);
	const lifecycle = createLifecycle(all);
	const launcher = createLauncher({ ...all, lifecycle });
	const ingest = createIngest(all);
	const nodes = createNodes({ ...all, ingest });
	const cancelling = createCancelling({ ...all, lifecycle });
	const explainJobEnd = createJobEndReader(all);
	const follow = createFollow({ ...all, lifecycle, ingest, nodes, cancelling, explainJobEnd });
	const viewers = createViewers(all);
	const service = createExecutions({ ...all, lifecycle, viewers, relaunchProblem: createRelaunchCheck(all) });
	const { queues, work } = createWork({
		...dependencies,
		launcher,
		poller: createPoller({ ...all, follow }),
		cancel: cancelling.handle,
		capture: captures.start,
	});
	return {
		routes: createRoutes({ ...dependencies, executions: service, webhook: createWebhook(all) }),
		channel: createChannel({ ...all, viewers, visible: service.visible }),
		queues,
		open: lifecycle.open,
		problems: launcher.problems,
		cancelIn: service.cancelIn,
		work,
	};
}
