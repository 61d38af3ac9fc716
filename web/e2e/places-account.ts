/** The screens of a person's own account, and those without one; how a screen is found ready. */
import type { Page } from "playwright-core";
import type { Web } from "./browser.ts";

export interface Place {
	readonly name: string;
	/** Without it a user is signed in. */
	readonly signedOut?: boolean;
	/** Without: it looks like one that is drawn. */
	readonly drawn?: boolean;
	path(web: Web): string;
	/** There when the page has what it shows. */
	ready(page: Page): Promise<unknown>;
}

export const waitForHeading = (name: string | RegExp) => (page: Page) =>
	page.getByRole("heading", { level: 1, name }).waitFor();
export const waitForList = (name: string) => (page: Page) => page.getByRole("list", { name }).waitFor();
export const waitForText = (what: string | RegExp) => (page: Page) => page.getByText(what).first().waitFor();

export const ACCOUNT_PLACES: readonly Place[] = [
	{ name: "profile", path: () => "/me/profile", ready: waitForText("Saved queries") },
	{ name: "security", path: () => "/me/security", ready: waitForText("This one") },
	{ name: "API tokens", path: () => "/me/tokens", ready: waitForText("nightly-drift") },
	{
		name: "API token, new",
		drawn: false,
		path: () => "/me/tokens?edit=new",
		ready: (page) => page.getByRole("dialog").getByText("Never", { exact: true }).waitFor({ state: "attached" }),
	},
	{ name: "appearance", path: () => "/me/appearance", ready: waitForHeading("Appearance and keys") },
	{ name: "sign in", path: () => "/login", ready: waitForHeading("Sign in"), signedOut: true },
	{
		name: "forgotten password",
		drawn: false,
		path: () => "/reset",
		ready: waitForText("Mail is not configured."),
		signedOut: true,
	},
	{
		name: "new password",
		drawn: false,
		path: () => "/reset-password",
		ready: waitForHeading("New password"),
		signedOut: true,
	},
	{ name: "nothing", drawn: false, path: () => "/nowhere", ready: waitForText("There is no page at this address") },
];
