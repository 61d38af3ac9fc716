/** Default roles and their permissions, which the seeded groups start with. */
import type { Permission, PermissionRule, Quota, RoleTemplate } from "@weft/contracts";
import { NO_QUOTA } from "./quota.ts";

type Named = Pick<Permission, "codename" | "app" | "model">;

const QUERYING = ["controller", "queries", "time_machine", "mim", "notifications"];

/** Groups that are there from the start, by name. */
const ROLES: Readonly<Record<"Admin" | "Operator" | "Editor" | "Viewer" | "Users", (permission: Named) => boolean>> = {
	Admin: () => true,
	Operator: ({ app, codename }) =>
		(QUERYING.includes(app) || app === "automation") &&
		!["approve_automationrequest", "change_tasksettings"].includes(codename),
	Editor: ({ app, codename }) =>
		QUERYING.includes(app) && !["write_controllerconnection", "change_tasksettings"].includes(codename),
	Viewer: ({ app, codename }) => codename.startsWith("view_") && app !== "audit" && app !== "auth",
	Users: ({ model, codename }) =>
		(OWN_WORK.includes(model) || SHARED.includes(codename)) && codename !== "write_controllerconnection",
};

const OWN_WORK =
	"controllerconnection savedquery check scheduledtask pipelineexecution snapshot snapshotsettings favorite tabletemplate tablepreference notification notificationpreference".split(
		" ",
	);
const SHARED =
	"view_querycategory add_querycategory change_querycategory view_executionlog view_scheduledexecution view_tasksettings view_modelclass view_modelversion".split(
		" ",
	);

export type Role = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as Role[];

/** Which models each app has; permissions are named after models. */
const MODELS: Readonly<Record<string, string>> = {
	auth: "user group permission",
	controller: "controllerconnection",
	queries:
		"querycategory savedquery check executionlog scheduledtask scheduledexecution tasksettings pipelineexecution",
	time_machine: "snapshot snapshotsettings",
	mim: "modelclass favorite tabletemplate tablepreference",
	mim_registry: "modelversion",
	automation:
		"automationconnection automationtemplate automationrequest automationexecution automationcategory columntemplate validationlist regexpattern",
	audit: "auditlog loginattempt auditsettings",
	notifications: "notification notificationpreference",
};

/** The permission of a codename; undefined where there is none. */
export function permissionOf(codename: string): Named | undefined {
	const model = codename.slice(codename.indexOf("_") + 1);
	const app = Object.keys(MODELS).find((name) => MODELS[name]?.split(" ").includes(model));
	return app === undefined ? undefined : { codename, app, model };
}

/** The groups whose members a rule lets in, as they are at first; every user is in `Users`. */
export function rolesWith(rule: PermissionRule): Role[] {
	if (rule === "any") return [...ROLE_NAMES];
	const permission = permissionOf(rule);
	return ROLE_NAMES.filter((role) => role === "Admin" || (permission !== undefined && roleHas(role, permission)));
}

const roleHas = (role: Role, permission: Named): boolean => ROLES[role](permission);

/** Looks and changes nothing, whatever the group Users lets everybody do. */
const LOOKING: Quota = {
	...NO_QUOTA,
	can_create_queries: false,
	can_schedule: false,
	can_use_automation: false,
	can_share: false,
};

const TEMPLATES = [
	["admin", "Admin", "Everything, users and groups included", null],
	["operator", "Operator", "Queries, automation and changes on controllers; no approvals", null],
	["editor", "Editor", "Queries, schedules and snapshots; no automation, no changes on controllers", null],
	["viewer", "Viewer", "Looks at what others share", LOOKING],
] as const satisfies (readonly [RoleTemplate["key"], Role, string, Quota | null])[];

export function roleTemplates(permissions: readonly Permission[]): RoleTemplate[] {
	return TEMPLATES.map(([key, name, description, quota]) => ({
		key,
		name,
		description,
		permission_ids: permissions.filter((permission) => roleHas(name, permission)).map(({ id }) => id),
		quota,
	}));
}
