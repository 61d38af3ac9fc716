/** Every route of the service, by area. */
import { auditRoutes } from "./audit.ts";
import { authRoutes } from "./auth.ts";
import { mfaRoutes } from "./auth-mfa.ts";
import { oidcRoutes } from "./auth-oidc.ts";
import { recoveryRoutes } from "./auth-recovery.ts";
import { apiTokenRoutes } from "./auth-tokens.ts";
import { usageRoutes } from "./auth-usage.ts";
import { automationConnectionRoutes } from "./automation-connections.ts";
import { automationExecutionRoutes } from "./automation-executions.ts";
import {
	automationCategoryRoutes,
	columnTemplateRoutes,
	regexPatternRoutes,
	validationListRoutes,
} from "./automation-reference.ts";
import { automationRequestRoutes } from "./automation-requests.ts";
import { automationTemplateRoutes } from "./automation-templates.ts";
import { automationWebhookRoutes } from "./automation-webhooks.ts";
import { backgroundRunRoutes } from "./background-runs.ts";
import { checkRoutes } from "./check-routes.ts";
import { connectionGroupRoutes } from "./connection-groups.ts";
import { connectionRoutes } from "./controller-connections.ts";
import { dashboardRoutes } from "./dashboard.ts";
import { executionLogRoutes } from "./execution-logs.ts";
import { groupExecutionRoutes } from "./group-executions.ts";
import { groupRoutes } from "./groups.ts";
import { mimRoutes } from "./mim.ts";
import { mimClassRoutes } from "./mim-classes.ts";
import { mimPersonalRoutes } from "./mim-personal.ts";
import { mimRegistryRoutes } from "./mim-registry.ts";
import { mimToolRoutes } from "./mim-tools.ts";
import { notificationWebhookRoutes } from "./notification-webhook.ts";
import { notificationRoutes } from "./notifications.ts";
import { pipelineRoutes } from "./pipelines.ts";
import { planningRoutes } from "./planning.ts";
import { queryFileRoutes } from "./query-apply.ts";
import { queryCategoryRoutes } from "./query-categories.ts";
import { queryExchangeRoutes } from "./query-exchange.ts";
import { requestImportRoutes } from "./request-import.ts";
import type { RouteContract } from "./route.ts";
import { savedQueryRoutes } from "./saved-query-routes.ts";
import { scheduleRoutes } from "./schedule-routes.ts";
import { systemRoutes } from "./system.ts";
import { timeMachineRoutes } from "./time-machine-routes.ts";
import { userRoutes } from "./users.ts";
import { webhookRoutes } from "./webhooks.ts";

export const areas = {
	auth: authRoutes,
	authMfa: mfaRoutes,
	authOidc: oidcRoutes,
	authRecovery: recoveryRoutes,
	authUsage: usageRoutes,
	apiTokens: apiTokenRoutes,
	users: userRoutes,
	groups: groupRoutes,
	connections: connectionRoutes,
	connectionGroups: connectionGroupRoutes,
	queryCategories: queryCategoryRoutes,
	checks: checkRoutes,
	savedQueries: savedQueryRoutes,
	queryExchange: queryExchangeRoutes,
	queryFiles: queryFileRoutes,
	executionLogs: executionLogRoutes,
	pipelines: pipelineRoutes,
	planning: planningRoutes,
	requestImport: requestImportRoutes,
	backgroundRuns: backgroundRunRoutes,
	groupExecutions: groupExecutionRoutes,
	schedules: scheduleRoutes,
	system: systemRoutes,
	timeMachine: timeMachineRoutes,
	notifications: notificationRoutes,
	notificationWebhook: notificationWebhookRoutes,
	webhooks: webhookRoutes,
	dashboard: dashboardRoutes,
	audit: auditRoutes,
	mim: mimRoutes,
	mimClasses: mimClassRoutes,
	mimPersonal: mimPersonalRoutes,
	mimTools: mimToolRoutes,
	mimRegistry: mimRegistryRoutes,
	automationConnections: automationConnectionRoutes,
	automationTemplates: automationTemplateRoutes,
	automationCategories: automationCategoryRoutes,
	columnTemplates: columnTemplateRoutes,
	validationLists: validationListRoutes,
	regexPatterns: regexPatternRoutes,
	automationRequests: automationRequestRoutes,
	automationExecutions: automationExecutionRoutes,
	automationWebhooks: automationWebhookRoutes,
} as const satisfies Record<string, Record<string, RouteContract>>;

/** All contracts in the order of their areas. */
export const allRoutes: readonly RouteContract[] = Object.values(areas).flatMap((area) => Object.values(area));
