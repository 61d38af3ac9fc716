/**
 * The part of the interface that the browser runs: addresses and constants, without schemas. Names
 * are those of the whole interface, where `checkRoutes.create` has its schemas, too. Modules that
 * this file reaches import nothing but others of the kind, so that a page loads no validation.
 */
export { groupPaths as groupRoutes } from "./accounts/groups/paths.ts";
export * from "./accounts/groups/values.ts";
export { invitationPaths as invitationRoutes } from "./accounts/invitations/paths.ts";
export { mfaPaths as mfaRoutes } from "./accounts/mfa/paths.ts";
export { oidcPaths as oidcRoutes } from "./accounts/oidc/paths.ts";
export * from "./accounts/oidc/values.ts";
export { recoveryPaths as recoveryRoutes } from "./accounts/recovery/paths.ts";
export { authPaths as authRoutes } from "./accounts/session/paths.ts";
export * from "./accounts/session/values.ts";
export { apiTokenPaths as apiTokenRoutes } from "./accounts/tokens/paths.ts";
export * from "./accounts/tokens/values.ts";
export { usagePaths as usageRoutes } from "./accounts/usage/paths.ts";
export { userPaths as userRoutes } from "./accounts/users/paths.ts";
export { changePaths as changeRoutes } from "./answers/changes/paths.ts";
export * from "./answers/changes/values.ts";
export { findPaths as findRoutes } from "./answers/find/paths.ts";
export * from "./answers/find/values.ts";
export { galleryPaths as galleryRoutes } from "./answers/gallery/paths.ts";
export * from "./answers/gallery/values.ts";
export { objectPaths as objectRoutes } from "./answers/objects/paths.ts";
export * from "./answers/objects/values.ts";
export { picturePaths as pictureRoutes } from "./answers/pictures/paths.ts";
export * from "./answers/pictures/values.ts";
export { auditPaths as auditRoutes } from "./audit/paths.ts";
export * from "./audit/values.ts";
export { automationConnectionPaths as automationConnectionRoutes } from "./automation/connections/paths.ts";
export * from "./automation/connections/values.ts";
export {
	automationExecutionChannelPath as automationExecutionChannel,
	automationExecutionPaths as automationExecutionRoutes,
} from "./automation/executions/paths.ts";
export * from "./automation/executions/values.ts";
export {
	automationCategoryPaths as automationCategoryRoutes,
	columnTemplatePaths as columnTemplateRoutes,
	regexPatternPaths as regexPatternRoutes,
	validationListPaths as validationListRoutes,
} from "./automation/reference/paths.ts";
export * from "./automation/reference/values.ts";
export {
	automationRequestChannelPath as automationRequestChannel,
	automationRequestPaths as automationRequestRoutes,
} from "./automation/requests/paths.ts";
export * from "./automation/requests/values.ts";
export { automationTemplatePaths as automationTemplateRoutes } from "./automation/templates/paths.ts";
export * from "./automation/templates/values.ts";
export * from "./automation/values.ts";
export { automationWebhookPaths as automationWebhookRoutes } from "./automation/webhooks/paths.ts";
export {
	calendarEntryPaths as calendarEntryRoutes,
	calendarFeedPaths as calendarFeedRoutes,
	calendarSourcePaths as calendarSourceRoutes,
} from "./calendar/paths.ts";
export * from "./calendar/values.ts";
export { checkPaths as checkRoutes } from "./checks/paths.ts";
export * from "./checks/values.ts";
export * from "./core/values.ts";
export { connectionPaths as connectionRoutes } from "./fabrics/connections/paths.ts";
export * from "./fabrics/connections/values.ts";
export { connectionGroupPaths as connectionGroupRoutes } from "./fabrics/groups/paths.ts";
export * from "./fabrics/groups/values.ts";
export { queryFilePaths as queryFileRoutes } from "./files/paths.ts";
export * from "./files/values.ts";
export * from "./history/drift/values.ts";
export { timeMachinePaths as timeMachineRoutes } from "./history/paths.ts";
export * from "./history/series/values.ts";
export * from "./history/values.ts";
export { mimClassPaths as mimClassRoutes } from "./model/classes/paths.ts";
export * from "./model/classes/values.ts";
export { mimPaths as mimRoutes } from "./model/explorer/paths.ts";
export * from "./model/explorer/values.ts";
export {
	mimImportChannelPath as mimImportChannel,
	mimRegistryPaths as mimRegistryRoutes,
} from "./model/imports/paths.ts";
export * from "./model/imports/values.ts";
export { mimPersonalPaths as mimPersonalRoutes } from "./model/personal/paths.ts";
export { mimToolPaths as mimToolRoutes } from "./model/tools/paths.ts";
export * from "./model/tools/values.ts";
export { deliveryPaths as deliveryRoutes } from "./notifications/deliveries/paths.ts";
export * from "./notifications/deliveries/values.ts";
export {
	notificationPaths as notificationRoutes,
	notificationsChannelPath as notificationsChannel,
} from "./notifications/paths.ts";
export * from "./notifications/values.ts";
export { webhookPaths as webhookRoutes } from "./notifications/webhooks/paths.ts";
export * from "./notifications/webhooks/values.ts";
export { dashboardPaths as dashboardRoutes } from "./overview/paths.ts";
export { servicePaths as serviceRoutes } from "./overview/service/paths.ts";
export * from "./overview/service/values.ts";
export * from "./overview/values.ts";
export { areaPaths as areas } from "./paths.ts";
export { queryCategoryPaths as queryCategoryRoutes } from "./queries/categories/paths.ts";
export * from "./queries/categories/values.ts";
export * from "./queries/flow/values.ts";
export { requestImportPaths as requestImportRoutes } from "./queries/imports/paths.ts";
export * from "./queries/imports/values.ts";
export { savedQueryPaths as savedQueryRoutes } from "./queries/saved/paths.ts";
export * from "./queries/saved/values.ts";
export { backgroundRunPaths as backgroundRunRoutes } from "./runs/background/paths.ts";
export {
	groupExecutionChannelPath as groupExecutionChannel,
	groupExecutionPaths as groupExecutionRoutes,
} from "./runs/groups/paths.ts";
export * from "./runs/groups/values.ts";
export { executionLogPaths as executionLogRoutes } from "./runs/logs/paths.ts";
export * from "./runs/logs/values.ts";
export {
	chainExecutionChannelPath as chainExecutionChannel,
	pipelinePaths as pipelineRoutes,
} from "./runs/pipelines/paths.ts";
export * from "./runs/pipelines/values.ts";
export { planningPaths as planningRoutes } from "./runs/planning/paths.ts";
export * from "./runs/planning/values.ts";
export { schedulePaths as scheduleRoutes } from "./schedules/paths.ts";
export * from "./schedules/values.ts";
export { systemPaths as systemRoutes } from "./system/paths.ts";
export * from "./windows/evidence-words.ts";
export {
	changeWindowChannelPath as changeWindowChannel,
	changeWindowPaths as changeWindowRoutes,
} from "./windows/paths.ts";
export { changePlanPaths as changePlanRoutes } from "./windows/plans/paths.ts";
export * from "./windows/values.ts";
export * from "./windows/window-span.ts";
