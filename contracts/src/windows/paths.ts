/** Addresses of change windows: one entry per route. */
import { defineCrudPaths } from "../core/paths.ts";

const BASE = "/api/change-windows/";
const { list, create, ...one } = defineCrudPaths("change_windows", BASE, [
	"list",
	"create",
	"detail",
	"update",
	"remove",
]);

const defineMove = <const Name extends string>(name: Name) =>
	({ id: `change_windows.${name}`, method: "POST", path: `${BASE}:id/${name}/`, auth: "bearer" }) as const;

export const changeWindowPaths = {
	list,
	create,
	...one,
	submit: defineMove("submit"),
	approve: defineMove("approve"),
	reject: defineMove("reject"),
	start: defineMove("start"),
	finish: defineMove("finish"),
	retry: defineMove("retry"),
	override: defineMove("override"),
	recheck: defineMove("recheck"),
	cancel: defineMove("cancel"),
	sign: defineMove("sign"),
	expectations: { id: "change_windows.expectations", method: "GET", path: `${BASE}:id/expectations/`, auth: "bearer" },
	replaceExpectations: {
		id: "change_windows.replace_expectations",
		method: "PUT",
		path: `${BASE}:id/expectations/`,
		auth: "bearer",
	},
	importExpectations: {
		id: "change_windows.import_expectations",
		method: "POST",
		path: `${BASE}:id/expectations/import/`,
		auth: "bearer",
	},
	findings: { id: "change_windows.findings", method: "GET", path: `${BASE}:id/findings/`, auth: "bearer" },
	accept: {
		id: "change_windows.accept_finding",
		method: "POST",
		path: `${BASE}:id/findings/:finding_id/accept/`,
		auth: "bearer",
	},
	toDriftRule: {
		id: "change_windows.finding_to_drift_rule",
		method: "POST",
		path: `${BASE}:id/findings/:finding_id/to-drift-rule/`,
		auth: "bearer",
	},
	toExpectation: {
		id: "change_windows.finding_to_expectation",
		method: "POST",
		path: `${BASE}:id/findings/:finding_id/to-expectation/`,
		auth: "bearer",
	},
	events: { id: "change_windows.events", method: "GET", path: `${BASE}:id/events/`, auth: "bearer" },
	evidence: { id: "change_windows.evidence", method: "GET", path: `${BASE}:id/evidence/`, auth: "bearer" },
	attachEvidence: {
		id: "change_windows.attach_evidence",
		method: "POST",
		path: `${BASE}:id/evidence/`,
		auth: "bearer",
	},
	removeEvidence: {
		id: "change_windows.remove_evidence",
		method: "DELETE",
		path: `${BASE}:id/evidence/:evidence_id/`,
		auth: "bearer",
	},
	overrideExecution: {
		id: "automation_executions.override",
		method: "POST",
		path: "/api/automation/executions/:id/override/",
		auth: "bearer",
	},
	report: { id: "change_windows.report", method: "GET", path: `${BASE}:id/report/`, auth: "bearer" },
	reportSchema: {
		id: "change_windows.report_schema",
		method: "GET",
		path: "/api/schema/change-report-v1.json",
		auth: "anonymous",
	},
} as const;

export const changeWindowChannelPath = {
	path: "/ws/change-window/:id/",
	frameTypes: ["state", "round", "item", "verdict", "end"],
	final: ["end"],
} as const;
