/** The page of a notification. API paths map to screens; other paths are routes of the UI. */

interface Place {
	readonly to: string;
	readonly search: Readonly<Record<string, string>>;
}

const ID = "([0-9a-f-]{36})";
const SCREENS: readonly (readonly [pattern: RegExp, place: (id: string) => Place])[] = [
	[
		new RegExp(`^/api/queries/scheduled-executions/\\?task_id=${ID}$`),
		(id) => ({ to: `/schedules/${id}`, search: {} }),
	],
	[new RegExp(`^/api/mim-registry/remote/runs/${ID}/$`), (id) => ({ to: "/settings/model", search: { run: id } })],
	[new RegExp(`^/api/time-machine/snapshots/${ID}/$`), (id) => ({ to: `/time-machine/snapshots/${id}`, search: {} })],
	[new RegExp(`^/api/checks/${ID}/$`), (id) => ({ to: `/checks/${id}`, search: {} })],
	[/^\/api\/checks\/$/, () => ({ to: "/checks", search: {} })],
	[new RegExp(`^/api/automation/requests/${ID}/$`), (id) => ({ to: `/automation/requests/${id}`, search: {} })],
	[new RegExp(`^/api/automation/executions/${ID}/$`), (id) => ({ to: `/automation/executions/${id}`, search: {} })],
	[new RegExp(`^/api/auth/tokens/${ID}/$`), () => ({ to: "/me/tokens", search: {} })],
	[/^\/api\/auth\/management\/(\d+)\/$/, (id) => ({ to: `/users/${id}`, search: {} })],
	[/^\/api\/auth\/management\/\?gone=true$/, () => ({ to: "/users", search: { state: "gone" } })],
	[/^\/api\/auth\/management\/(\d+)\/tokens\/$/, (id) => ({ to: `/users/${id}`, search: {} })],
	[
		new RegExp(`^/api/notifications/webhooks/${ID}/$`),
		(id) => ({ to: "/settings/notifications/channels", search: { edit: id } }),
	],
	// Without the plural in notifications of an earlier version.
	[/^\/api\/notifications\/webhooks?\/$/, () => ({ to: "/settings/notifications/channels", search: {} })],
	[/^\/api\/notifications\//, () => ({ to: "/settings/notifications", search: {} })],
];

/** Null: there is no screen for it. */
export function findPlace(link: string): Place | null {
	for (const [pattern, place] of SCREENS) {
		const found = pattern.exec(link);
		if (found) return place(found[1] ?? "");
	}
	if (!/^\/(?![/\\])/.test(link) || link.startsWith("/api/")) return null;
	const { pathname, searchParams } = new URL(link, "http://here");
	return { to: pathname, search: Object.fromEntries(searchParams) };
}
