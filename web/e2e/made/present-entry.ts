/** Adds an entry on the page of the calendar, and fills in fields for times. */
import type { Page } from "playwright-core";
import { chooseOption, typeInto } from "./empty-service.ts";

const DAY_MS = 86_400_000;

/** Formats an instant as the fields for times take it, in Paris. */
const formatLocal = (at: number): string =>
	new Intl.DateTimeFormat("sv-SE", { timeZone: "Europe/Paris", dateStyle: "short", timeStyle: "short" }).format(at);

/** Adds an entry of all fabrics that began a day ago and ends in a day. The calendar is open. */
export async function addPresentEntry(page: Page, kind: "Freeze" | "Maintenance", title: string): Promise<void> {
	await page.getByRole("button", { name: "New entry" }).first().click();
	const entry = page.getByRole("dialog", { name: "New entry" });
	await typeInto(entry.getByLabel("Title"), title);
	await chooseOption(entry.getByLabel("Kind"), kind);
	await entry.getByLabel(/^All fabrics/).click();
	await typeInto(entry.getByLabel("Begins"), formatLocal(Date.now() - DAY_MS));
	await typeInto(entry.getByLabel("Ends"), formatLocal(Date.now() + DAY_MS));
	await typeInto(entry.getByLabel("Time zone"), "Europe/Paris");
	await entry.getByRole("button", { name: "Add the entry" }).click();
	await entry.waitFor({ state: "detached" });
}
