/** Failures: too many requests, lost socket, ended session with a draft, unreachable service. */
import { groupRoutes } from "@weft/contracts/browser";
import { expect, it } from "vitest";
import { describeInBrowser, readKeptDraft } from "./browser.ts";
import { deleteAfterTest } from "./clean-up.ts";
import { QUERY } from "./seed.ts";
import { PASSWORD } from "./world.ts";

describeInBrowser("when something goes wrong", (web) => {
	it("a request too many waits as long as the service says, and goes on by itself", async () => {
		const page = await web.open("/library");
		await page.getByText(QUERY).first().waitFor();
		let refused = 0;
		await page.route(/execution-logs/, (route) =>
			refused++ === 0
				? route.fulfill({
						status: 429,
						headers: { "retry-after": "1" },
						json: { detail: "Too many requests. Try again in 1 second." },
					})
				: route.continue(),
		);
		await page.getByRole("link", { name: "History", exact: true }).click();
		await page.getByText(/^Slowed/).waitFor();
		await page.getByText("Succeeded").first().waitFor();
		await page.getByText("Live", { exact: true }).waitFor();
		expect(refused).toBe(2);
	});

	it("a lost socket is seen, and taken up again without losing anything", async () => {
		await web.lab.faults({ latency: { on: true, ms: 1500, match: "fvAEPg" } });
		try {
			const page = await web.open("/builder?class=fvAEPg");
			let sockets = 0;
			await page.routeWebSocket(/chain-execution/, (socket) => {
				const server = socket.connectToServer();
				if (++sockets === 1) {
					server.onMessage((message) => {
						socket.send(message);
						void socket.close({ code: 1011, reason: "lost on purpose" });
					});
				}
			});
			await page.getByText("GET /api/class/fvAEPg.json").waitFor();
			await page.getByRole("button", { name: "Run on fab-dc1" }).click();
			await page.getByText(/Reconnecting in/).waitFor();
			await page.getByRole("region", { name: "Results" }).getByText("Succeeded").waitFor();
			await page.locator(".react-flow__node").filter({ hasText: "fvAEPg" }).getByText("Done").waitFor();
		} finally {
			await web.lab.faults({ latency: false });
		}
	});

	it("a second page without a live connection left in the quota says so, and gets the place of the first", async () => {
		deleteAfterTest(web.client(), groupRoutes, "One page");
		await web.client().call(groupRoutes.create, { body: { name: "One page", quota: { sockets_max: 1 } } });
		const { refresh } = await web.user("one-socket", ["One page", "Viewer"]);
		const first = await web.open("/library", { as: refresh });
		await first.getByText("Live", { exact: true }).waitFor();
		const second = await first.context().newPage();
		await second.goto(first.url());
		const pill = second.getByText("No live updates");
		await pill.waitFor();
		expect(await pill.getAttribute("title")).toContain("Close other tabs.");
		await first.close();
		await second.getByText("Live", { exact: true }).waitFor();
	});

	it("an ended session asks to sign in, and what was drawn is still there", async () => {
		const { refresh, client } = await web.user("expiry");
		const page = await web.open("/builder?class=fvBD", { as: refresh });
		await page.getByText("GET /api/class/fvBD.json").waitFor();
		await page.keyboard.press("a");
		await page.keyboard.type("fvSubnet");
		await page.keyboard.press("Enter");
		await page.locator(".react-flow__node").filter({ hasText: "fvSubnet" }).waitFor();
		await readKeptDraft(page, "fvSubnet");
		await client.signOut();
		await page.getByRole("link", { name: "Library", exact: true }).first().click();
		await page.getByText("Your session has ended.").waitFor();
		await page.getByLabel("Username").fill("expiry");
		await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { level: 1, name: "Library" }).waitFor();
		// Within the page: a page that is loaded anew gets the ended session from the profile's script.
		await page.getByRole("link", { name: "Builder", exact: true }).first().click();
		await page.getByText(/Unsaved draft from/).waitFor();
		await page.locator(".react-flow__node").filter({ hasText: "fvSubnet" }).waitFor();
	});

	it("a second tab needs no second sign-in, and signing out ends both", async () => {
		const { refresh } = await web.user("tabs");
		const first = await web.open("/", { as: refresh });
		await first.getByRole("heading", { name: "Overview" }).waitFor();
		const second = await first.context().newPage();
		// The profile's script sets the token in every new page; here it must come from the other tab.
		await second.addInitScript(() => sessionStorage.removeItem("weft.session"));
		await second.goto("/library");
		await second.getByRole("heading", { name: "Library" }).waitFor();
		await second.getByRole("button", { name: "Your account" }).click();
		await second.getByRole("menuitem", { name: "Sign out" }).click();
		await second.getByRole("heading", { name: "Sign in" }).waitFor();
		await first.getByRole("heading", { name: "Sign in" }).waitFor();
	});

	it("a sign-out in another tab is named, and signing in there leads back to the page that was open", async () => {
		const { refresh } = await web.user("tab.leaver");
		const first = await web.open("/library?q=tenant", { as: refresh });
		await first.getByRole("heading", { name: "Library" }).waitFor();
		const second = await first.context().newPage();
		await second.addInitScript(() => sessionStorage.removeItem("weft.session"));
		await second.goto("/runs");
		await second.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
		await second.getByRole("button", { name: "Your account" }).click();
		await second.getByRole("menuitem", { name: "Sign out" }).click();
		await second.getByRole("heading", { name: "Sign in" }).waitFor();
		await first.getByText("You signed out in another tab.").waitFor();
		expect(await second.getByText("in another tab").count()).toBe(0);
		await first.getByLabel("Username").fill("tab.leaver");
		await first.getByLabel("Password", { exact: true }).fill(PASSWORD);
		await first.keyboard.press("Enter");
		await first.getByRole("heading", { level: 1, name: "Library" }).waitFor();
		expect(new URL(first.url()).search).toBe("?q=tenant");
	});

	it("a session that ends for lack of activity in one tab leads both back to their pages", async () => {
		const { refresh } = await web.user("sleeper");
		const first = await web.open("/library", { as: refresh });
		await first.getByRole("heading", { name: "Library" }).waitFor();
		const second = await first.context().newPage();
		await second.addInitScript(() => sessionStorage.removeItem("weft.session"));
		await second.route(/session-timeout/, (route) => route.fulfill({ json: { session_timeout_minutes: 0.2 } }));
		await second.goto("/runs");
		await first.getByText("You were signed out after a period of inactivity.").waitFor();
		await second.getByText("You were signed out after a period of inactivity.").waitFor();
		await second.getByLabel("Username").fill("sleeper");
		await second.getByLabel("Password", { exact: true }).fill(PASSWORD);
		await second.keyboard.press("Enter");
		await second.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
		await first.getByRole("heading", { level: 1, name: "Library" }).waitFor();
	});

	it("a service that is away is said to be, and what was there stays", async () => {
		const page = await web.open("/library");
		await page.getByText(QUERY).first().waitFor();
		await page.route(/\/api\//, (route) => route.abort());
		await page.getByRole("link", { name: "Mine" }).click();
		await page.getByText("Offline").waitFor();
		await page.getByText("Weft is unreachable.").waitFor();
		await page.unroute(/\/api\//);
		await page.getByRole("button", { name: "Try again" }).click();
		await page.getByText("Live", { exact: true }).waitFor();
	});

	it("a page that cannot be fetched leaves the shell, and is fetched once the service is back", async () => {
		const page = await web.open("/");
		await page.getByRole("heading", { name: "Overview" }).waitFor();
		await page.route(/./, (route) => route.abort());
		await page.getByRole("link", { name: "Runs", exact: true }).first().click();
		await page.getByText("Weft is unreachable.").waitFor();
		await page.getByText("Offline").waitFor();
		await page.getByRole("navigation", { name: "Main" }).waitFor();
		await page.unroute(/./);
		await page.getByRole("button", { name: "Try again" }).click();
		await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
		await page.getByText("Live", { exact: true }).waitFor();
	});

	it("a failure of the service tells how to find it in its log", async () => {
		const page = await web.open("/library");
		await page.getByText(QUERY).first().waitFor();
		await page.route(/execution-logs/, (route) =>
			route.fulfill({
				status: 500,
				headers: { "x-request-id": "abc-123" },
				json: { detail: "An unexpected error occurred.", request_id: "abc-123" },
			}),
		);
		await page.getByRole("link", { name: "History", exact: true }).click();
		await page.getByRole("alert").getByText("abc-123").waitFor();
	});

	it("a state that the UI does not know is shown as it is", async () => {
		const page = await web.open("/overview-first");
		await page.route(/pipeline-executions\/\?/, async (route) => {
			const answer = await route.fetch();
			const body = await answer.json();
			body.results[0].status = "quarantined";
			await route.fulfill({ json: body });
		});
		await page.goto("/runs");
		await page.getByText("quarantined").waitFor();
		await page.unrouteAll({ behavior: "wait" });
	});
});
