/** The whole interface as data: every route and channel, by area. */
export * from "./audit.ts";
export * from "./auth.ts";
export * from "./auth-mfa.ts";
export * from "./auth-oidc.ts";
export * from "./auth-recovery.ts";
export * from "./auth-tokens.ts";
export * from "./auth-usage.ts";
export {
	AUTOMATION_KINDS,
	AUTOMATION_LIMITS,
	type AutomationKind,
	type AutomationWarning,
} from "./automation-common.ts";
export * from "./automation-connections.ts";
export * from "./automation-executions.ts";
export * from "./automation-reference.ts";
export * from "./automation-requests.ts";
export * from "./automation-rows.ts";
export * from "./automation-sources.ts";
export * from "./automation-templates.ts";
export * from "./automation-webhooks.ts";
export * from "./background-runs.ts";
export { isBounded, maximumOf } from "./bounded.ts";
export * from "./channel.ts";
export * from "./channels.ts";
export * from "./check-routes.ts";
export * from "./checks.ts";
export * from "./common.ts";
export * from "./connection-groups.ts";
export * from "./controller-connections.ts";
export * from "./dashboard.ts";
export * from "./drift.ts";
export * from "./execution-logs.ts";
export * from "./flow.ts";
export { FLOW_LIMITS, PATTERN_TYPES } from "./flow-fields.ts";
export * from "./flow-variables.ts";
export * from "./group-executions.ts";
export * from "./groups.ts";
export * from "./mim.ts";
export * from "./mim-classes.ts";
export * from "./mim-personal.ts";
export * from "./mim-registry.ts";
export * from "./mim-tools.ts";
export * from "./notification-webhook.ts";
export * from "./notifications.ts";
export * from "./pipelines.ts";
export * from "./planning.ts";
export * from "./post-processors.ts";
export * from "./query-apply.ts";
export * from "./query-categories.ts";
export * from "./query-exchange.ts";
export * from "./request-import.ts";
export * from "./route.ts";
export * from "./routes.ts";
export * from "./saved-queries.ts";
export * from "./saved-query-routes.ts";
export * from "./schedule-routes.ts";
export * from "./schedules.ts";
export * from "./system.ts";
export * from "./time-machine.ts";
export * from "./time-machine-compare.ts";
export * from "./time-machine-objects.ts";
export * from "./time-machine-routes.ts";
export * from "./users.ts";
export * from "./webhooks.ts";
