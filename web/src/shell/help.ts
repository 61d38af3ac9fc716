/** Which document of the help site is about a page. */

/** By the beginning of the page's path; the first that fits counts. */
const DOCUMENTS: readonly (readonly [path: string, document: string])[] = [
	["/runs/groups", "fabrics"],
	["/runs", "results"],
	["/builder", "post-processors"],
	["/library", "queries-as-code"],
	["/checks", "checks"],
	["/time-machine/fabrics", "compare-fabrics"],
	["/time-machine", "time-machine"],
	["/pictures", "pictures"],
	["/changes", "find-changes"],
	["/model", "controllers"],
	["/schedules", "time-machine"],
	["/calendar", "calendar"],
	["/change-windows", "change-windows"],
	["/change-plans", "change-windows"],
	["/automation", "automation"],
	["/settings/connection-groups", "fabrics"],
	["/settings/connections", "controllers"],
	["/settings/model", "controllers"],
	["/settings/retention", "time-machine"],
	["/settings/notifications", "notifications"],
	["/settings/tasks", "time-machine"],
	["/settings", "automation"],
	["/notifications", "notifications"],
	["/tokens", "api-tokens"],
	["/users", "permissions"],
	["/groups", "permissions"],
	["/permissions", "permissions"],
	["/audit", "security"],
	["/service", "operations"],
	["/setup", "operations"],
	["/", ""],
];

/** @returns the document's address below the service's own */
export const getHelp = (path: string): string => {
	const [, document = ""] = DOCUMENTS.find(([start]) => path.startsWith(start)) ?? [];
	return `/help/${document}`;
};
