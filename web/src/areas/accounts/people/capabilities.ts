/** Capabilities: permissions in words. Each one stands for the codenames that it needs. Pure. */
import type { Permission } from "@weft/contracts";

export interface Capability {
	readonly area: string;
	readonly text: string;
	readonly needs: readonly string[];
}

const listLines = (area: string, lines: Readonly<Record<string, string>>): Capability[] =>
	Object.entries(lines).map(([text, needs]) => ({ area, text, needs: needs.split(" ") }));

/** In the order in which they are shown. */
export const CAPABILITIES: readonly Capability[] = [
	...listLines("Fabrics", {
		"See fabrics": "view_controllerconnection",
		"Add and change fabrics": "add_controllerconnection change_controllerconnection delete_controllerconnection",
		"Change objects on a fabric's controllers": "write_controllerconnection",
	}),
	...listLines("Queries", {
		"See queries and the class model": "view_savedquery view_querycategory view_modelclass",
		"Make and change queries": "add_savedquery change_savedquery delete_savedquery",
		"Run queries and see the rows": "execute_savedquery add_pipelineexecution view_pipelineexecution",
		"Schedule queries": "view_scheduledtask add_scheduledtask change_scheduledtask delete_scheduledtask",
	}),
	...listLines("Observing", {
		"See snapshots and changes": "view_snapshot",
		"See checks": "view_check",
		"Make and change checks": "add_check change_check delete_check",
	}),
	...listLines("Calendar", {
		"See freezes and maintenance": "view_calendarentry",
		"Make and change maintenance": "add_calendarentry change_calendarentry delete_calendarentry",
		"Make and override freezes": "add_calendarentry change_calendarentry delete_calendarentry override_freeze",
	}),
	...listLines("Change windows", {
		"See change plans and windows": "view_changeplan view_changewindow",
		"Make and change plans": "add_changeplan change_changeplan delete_changeplan",
		"Make and move windows": "add_changewindow change_changewindow delete_changewindow",
		"Approve windows": "approve_changewindow",
		"Open windows that are blocked": "override_changewindow",
	}),
	...listLines("Automation", {
		"See templates and requests": "view_automationtemplate view_automationrequest view_automationexecution",
		"Make and change templates": "add_automationtemplate change_automationtemplate delete_automationtemplate",
		"Make requests": "add_automationrequest change_automationrequest",
		"Approve requests": "approve_automationrequest",
		"Launch approved requests": "launch_automationrequest",
		"Add and change automation servers": "add_automationconnection change_automationconnection",
	}),
	...listLines("Settings", {
		"Change the retention of snapshots": "change_snapshotsettings",
		"Change value lists and patterns": "add_validationlist change_validationlist add_regexpattern change_regexpattern",
		"Change what schedules start with": "change_tasksettings",
	}),
];

/** Lists the capabilities whose codenames are all held. */
export const listCapabilities = (codenames: ReadonlySet<string>): Capability[] =>
	CAPABILITIES.filter(({ needs }) => needs.every((name) => codenames.has(name)));

/** Lists the ids of the permissions of a capability. */
export const listPermissionIds = (
	{ needs }: Capability,
	permissions: readonly Pick<Permission, "id" | "codename">[],
): number[] => permissions.filter(({ codename }) => needs.includes(codename)).map(({ id }) => id);
