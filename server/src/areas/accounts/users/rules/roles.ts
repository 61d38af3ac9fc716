/** Default roles and their permissions, which the seeded groups start with. */
import type { Permission, PermissionRule, Quota, RoleTemplate } from "@weft/contracts";
import { DEFAULT_QUOTA } from "./quota.ts";

type Named = Pick<Permission, "codename" | "app" | "model">;

const QUERYING = ["controller", "queries", "time_machine", "mim", "notifications"];

/** Groups that are there from the start, by name. */
const ROLES: Readonly<Record<"Admin" | "Operator" | "Editor" | "Viewer" | "Users", (permission: Named) => boolean>> = {
	Admin: () => true,
	Operator: ({ app, codename }) =>
		codename === "view_modelversion" ||
		(app === "calendar" && codename !== "override_freeze") ||
		((QUERYING.includes(app) || app === "automation") &&
			!["approve_automationrequest", "change_tasksettings", ...DECIDING].includes(codename)),
	Editor: ({ app, model, codename }) =>
		READ_BY_AUTHORS.includes(codename) ||
		AUTHORED.includes(model) ||
		(QUERYING.includes(app) &&
			!["write_controllerconnection", "change_tasksettings", ...MAKING_WINDOWS, ...DECIDING].includes(codename)),
	Viewer: ({ app, model, codename }) =>
		PERSONAL.includes(model) || (codename.startsWith("view_") && app !== "audit" && app !== "auth"),
	Users: ({ model, codename }) =>
		(OWN_WORK.includes(model) || SHARED.includes(codename)) && codename !== "write_controllerconnection",
};

const READ_BY_AUTHORS = [
	"view_modelversion",
	"view_automationconnection",
	"view_automationcategory",
	"view_calendarentry",
];
/** Permissions to decide on change windows of others. */
const DECIDING = ["approve_changewindow", "override_changewindow"];
const MAKING_WINDOWS = ["add_changewindow", "change_changewindow", "delete_changewindow"];
/** Models of automation that authors of templates write. */
const AUTHORED = ["automationtemplate", "columntemplate", "validationlist", "regexpattern"];
/** Models of personal settings. */
const PERSONAL = ["favorite", "tablepreference", "notification", "notificationpreference"];
/** Models that every user works with. */
const OWN_WORK = [
	...PERSONAL,
	"controllerconnection",
	"savedquery",
	"check",
	"scheduledtask",
	"pipelineexecution",
	"snapshot",
	"snapshotsettings",
	"tabletemplate",
];
/** Permissions on shared objects that every user has. */
const SHARED = [
	"view_querycategory",
	"add_querycategory",
	"change_querycategory",
	"view_executionlog",
	"view_scheduledexecution",
	"view_tasksettings",
	"view_modelclass",
	"view_modelversion",
	"view_calendarentry",
	"view_changeplan",
	"view_changewindow",
];

export type Role = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as Role[];

/** Which models each app has; permissions are named after models. */
const MODELS: Readonly<Record<string, string>> = {
	auth: "user group permission",
	controller: "controllerconnection",
	queries:
		"querycategory savedquery check executionlog scheduledtask scheduledexecution tasksettings pipelineexecution",
	time_machine: "snapshot snapshotsettings changeplan changewindow",
	mim: "modelclass favorite tabletemplate tablepreference",
	mim_registry: "modelversion",
	calendar: "calendarentry freeze",
	automation:
		"automationconnection automationtemplate automationrequest automationexecution automationcategory " +
		"columntemplate validationlist regexpattern",
	audit: "auditlog loginattempt auditsettings",
	notifications: "notification notificationpreference",
};

/** The permission of a codename; undefined where there is none. */
export function getPermission(codename: string): Named | undefined {
	const model = codename.slice(codename.indexOf("_") + 1);
	const app = Object.keys(MODELS).find((name) => MODELS[name]?.split(" ").includes(model));
	return app === undefined ? undefined : { codename, app, model };
}

/** The groups whose members a rule lets in, as they are at first. */
export function listRolesWith(rule: PermissionRule): Role[] {
	if (rule === "any") return [...ROLE_NAMES];
	const permission = getPermission(rule);
	return ROLE_NAMES.filter((role) => role === "Admin" || (permission !== undefined && hasRole(role, permission)));
}

const hasRole = (role: Role, permission: Named): boolean => ROLES[role](permission);

/** Quota of users who only read. The quota of another group of the user may allow more. */
const READ_ONLY_QUOTA: Quota = {
	...DEFAULT_QUOTA,
	can_create_queries: false,
	can_schedule: false,
	can_use_automation: false,
	can_share: false,
};

const REQUESTING = ["add_automationrequest", "change_automationrequest", "delete_automationrequest"];
const APPROVING = [
	"approve_automationrequest",
	"add_calendarentry",
	"change_calendarentry",
	"delete_calendarentry",
	"override_freeze",
];

interface Template extends Omit<RoleTemplate, "permission_ids"> {
	readonly has: (permission: Named) => boolean;
}

const TEMPLATES: readonly Template[] = [
	{
		key: "admin",
		name: "Admin",
		description: "Everything, users and groups included",
		has: ROLES.Admin,
		quota: null,
	},
	{
		key: "operator",
		name: "Operator",
		description: "Queries, automation, maintenance and changes on controllers; no approvals and no freezes",
		has: ROLES.Operator,
		quota: null,
	},
	{
		key: "editor",
		name: "Editor",
		description:
			"Author: queries, checks, schedules, snapshots and automation templates; no requests, no changes on controllers",
		has: ROLES.Editor,
		quota: null,
	},
	{
		key: "viewer",
		name: "Viewer",
		description: "Reads what others share, and changes nothing",
		has: ROLES.Viewer,
		quota: READ_ONLY_QUOTA,
	},
	{
		key: "requester",
		name: "Requester",
		description: "Reads what others share, and makes automation requests and change windows",
		has: (permission) => ROLES.Viewer(permission) || [...REQUESTING, ...MAKING_WINDOWS].includes(permission.codename),
		quota: null,
	},
	{
		key: "approver",
		name: "Approver",
		description:
			"Reads what others share, decides on automation requests and change windows, and makes and overrides freezes",
		has: (permission) => ROLES.Viewer(permission) || [...APPROVING, ...DECIDING].includes(permission.codename),
		quota: null,
	},
];

export function buildRoleTemplates(permissions: readonly Permission[]): RoleTemplate[] {
	return TEMPLATES.map(({ has, ...template }) => ({
		...template,
		permission_ids: permissions.filter(has).map(({ id }) => id),
	}));
}
