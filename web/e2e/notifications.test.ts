import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { notificationRoutes, webhookRoutes } from "@weft/contracts";
import { expect, it } from "vitest";
import { describeInBrowser, type Web } from "./browser.ts";

const postAnnouncement = (web: Web, title: string, severity: "info" | "warning" | "error") =>
	web
		.client()
		.call(notificationRoutes.announce, { body: { title, body: "What it is about.", severity, link: "/library" } });

interface Receiver {
	readonly url: string;
	/** Path and body of each request, in the order of arrival. */
	readonly received: { path: string; body: string }[];
	/** Status of the next answers. */
	status: number;
	close(): void;
}

/** Opens an HTTP server on this host that stores what webhooks send. */
async function openReceiver(status: number): Promise<Receiver> {
	const server = createServer((request, response) => {
		let body = "";
		request.on("data", (part) => {
			body += part;
		});
		request.on("end", () => {
			receiver.received.push({ path: request.url ?? "", body });
			response.writeHead(receiver.status).end();
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const receiver: Receiver = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		received: [],
		status,
		close: () => {
			server.closeAllConnections();
			server.close();
		},
	};
	return receiver;
}

describeInBrowser("notifications", (web) => {
	it("come at once, are read, and are deleted", async () => {
		const { refresh } = await web.user("told");
		const page = await web.open("/", { as: refresh });
		await page.getByRole("link", { name: "Notifications: none unread" }).waitFor();
		await page.getByText("Live", { exact: true }).waitFor();
		await postAnnouncement(web, "The lab moves", "warning");
		await page.getByRole("region", { name: "Notices" }).getByText("The lab moves").waitFor();
		await page.getByRole("link", { name: "Notifications: 1 unread one" }).click();
		const list = page.getByRole("list", { name: "Notifications" });
		await list.getByText("The lab moves").waitFor();
		// The list is there already, and grows by itself.
		await postAnnouncement(web, "It has moved", "info");
		await list.getByText("It has moved").waitFor();
		await page.getByLabel("Severity").selectOption("info");
		await list.getByText("The lab moves").waitFor({ state: "detached" });
		await page.getByRole("button", { name: 'Mark "It has moved" as read' }).click();
		await page.getByRole("link", { name: "Notifications: 1 unread one" }).waitFor();
		await page.getByLabel("Unread only").check();
		await page.getByText("No notification matches.").waitFor();
		await page.getByLabel("Severity").selectOption("");
		await page.getByRole("button", { name: "Mark all as read" }).click();
		await page.getByRole("link", { name: "Notifications: none unread" }).waitFor();
		await page.getByLabel("Unread only").uncheck();
		await page.getByRole("button", { name: 'Delete "The lab moves"' }).click();
		await list.getByText("The lab moves").waitFor({ state: "detached" });
		await list.getByRole("link", { name: "Open" }).click();
		await page.getByRole("heading", { level: 1, name: "Library" }).waitFor();
	});

	it("a shared webhook's failed deliveries show the reason and the next try, and are sent again", async () => {
		const receiver = await openReceiver(500);
		const { id } = await web.client().call(webhookRoutes.create, {
			body: {
				name: "Team chat",
				url: receiver.url,
				secret: "0123456789abcdef",
				is_shared: true,
				categories: ["system"],
			},
		});
		try {
			await postAnnouncement(web, "The wire is cut", "error");
			const page = await web.open("/settings/notifications/channels");
			await page.getByRole("button", { name: "Deliveries of Team chat" }).click();
			const dialog = page.getByRole("dialog", { name: "Deliveries of Team chat" });
			const row = dialog.getByRole("row").filter({ hasText: "The wire is cut" });
			await row.getByText("The receiver answered 500.").waitFor();
			await row.getByText("HTTP 500").waitFor();
			await row.getByText(/next try/).waitFor();
			receiver.status = 204;
			await row.getByRole("button", { name: "Send again" }).click();
			await row.getByText("Delivered").waitFor();
			expect(receiver.received).toHaveLength(2);
			expect(receiver.received[1]).toEqual(receiver.received[0]);
			await row.getByRole("button", { name: "Send again" }).click();
			await expect.poll(() => row.getByText("Delivered").count()).toBe(2);
		} finally {
			await web.client().call(webhookRoutes.remove, { params: { id } });
			receiver.close();
		}
	});

	it("the form shows only the host of a Slack webhook, and replaces its address", async () => {
		const receiver = await openReceiver(200);
		const host = new URL(receiver.url).host;
		try {
			const page = await web.open("/settings/notifications/channels");
			await page.getByRole("button", { name: "New webhook" }).click();
			const dialog = page.getByRole("dialog");
			await dialog.getByLabel("Name").fill("Chat by address");
			await dialog.getByLabel("Format").selectOption({ label: "Slack" });
			await dialog.getByLabel("Address").fill(`${receiver.url}/services/old-secret`);
			await dialog.getByRole("button", { name: "Save", exact: true }).click();
			await dialog.waitFor({ state: "detached" });
			const row = page.getByRole("row").filter({ hasText: "Chat by address" });
			await row.getByText(host, { exact: true }).waitFor();

			// The service sends the rest of the address to no browser.
			await page.reload();
			await row.getByRole("button", { name: "Edit Chat by address" }).click();
			const address = dialog.getByLabel("Address");
			expect(await address.inputValue()).toBe(host);
			expect(await address.getAttribute("readonly")).not.toBeNull();
			expect(await page.content()).not.toContain("old-secret");
			await dialog.getByRole("button", { name: "Replace" }).click();
			await address.fill(`${receiver.url}/services/new-secret`);
			await dialog.getByRole("button", { name: "Save", exact: true }).click();
			await dialog.waitFor({ state: "detached" });

			await page.reload();
			await row.getByText(host, { exact: true }).waitFor();
			await row.getByRole("button", { name: "Send a test to Chat by address" }).click();
			await expect.poll(() => receiver.received.map(({ path }) => path)).toEqual(["/services/new-secret"]);
			expect(await page.content()).not.toContain("new-secret");
			// The name and the format change without the address.
			await row.getByRole("button", { name: "Edit Chat by address" }).click();
			await dialog.getByLabel("Name").fill("Chat with another name");
			await dialog.getByRole("button", { name: "Save", exact: true }).click();
			const renamed = page.getByRole("row").filter({ hasText: "Chat with another name" });
			await renamed.getByRole("button", { name: "Send a test to Chat with another name" }).click();
			await expect.poll(() => receiver.received.at(1)?.path).toBe("/services/new-secret");
		} finally {
			const { results } = await web.client().call(webhookRoutes.list, { query: { page_size: "100" } });
			for (const { id } of results.filter(({ name }) => name.startsWith("Chat ")))
				await web.client().call(webhookRoutes.remove, { params: { id } });
			receiver.close();
		}
	});

	it("lead from a mail to the screen that they are about", async () => {
		const { refresh } = await web.user("mailed");
		const page = await web.open(`/open?link=${encodeURIComponent("/api/notifications/preferences/")}`, { as: refresh });
		await page.getByLabel("Notify me by mail").waitFor();
		await page.goto(`${new URL(page.url()).origin}/open?link=${encodeURIComponent("//elsewhere.example/")}`);
		await page.getByRole("heading", { level: 1, name: "Notifications" }).waitFor();
	});

	it("come as one wants them, and not at night", async () => {
		const { refresh } = await web.user("choosy");
		const page = await web.open("/settings/notifications", { as: refresh });
		const mail = page.getByLabel("Notify me by mail");
		await mail.waitFor();
		const daily = page.getByLabel("One mail a day");
		if (!(await mail.isChecked())) await mail.click();
		await expect.poll(() => daily.isEnabled()).toBe(true);
		const box = page.getByLabel("Check alerts and schedules by mail");
		const before = await box.isChecked();
		await box.click();
		await daily.click();
		await expect.poll(() => daily.isChecked()).toBe(true);
		await page.getByLabel("From", { exact: true }).fill("21:30");
		await page.getByLabel("To", { exact: true }).fill("06:15");
		await page.getByRole("button", { name: "Enable quiet hours" }).click();
		await page.getByText("From 21:30 to 06:15").waitFor();
		await page.reload();
		await page.getByText("From 21:30 to 06:15").waitFor();
		expect(await daily.isChecked()).toBe(true);
		expect(await box.isChecked()).toBe(!before);
		await page.getByRole("button", { name: "No quiet hours" }).click();
		await page.getByRole("button", { name: "Enable quiet hours" }).waitFor();
	});
});
