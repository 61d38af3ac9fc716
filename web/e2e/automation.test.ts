/** Requests: decided in another account on the rows read, launched, followed, relaunched. */
import { automationExecutionRoutes, automationRequestRoutes } from "@weft/contracts";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { getAutomation } from "./seed-automation.ts";

describeInBrowser("automation requests", (web) => {
	const { template, request } = getAutomation(web);
	const rows = (page: Page) => page.getByRole("table", { name: "Rows" });

	it("are found by state, mode and text, and the filters are in the address", async () => {
		const page = await web.open("/");
		await page.getByRole("heading", { name: "Overview" }).waitFor();
		await page.keyboard.press("g");
		await page.keyboard.press("a");
		const list = page.getByRole("region", { name: "Requests" });
		await list.getByText("yours to decide").first().waitFor();
		await page.getByLabel("State").selectOption("failed");
		await page.waitForURL(/status=failed/);
		await list.getByRole("link", { name: "Tenants of last week" }).waitFor();
		await list.getByText("Tenants for the new shop").waitFor({ state: "detached" });
		await page.getByLabel("Mode").selectOption("dry");
		await page.getByText("No request matches.").waitFor();
		await page.getByLabel("Mode").selectOption("real");
		await page.reload();
		await list.getByText("Makes changes").first().waitFor();
	});

	it("are approved as they were read: a change is shown, and read before the decision", async () => {
		const { id } = await template({ requires_approval: true });
		const olga = await web.user("olga", ["Operator"]);
		const made = await request(olga.client, id, "Two new tenants", { check_mode: true });
		const page = await web.open("/favicon.svg");
		// Neither the socket nor the next poll reports the change: only the decision's answer does.
		await page.routeWebSocket(/automation/, () => {});
		await page.goto(`/automation/requests/${made.id}`);
		await rows(page).getByText("two").waitFor();
		await page.getByText("The job runs in check mode").waitFor();
		await olga.client.call(automationRequestRoutes.update, {
			params: { id: made.id },
			body: { check_mode: false, input_data: [{ name: "one" }, { name: "everything" }, { name: "three" }] },
		});
		await page.getByRole("button", { name: "Approve" }).click();
		const dialog = page.getByRole("dialog", { name: /^Approve/ });
		await dialog.getByText("Dry run").waitFor();
		await dialog.getByLabel("Comment").fill("Two tenants, seen.");
		await dialog.getByRole("button", { name: "Approve" }).click();
		const changed = page.getByRole("dialog", { name: "The request changed since you read it" });
		await changed.getByText("Your decision was not taken").waitFor();
		await changed.getByText("before dry run").waitFor();
		await changed.getByText("now makes changes").waitFor();
		const differences = changed.getByRole("list", { name: "Changed rows" }).getByRole("listitem");
		await expect
			.poll(() => differences.allTextContents())
			.toEqual([
				expect.stringMatching(/Changed.*row 2.*before two.*now everything/),
				expect.stringMatching(/Added.*row 3.*now three/),
			]);
		const state = async () =>
			(await olga.client.call(automationRequestRoutes.detail, { params: { id: made.id } })).status;
		await expect.poll(() => state()).toBe("awaiting_approval");
		await changed.getByRole("button", { name: "Read the current version" }).click();
		await rows(page).getByText("everything").waitFor();
		await page.getByRole("button", { name: "Approve" }).click();
		await dialog.getByText("Makes changes").waitFor();
		await dialog.getByRole("button", { name: "Approve" }).click();
		await page.getByText(/Approved by ada.lovelace/).waitFor();
		await expect.poll(() => state()).toBe("approved");
	});

	it("shows changes of a request quietly while it is read, and keeps an approver's comment", async () => {
		const { id } = await template({ requires_approval: true });
		const { client } = await web.user("otto", ["Operator"]);
		const made = await request(client, id, "It will change");
		const page = await web.open(`/automation/requests/${made.id}`);
		await rows(page).getByText("two").waitFor();
		await page.getByText("Live", { exact: true }).waitFor();
		await client.call(automationRequestRoutes.update, {
			params: { id: made.id },
			body: { input_data: [{ name: "one" }] },
		});
		const note = page.getByRole("region", { name: "Changed while you read it" });
		await note.getByText("− Removed").waitFor();
		await rows(page).getByText("two").waitFor({ state: "detached" });
		expect(await page.getByRole("dialog").count()).toBe(0);
		// The dialog of the decision says it too, and is in danger only while it is open.
		await page.getByRole("button", { name: "Approve" }).click();
		const dialog = page.getByRole("dialog", { name: /^Approve/ });
		await dialog.getByText("The request changed while you read it.").waitFor();
		await dialog.getByLabel("Comment").fill("One is enough.");
		await client.call(automationRequestRoutes.update, { params: { id: made.id }, body: { title: "It changed again" } });
		const changed = page.getByRole("dialog", { name: "The request changed since you read it" });
		await changed.getByText("It changed again").waitFor();
		await changed.getByRole("button", { name: "Read the current version" }).click();
		await page.getByRole("heading", { level: 1, name: "It changed again" }).waitFor();
		await note.waitFor({ state: "detached" });
		await page.getByRole("button", { name: "Approve" }).click();
		await expect.poll(() => dialog.getByLabel("Comment").inputValue()).toBe("One is enough.");
	});

	it("are rejected with a reason, which the requester sees, and never by the requester", async () => {
		const { id } = await template({ requires_approval: true });
		const { client, refresh } = await web.user("rita", ["Operator"]);
		const made = await request(client, id, "Not this one");
		const page = await web.open(`/automation/requests/${made.id}`);
		await page.getByRole("button", { name: "Reject" }).click();
		const dialog = page.getByRole("dialog", { name: /^Reject/ });
		const reject = dialog.getByRole("button", { name: "Reject" });
		await expect.poll(() => reject.getAttribute("aria-disabled")).toBe("true");
		await dialog.getByLabel("Reason").fill("The VRF is missing.");
		await reject.click();
		await page.getByText(/Rejected by ada.lovelace/).waitFor();
		const own = await web.open(`/automation/requests/${made.id}`, { as: refresh });
		await own.getByText("The VRF is missing.", { exact: true }).waitFor();
		const next = await request(client, id, "Nor that one");
		await own.goto(`/automation/requests/${next.id}`);
		await own.getByText(/^Waiting for every approver \(.+\)/).waitFor();
		await expect.poll(() => own.getByRole("button", { name: "Approve" }).count()).toBe(0);
	});

	it("are launched, followed without gaps over a lost socket, and joined to their rows", async () => {
		const { id } = await template({ variable_mappings: { secs: 2 } });
		const { client, refresh } = await web.user("lara", ["Operator"]);
		const made = await request(client, id, "Two tenants at once", {
			input_data: [{ name: "one" }, { name: "two", rc: 1 }],
		});
		const page = await web.open(`/automation/requests/${made.id}`, { as: refresh });
		let sockets = 0;
		await page.routeWebSocket(/automation\/execution/, (socket) => {
			const server = socket.connectToServer();
			if (++sockets > 1) return;
			let messages = 0;
			server.onMessage((message) => {
				socket.send(message);
				if (++messages === 2) void socket.close({ code: 1011, reason: "lost on purpose" });
			});
		});
		await page.getByRole("button", { name: "Launch the job" }).click();
		const confirm = page.getByRole("dialog", { name: "Launch the job?" });
		await confirm.getByText("This changes the network.").waitFor();
		await confirm.getByRole("button", { name: "Launch the job" }).click();
		await page
			.getByRole("region", { name: "Executions" })
			.getByRole("link", { name: /^Job \d+/ })
			.click();
		await page.getByRole("heading", { level: 1, name: /^Job/ }).waitFor();
		await page.getByRole("link", { name: "Output" }).click();
		const output = page.getByRole("region", { name: "Output" });
		await output.getByText("PLAY RECAP").waitFor();
		await expect.poll(() => sockets).toBeGreaterThan(1);
		const { results } = await client.call(automationExecutionRoutes.list, { query: { automation_request: made.id } });
		const { stdout } = await client.call(automationExecutionRoutes.output, {
			params: { id: results[0]?.id ?? "" },
			query: {},
		});
		const lines = stdout.split(/\r?\n/).length - 1;
		await page.getByText(`${lines} lines`, { exact: true }).waitFor();
		await page.getByLabel("Search the output").fill("FAILED");
		await page.getByText(/^1 of \d+$/).waitFor();
		await page.getByRole("button", { name: "To the end" }).click();
		await page.getByRole("link", { name: "Rows" }).click();
		const failed = rows(page).getByRole("row").filter({ hasText: "two" });
		await failed.getByText("Failed").waitFor();
		// The header counts the two rows, and not the tasks of the playbook.
		await page.getByText("1 row changed, 1 failed", { exact: true }).waitFor();
		await page.getByRole("button", { name: "Run again (all 2 rows)" }).waitFor();
		await page.getByLabel("Result").selectOption("failed");
		await rows(page).getByText("one", { exact: true }).waitFor({ state: "detached" });
		expect(await page.getByRole("button", { name: /^Run again on failed hosts/ }).count()).toBe(0);
		await page.getByRole("button", { name: "New request with 1 failed row" }).click();
		await page.getByRole("heading", { level: 1, name: "Failed rows of Two tenants at once" }).waitFor();
		await rows(page).getByText("two", { exact: true }).waitFor();
		expect(await rows(page).getByText("one", { exact: true }).count()).toBe(0);
	});

	it("warn where a job that ended well tells nothing of its rows", async () => {
		const { id } = await template({ variable_mappings: { no_log: true } });
		const { client, refresh } = await web.user("hugo", ["Operator"]);
		const made = await request(client, id, "Without a word");
		await client.call(automationRequestRoutes.execute, { params: { id: made.id } });
		const page = await web.open(`/automation/requests/${made.id}`, { as: refresh });
		const warning = page.getByText(/the result of 2 of 2 rows is not known/).first();
		await warning.waitFor();
		await page.getByRole("link", { name: /^Job \d+/ }).click();
		await page.waitForURL(/\/automation\/executions\//);
		await warning.waitFor();
		await page.getByRole("link", { name: "Rows" }).click();
		await rows(page).getByText("Hidden by no_log").first().waitFor();
	});

	it("are cancelled while their job runs", async () => {
		const { id } = await template({ variable_mappings: { secs: 60 } });
		const { client, refresh } = await web.user("carl", ["Operator"]);
		const made = await request(client, id, "Stop me", { check_mode: true });
		await client.call(automationRequestRoutes.execute, { params: { id: made.id } });
		const page = await web.open(`/automation/requests/${made.id}`, { as: refresh });
		await page.getByRole("link", { name: /^Job \d+/ }).click();
		await page.getByText("Dry run").first().waitFor();
		await page.getByRole("button", { name: "Cancel job" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Cancel the job" }).click();
		await page.getByText("Cancelled", { exact: true }).waitFor();
	});
});
