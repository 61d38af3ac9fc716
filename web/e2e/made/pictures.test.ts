/**
 * Pictures of the network, from an empty service: a fabric, its snapshots by one click, the
 * topology and a tenant, what changed, a past moment, and the picture as a file.
 */
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { chooseOption, describeOnEmptyService, makeConnection, typeInto } from "./empty-service.ts";
import { writeTenant } from "./write-tenant.ts";

const openKind = (page: Page, name: string) => chooseOption(page.getByLabel("Picture", { exact: true }), name);
const findNode = (page: Page, name: string | RegExp) =>
	page.getByRole("group", { name: /drawn$/ }).getByRole("link", { name });

describeOnEmptyService("pictures of the network of an empty service", (service) => {
	it("says that there is no fabric, and names the missing classes of one that was added", async () => {
		const page = service.page();
		await page.goto("/");
		await page.getByRole("link", { name: "Pictures", exact: true }).click();
		await page.getByRole("link", { name: "Connections", exact: true }).last().waitFor();
		await makeConnection(page, "fab-a", service.world());
		await page.goto("/");
		await page.getByRole("link", { name: "Pictures", exact: true }).click();
		await page.getByText("There is nothing to draw yet.").waitFor();
		await page.getByText(/Links \(fabricLink\)/).waitFor();
		expect(await page.getByRole("group", { name: /drawn$/ }).count()).toBe(0);
	});

	it("draws the topology after one click that takes its snapshots", async () => {
		const page = service.page();
		await page.getByRole("button", { name: "Take snapshots of these classes" }).click();
		await findNode(page, /^leaf101, Leaf, OK/).waitFor();
		await findNode(page, /^spine1001, Spine/).waitFor();
		expect(await page.getByText("There is nothing to draw yet.").count()).toBe(0);
		const sources = page.getByRole("region", { name: "Snapshots of this picture" });
		await sources.getByText("Topology of the fabric", { exact: true }).first().waitFor();
		await page.getByRole("region", { name: "Links", exact: true }).getByText("Link 1/").first().waitFor();
	});

	it("finds a node, walks to its neighbour by an arrow, and opens the page of its object", async () => {
		const page = service.page();
		await typeInto(page.getByLabel("Find in the picture"), "leaf102");
		await page.getByText("1 of 1").waitFor();
		await findNode(page, /^leaf101/).focus();
		await page.keyboard.press("ArrowRight");
		expect(await findNode(page, /^leaf102/).evaluate((node) => node === document.activeElement)).toBe(true);
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { level: 1, name: "leaf102" }).waitFor();
		await page.goBack();
		await findNode(page, /^leaf102/).waitFor();
	});

	it("marks changes of a tenant, and draws the moment before it", async () => {
		const page = service.page();
		await writeTenant(service.world().lab, { name: "Twin" }, [
			{ fvCtx: { attributes: { name: "inner" } } },
			{ fvBD: { attributes: { name: "web" } } },
		]);
		await openKind(page, "Tenant");
		await page.getByRole("button", { name: "Take snapshots of these classes" }).click();
		await page.getByRole("heading", { level: 1, name: /^Tenant .* of fab-a$/ }).waitFor();
		await chooseOption(page.getByLabel("Tenant", { exact: true }), "Twin");
		await findNode(page, /^web, Bridge domain/).waitFor();

		await writeTenant(service.world().lab, { name: "Twin" }, [
			{ fvBD: { attributes: { name: "web", descr: "changed" } } },
			{ fvBD: { attributes: { name: "new" } } },
		]);
		await page.goto("/library");
		await page.getByRole("link", { name: "Policy of the tenants" }).first().waitFor();
		await page.goto("/time-machine");
		await page.getByRole("link", { name: "Policy of the tenants" }).first().click();
		await page.getByRole("button", { name: /^Capture/ }).click();
		await page.getByRole("link", { name: "Pictures", exact: true }).click();
		await openKind(page, "Tenant");
		await expect
			.poll(async () => {
				await page.reload();
				await page.getByRole("heading", { level: 1, name: /^Tenant .* of fab-a$/ }).waitFor();
				await chooseOption(page.getByLabel("Tenant", { exact: true }), "Twin");
				await findNode(page, /^web, Bridge domain/).waitFor();
				return findNode(page, /^web, Bridge domain, modified/).count();
			})
			.toBe(1);
		await findNode(page, /^new, Bridge domain, added/).waitFor();
		await page.getByRole("list", { name: "Legend" }).getByText("Added").waitFor();

		await page.getByRole("button", { name: "Before the newest snapshot" }).click();
		await page.getByText(/^as of /).waitFor();
		await expect.poll(() => findNode(page, /^new, Bridge domain/).count()).toBe(0);
		await findNode(page, /^web, Bridge domain/).waitFor();
		await page.getByRole("button", { name: "Now", exact: true }).click();
		await findNode(page, /^new, Bridge domain, added/).waitFor();
	});

	it("exports the picture as a file that names it, its fabric and its day, without variables", async () => {
		const page = service.page();
		await chooseOption(page.getByLabel("Colour by"), "Colour by kind");
		await page.getByRole("list", { name: "Legend" }).getByText("Bridge domain").waitFor();
		const waiting = page.waitForEvent("download");
		await page.getByRole("button", { name: "Export SVG" }).click();
		const download = await waiting;
		expect(download.suggestedFilename()).toMatch(
			/^tenant-Twin-fab-a-\d{4}-\d{2}-\d{2}\.svg$|^tenant-twin-fab-a-\d{4}-\d{2}-\d{2}\.svg$/,
		);
		const text = await readFile(await download.path(), "utf8");
		expect(text).toContain("<title>Tenant Twin of fab-a</title>");
		expect(text).toContain(">web<");
		expect(text).not.toContain("var(--");
		expect(text).not.toContain("<a ");
	});
});
