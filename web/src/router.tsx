/** Every route of the UI. Pages are chunks that are fetched when the pointer reaches their link. */
import { createRoute, createRouter } from "@tanstack/react-router";
import { parseSearch, stringifySearch } from "./platform/search.ts";
import { basePath } from "./platform/weft.ts";
import {
	audit,
	auditSettings,
	columnTemplates,
	connectionGroups,
	connections,
	group,
	groups,
	modelImport,
	patterns,
	permissions,
	queryCategories,
	retention,
	signIns,
	tableTemplates,
	taskDefaults,
	templateCategories,
	tokens,
	user,
	users,
	valueLists,
	webhooks,
} from "./routes/administration.tsx";
import { find, object } from "./routes/answers.tsx";
import {
	automationExecution,
	automationRequest,
	automationRequestEdit,
	automationRequestNew,
	automationRequests,
	automationServers,
	automationTemplate,
	automationTemplateNew,
	automationTemplates,
} from "./routes/automation.tsx";
import {
	appearance,
	notificationSettings,
	notifications,
	opened,
	ownTokens,
	profile,
	security,
} from "./routes/own.tsx";
import {
	builder,
	builderNew,
	changes,
	check,
	checkEdit,
	checkNew,
	checks,
	checkTemplates,
	compare,
	compareFabrics,
	gallery,
	groupRun,
	groupRuns,
	history,
	library,
	model,
	modelClass,
	modelStart,
	overview,
	run,
	runs,
	schedule,
	schedules,
	snapshot,
	timeMachine,
	track,
	trends,
} from "./routes/queries.tsx";
import { app, firstSteps, invitation, login, outside, reset, resetPassword, root, terminal } from "./routes/root.tsx";
import { loadPage } from "./shell/lazy-page.tsx";
import { ProblemBanner } from "./ui/page.tsx";

/** Every other address: the shell stays, so that there is a way on. */
const nowhere = createRoute({
	getParentRoute: () => app,
	path: "$",
	component: loadPage(() => import("./shell/not-found.tsx"), "NotFound"),
});

const tree = root.addChildren([
	outside.addChildren([login, terminal, invitation, firstSteps, reset, resetPassword]),
	app.addChildren([
		overview,
		find,
		object,
		builderNew,
		builder,
		library,
		gallery,
		runs,
		run,
		groupRuns,
		groupRun,
		changes,
		timeMachine,
		history,
		snapshot,
		compare,
		compareFabrics,
		track,
		trends,
		checks,
		checkTemplates,
		checkNew,
		check,
		checkEdit,
		model.addChildren([modelStart, modelClass]),
		schedules,
		schedule,
		automationRequests,
		automationRequest,
		automationRequestNew,
		automationRequestEdit,
		automationTemplates,
		automationTemplateNew,
		automationTemplate,
		automationServers,
		automationExecution,
		connections,
		connectionGroups,
		modelImport,
		retention,
		taskDefaults,
		queryCategories,
		templateCategories,
		valueLists,
		patterns,
		columnTemplates,
		tableTemplates,
		webhooks,
		users,
		user,
		groups,
		group,
		permissions,
		tokens,
		audit,
		signIns,
		auditSettings,
		notifications,
		opened,
		profile,
		security,
		ownTokens,
		notificationSettings,
		appearance,
		nowhere,
	]),
]);

export const router = createRouter({
	routeTree: tree,
	basepath: basePath,
	parseSearch,
	stringifySearch,
	defaultPreload: "intent",
	defaultPreloadDelay: 40,
	scrollRestoration: true,
	scrollToTopSelectors: ["#main"],
	defaultErrorComponent: ({ error }) => (
		<div className="p-5">
			<ProblemBanner error={error} onRetry={() => location.reload()} />
		</div>
	),
});

declare module "@tanstack/react-router" {
	interface Register {
		router: typeof router;
	}
}
