/** Every route of the service, by area. */
import { groupRoutes } from "./accounts/groups/routes.ts";
import { invitationRoutes } from "./accounts/invitations/routes.ts";
import { mfaRoutes } from "./accounts/mfa/routes.ts";
import { oidcRoutes } from "./accounts/oidc/routes.ts";
import { recoveryRoutes } from "./accounts/recovery/routes.ts";
import { authRoutes } from "./accounts/session/routes.ts";
import { apiTokenRoutes } from "./accounts/tokens/routes.ts";
import { usageRoutes } from "./accounts/usage/routes.ts";
import { userRoutes } from "./accounts/users/routes.ts";
import { changeRoutes } from "./answers/changes/routes.ts";
import { findRoutes } from "./answers/find/routes.ts";
import { galleryRoutes } from "./answers/gallery/routes.ts";
import { objectRoutes } from "./answers/objects/routes.ts";
import { pictureRoutes } from "./answers/pictures/routes.ts";
import { auditRoutes } from "./audit/routes.ts";
import { automationConnectionRoutes } from "./automation/connections/routes.ts";
import { automationExecutionRoutes } from "./automation/executions/routes.ts";
import {
	automationCategoryRoutes,
	columnTemplateRoutes,
	regexPatternRoutes,
	validationListRoutes,
} from "./automation/reference/routes.ts";
import { automationRequestRoutes } from "./automation/requests/routes.ts";
import { automationTemplateRoutes } from "./automation/templates/routes.ts";
import { automationWebhookRoutes } from "./automation/webhooks/routes.ts";
import { calendarEntryRoutes, calendarFeedRoutes, calendarSourceRoutes } from "./calendar/routes.ts";
import { checkRoutes } from "./checks/routes.ts";
import type { RouteContract, RoutePath } from "./core/route.ts";
import { connectionRoutes } from "./fabrics/connections/routes.ts";
import { connectionGroupRoutes } from "./fabrics/groups/routes.ts";
import { queryFileRoutes } from "./files/routes.ts";
import { timeMachineRoutes } from "./history/routes.ts";
import { mimClassRoutes } from "./model/classes/routes.ts";
import { mimRoutes } from "./model/explorer/routes.ts";
import { mimRegistryRoutes } from "./model/imports/routes.ts";
import { mimPersonalRoutes } from "./model/personal/routes.ts";
import { mimToolRoutes } from "./model/tools/routes.ts";
import { deliveryRoutes } from "./notifications/deliveries/routes.ts";
import { notificationRoutes } from "./notifications/routes.ts";
import { webhookRoutes } from "./notifications/webhooks/routes.ts";
import { dashboardRoutes } from "./overview/routes.ts";
import { serviceRoutes } from "./overview/service/routes.ts";
import { queryCategoryRoutes } from "./queries/categories/routes.ts";
import { requestImportRoutes } from "./queries/imports/routes.ts";
import { savedQueryRoutes } from "./queries/saved/routes.ts";
import { backgroundRunRoutes } from "./runs/background/routes.ts";
import { groupExecutionRoutes } from "./runs/groups/routes.ts";
import { executionLogRoutes } from "./runs/logs/routes.ts";
import { pipelineRoutes } from "./runs/pipelines/routes.ts";
import { planningRoutes } from "./runs/planning/routes.ts";
import { scheduleRoutes } from "./schedules/routes.ts";
import { systemRoutes } from "./system/routes.ts";
import { changePlanRoutes } from "./windows/plans/routes.ts";
import { changeWindowRoutes } from "./windows/routes.ts";

export const areas = {
	auth: authRoutes,
	authMfa: mfaRoutes,
	authOidc: oidcRoutes,
	authRecovery: recoveryRoutes,
	invitations: invitationRoutes,
	authUsage: usageRoutes,
	apiTokens: apiTokenRoutes,
	users: userRoutes,
	groups: groupRoutes,
	connections: connectionRoutes,
	connectionGroups: connectionGroupRoutes,
	calendarEntries: calendarEntryRoutes,
	calendarSources: calendarSourceRoutes,
	calendarFeed: calendarFeedRoutes,
	queryCategories: queryCategoryRoutes,
	checks: checkRoutes,
	find: findRoutes,
	objects: objectRoutes,
	pictures: pictureRoutes,
	savedQueries: savedQueryRoutes,
	gallery: galleryRoutes,
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
	changes: changeRoutes,
	notifications: notificationRoutes,
	deliveries: deliveryRoutes,
	webhooks: webhookRoutes,
	dashboard: dashboardRoutes,
	service: serviceRoutes,
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
	changePlans: changePlanRoutes,
	changeWindows: changeWindowRoutes,
} as const satisfies Record<string, Record<string, RouteContract>>;

type AnyRoute = { [A in keyof typeof areas]: (typeof areas)[A][keyof (typeof areas)[A]] }[keyof typeof areas];

/** Every contract by the id of its route. */
export type RoutesById = { readonly [Contract in AnyRoute as Contract["id"]]: Contract };

/** The contract of a route: the route itself if it has one, otherwise the one with its id. */
export type ContractOf<Route extends RoutePath> = Route extends RouteContract
	? Route
	: Route["id"] extends keyof RoutesById
		? RoutesById[Route["id"]]
		: RouteContract;

/** All contracts in the order of their areas. */
export const allRoutes: readonly RouteContract[] = Object.values(areas).flatMap((area) => Object.values(area));
