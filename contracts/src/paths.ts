/** Addresses of every route, by area: id, method, path and authentication. */
import { groupPaths } from "./accounts/groups/paths.ts";
import { invitationPaths } from "./accounts/invitations/paths.ts";
import { mfaPaths } from "./accounts/mfa/paths.ts";
import { oidcPaths } from "./accounts/oidc/paths.ts";
import { recoveryPaths } from "./accounts/recovery/paths.ts";
import { authPaths } from "./accounts/session/paths.ts";
import { apiTokenPaths } from "./accounts/tokens/paths.ts";
import { usagePaths } from "./accounts/usage/paths.ts";
import { userPaths } from "./accounts/users/paths.ts";
import { changePaths } from "./answers/changes/paths.ts";
import { findPaths } from "./answers/find/paths.ts";
import { galleryPaths } from "./answers/gallery/paths.ts";
import { objectPaths } from "./answers/objects/paths.ts";
import { picturePaths } from "./answers/pictures/paths.ts";
import { auditPaths } from "./audit/paths.ts";
import { automationConnectionPaths } from "./automation/connections/paths.ts";
import { automationExecutionPaths } from "./automation/executions/paths.ts";
import {
	automationCategoryPaths,
	columnTemplatePaths,
	regexPatternPaths,
	validationListPaths,
} from "./automation/reference/paths.ts";
import { automationRequestPaths } from "./automation/requests/paths.ts";
import { automationTemplatePaths } from "./automation/templates/paths.ts";
import { automationWebhookPaths } from "./automation/webhooks/paths.ts";
import { calendarEntryPaths, calendarFeedPaths, calendarSourcePaths } from "./calendar/paths.ts";
import { checkPaths } from "./checks/paths.ts";
import { connectionPaths } from "./fabrics/connections/paths.ts";
import { connectionGroupPaths } from "./fabrics/groups/paths.ts";
import { queryFilePaths } from "./files/paths.ts";
import { timeMachinePaths } from "./history/paths.ts";
import { mimClassPaths } from "./model/classes/paths.ts";
import { mimPaths } from "./model/explorer/paths.ts";
import { mimRegistryPaths } from "./model/imports/paths.ts";
import { mimPersonalPaths } from "./model/personal/paths.ts";
import { mimToolPaths } from "./model/tools/paths.ts";
import { deliveryPaths } from "./notifications/deliveries/paths.ts";
import { notificationPaths } from "./notifications/paths.ts";
import { webhookPaths } from "./notifications/webhooks/paths.ts";
import { dashboardPaths } from "./overview/paths.ts";
import { servicePaths } from "./overview/service/paths.ts";
import { queryCategoryPaths } from "./queries/categories/paths.ts";
import { requestImportPaths } from "./queries/imports/paths.ts";
import { savedQueryPaths } from "./queries/saved/paths.ts";
import { backgroundRunPaths } from "./runs/background/paths.ts";
import { groupExecutionPaths } from "./runs/groups/paths.ts";
import { executionLogPaths } from "./runs/logs/paths.ts";
import { pipelinePaths } from "./runs/pipelines/paths.ts";
import { planningPaths } from "./runs/planning/paths.ts";
import { schedulePaths } from "./schedules/paths.ts";
import { systemPaths } from "./system/paths.ts";
import { changeWindowPaths } from "./windows/paths.ts";
import { changePlanPaths } from "./windows/plans/paths.ts";

export const areaPaths = {
	auth: authPaths,
	authMfa: mfaPaths,
	authOidc: oidcPaths,
	authRecovery: recoveryPaths,
	invitations: invitationPaths,
	authUsage: usagePaths,
	apiTokens: apiTokenPaths,
	users: userPaths,
	groups: groupPaths,
	connections: connectionPaths,
	connectionGroups: connectionGroupPaths,
	calendarEntries: calendarEntryPaths,
	calendarSources: calendarSourcePaths,
	calendarFeed: calendarFeedPaths,
	queryCategories: queryCategoryPaths,
	checks: checkPaths,
	find: findPaths,
	objects: objectPaths,
	pictures: picturePaths,
	savedQueries: savedQueryPaths,
	gallery: galleryPaths,
	queryFiles: queryFilePaths,
	executionLogs: executionLogPaths,
	pipelines: pipelinePaths,
	planning: planningPaths,
	requestImport: requestImportPaths,
	backgroundRuns: backgroundRunPaths,
	groupExecutions: groupExecutionPaths,
	schedules: schedulePaths,
	system: systemPaths,
	timeMachine: timeMachinePaths,
	changes: changePaths,
	notifications: notificationPaths,
	deliveries: deliveryPaths,
	webhooks: webhookPaths,
	dashboard: dashboardPaths,
	service: servicePaths,
	audit: auditPaths,
	mim: mimPaths,
	mimClasses: mimClassPaths,
	mimPersonal: mimPersonalPaths,
	mimTools: mimToolPaths,
	mimRegistry: mimRegistryPaths,
	automationConnections: automationConnectionPaths,
	automationTemplates: automationTemplatePaths,
	automationCategories: automationCategoryPaths,
	columnTemplates: columnTemplatePaths,
	validationLists: validationListPaths,
	regexPatterns: regexPatternPaths,
	automationRequests: automationRequestPaths,
	automationExecutions: automationExecutionPaths,
	automationWebhooks: automationWebhookPaths,
	changePlans: changePlanPaths,
	changeWindows: changeWindowPaths,
} as const;
