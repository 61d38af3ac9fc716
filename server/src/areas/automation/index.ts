/**
 * Automation: connections to automation servers, templates, requests, and the executions that carry
 * requests out.
 */
import type { Context } from "../../context.ts";
import type { BoundRoute } from "../../core/http/binder.ts";
import type { JobQueue } from "../../core/ports/jobs.ts";
import type { SealedColumn } from "../../core/ports/secrets.ts";
import { type Repeating, repeatWork } from "../../core/repeating.ts";
import type { BoundChannel } from "../../core/ws/hub.ts";
import { reportOpenConnections } from "./connections/approval.ts";
import { automationConnectionSecrets } from "./connections/manage-connections.ts";
import { createRoutes as createConnectionRoutes } from "./connections/routes.ts";
import { createExecutionChannel, createRequestChannel } from "./jobs/channels.ts";
import { type Cancellations, createCancellations } from "./jobs/follow/cancellation.ts";
import { listExecutionQueues, startExecutionTimers } from "./jobs/jobs.ts";
import { type ContentCache, createContentCache } from "./jobs/launch/content-cache.ts";
import { launchDueRequests } from "./jobs/launch/launch-request.ts";
import { buildSecretsContext } from "./jobs/request/content.ts";
import { createRoutes as createJobRoutes } from "./jobs/routes.ts";
import { createFreshValues, type FreshValues } from "./templates/fresh-values.ts";
import { createRoutes as createTemplateRoutes } from "./templates/routes.ts";
import { buildRowsContext, purgeOldValidations, runValidation, VALIDATE_QUEUE } from "./templates/validate-rows.ts";

export { type AutomationPool, getAutomationWorkerUrl as automationWorkerUrl } from "./templates/workers/work.ts";

export const automationSecrets: readonly SealedColumn[] = [
	...automationConnectionSecrets,
	{ table: "automation_requests", key: "id", column: "secrets_sealed", context: buildSecretsContext },
	{ table: "automation_validations", key: "id", column: "rows_sealed", context: buildRowsContext },
];

export interface Automation {
	readonly routes: BoundRoute[];
	readonly channels: readonly BoundChannel[];
	readonly queues: readonly JobQueue[];
	readonly contents: ContentCache;
	readonly freshValues: FreshValues;
	readonly cancellations: Cancellations;
	/** Starts the timers of a process that takes jobs. */
	work(): Repeating;
}

const DUE_MS = 1_000;
const REPORT_MS = 60_000;
const PURGE_MS = 3_600_000;

export function createAutomation(ctx: Context): Automation {
	return {
		routes: [...createConnectionRoutes(ctx), ...createTemplateRoutes(ctx), ...createJobRoutes(ctx)],
		channels: [createRequestChannel(ctx), createExecutionChannel(ctx)],
		queues: [
			{ name: VALIDATE_QUEUE, concurrency: 2, handler: (data, signal) => runValidation(ctx, data, signal) },
			...listExecutionQueues(ctx),
		],
		contents: createContentCache(),
		freshValues: createFreshValues(),
		cancellations: createCancellations(),
		work: () => startTimers(ctx),
	};
}

function startTimers(ctx: Context): Repeating {
	const parts = [
		repeatWork(ctx, [
			{
				everyMs: REPORT_MS,
				failure: "administrators could not be told of connections without approval",
				work: () => reportOpenConnections(ctx),
			},
			{ everyMs: PURGE_MS, failure: "old checks of rows could not be removed", work: () => purgeOldValidations(ctx) },
			{
				everyMs: DUE_MS,
				failure: "due automation requests could not be launched",
				work: (signal) => launchDueRequests(ctx, signal),
			},
		]),
		startExecutionTimers(ctx),
	];
	return {
		async stop() {
			await Promise.all(parts.map((part) => part.stop()));
		},
	};
}
