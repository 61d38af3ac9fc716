/** The screens of change windows and plans. */
import { type Place, waitForText } from "./places-account.ts";
import { JUDGED_WINDOW, PLAN } from "./seed-windows.ts";

export const WINDOW_PLACES: readonly Place[] = [
	{ name: "change windows", drawn: false, path: () => "/change-windows", ready: waitForText(JUDGED_WINDOW) },
	{
		name: "change windows, month",
		drawn: false,
		path: () => "/change-windows?view=month",
		ready: (page) => page.getByRole("button", { name: JUDGED_WINDOW }).first().waitFor(),
	},
	{
		name: "change window",
		drawn: false,
		path: ({ windowId }) => `/change-windows/${windowId}`,
		ready: (page) => page.getByRole("region", { name: "Findings" }).getByText("uni/tn-Finance-01/BD-rack-7").waitFor(),
	},
	{
		name: "change window, new",
		drawn: false,
		path: () => "/change-windows?new=1",
		ready: (page) => page.getByRole("dialog").getByLabel("fab-dc1").waitFor(),
	},
	{ name: "change plans", drawn: false, path: () => "/change-plans", ready: waitForText(PLAN) },
	{
		name: "change plan, new",
		drawn: false,
		path: () => "/change-plans?new=1",
		ready: (page) => page.getByRole("dialog").getByLabel("Equal rounds").waitFor(),
	},
];
