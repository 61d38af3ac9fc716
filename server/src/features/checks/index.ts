/** Checks: expectations of a saved query's rows, evaluated where the end of a run is recorded. */
import type { BoundRoute } from "../../platform/http/binder.ts";
import type { Repeating } from "../../platform/repeating.ts";
import type { Clock } from "../../ports/clock.ts";
import type { JobQueue } from "../../ports/jobs.ts";
import type { Db, Store } from "../../ports/store.ts";
import type { CheckDependencies } from "./dependencies.ts";
import { createWork } from "./jobs.ts";
import { ACROSS_QUEUE } from "./queue.ts";
import { countOwnChecks } from "./repo.ts";
import { createRoutes } from "./routes.ts";
import { createChecks } from "./service.ts";
import { createAcross } from "./service-across.ts";
import { checkOrigin, createActions } from "./service-actions.ts";
import { createBaselineRules } from "./service-baselines.ts";
import { createEvaluation } from "./service-evaluate.ts";
import { type CheckFiles, createCheckFiles } from "./service-files.ts";
import { type CheckMetrics, createCheckMetrics } from "./service-metrics.ts";
import { createNotices } from "./service-notices.ts";
import { createPreview } from "./service-preview.ts";
import { createRules } from "./service-rules.ts";
import { createTemplates } from "./service-templates.ts";
import { createTransitions } from "./service-transitions.ts";
import { createEvaluateRules } from "./workers/work.ts";

export type { OwnedCheck } from "./repo.ts";
export type { CheckChange } from "./service-files.ts";
export { type CheckPool, checksWorkerUrl } from "./workers/work.ts";

export interface ChecksFeature {
	readonly routes: BoundRoute[];
	readonly queues: JobQueue[];
	readonly metrics: CheckMetrics;
	/** For checks as files. What writes takes a transaction and checks no permission. */
	readonly files: CheckFiles;
	/** The number of a user's own checks. */
	ownedCount(db: Db, userId: number): Promise<number>;
	/** Starts the timers of a process that takes jobs. */
	work(): Repeating;
}

export interface ChecksFeatureDeps extends CheckDependencies {
	readonly clock: Clock;
	/** The store for work that no request waits for. */
	readonly jobStore: Store;
}

export function createChecksFeature({ jobStore, ...deps }: ChecksFeatureDeps): ChecksFeature {
	const [rules] = [createRules(deps)];
	const base = { ...deps, rules, baselines: createBaselineRules(deps) };
	const all = { ...base, notices: createNotices({ ...base, store: jobStore }) };
	const behind = {
		...all,
		store: jobStore,
		transitions: createTransitions(all),
		evaluateRules: createEvaluateRules(deps.checkPool),
	};
	const evaluation = createEvaluation(behind);
	const across = createAcross({ ...behind, evaluation });
	const service = createChecks(all);
	const actions = createActions({ ...all, service });
	deps.queryRuns.register(checkOrigin);
	deps.queryRuns.observe(evaluation.observer);
	return {
		routes: createRoutes({
			checks: service,
			actions,
			preview: createPreview({ ...all, evaluation }),
			templates: createTemplates({ ...all, service, actions }),
		}),
		queues: [{ name: ACROSS_QUEUE, concurrency: 1, handler: across.evaluate }],
		metrics: createCheckMetrics(all),
		files: createCheckFiles({ service }),
		work: createWork(all),
		ownedCount: countOwnChecks,
	};
}
