/** Where a notification leads. */
import { expect, it } from "vitest";
import { findPlace } from "./place.ts";

const ID = "01890000-0000-7000-8000-000000000000";

it.each([
	[`/api/queries/scheduled-executions/?task_id=${ID}`, { to: `/schedules/${ID}`, search: {} }],
	[`/api/mim-registry/remote/runs/${ID}/`, { to: "/settings/model", search: { run: ID } }],
	[`/api/time-machine/snapshots/${ID}/`, { to: `/time-machine/snapshots/${ID}`, search: {} }],
	[`/api/auth/tokens/${ID}/`, { to: "/me/tokens", search: {} }],
	["/api/auth/management/12/", { to: "/users/12", search: {} }],
	["/api/auth/management/?gone=true", { to: "/users", search: { state: "gone" } }],
	["/api/auth/management/12/tokens/", { to: "/users/12", search: {} }],
	[`/api/notifications/webhooks/${ID}/`, { to: "/settings/notifications/channels", search: { edit: ID } }],
	["/api/notifications/webhook/", { to: "/settings/notifications/channels", search: {} }],
	["/api/notifications/webhooks/", { to: "/settings/notifications/channels", search: {} }],
	["/api/notifications/preferences/", { to: "/settings/notifications", search: {} }],
	["/library?q=a%20b", { to: "/library", search: { q: "a b" } }],
	["/api/something/else/", null],
	["/api/checks/", { to: "/checks", search: {} }],
	[`/api/checks/${ID}/`, { to: `/checks/${ID}`, search: {} }],
	["//elsewhere.example", null],
	["/\\elsewhere.example", null],
	["https://elsewhere.example/", null],
	["", null],
])("%s", (link, place) => {
	expect(findPlace(link)).toEqual(place);
});
