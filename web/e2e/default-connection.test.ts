/**
 * The default of a user who chose none, on a service of its own: a public connection of another
 * user is never taken, one of an administrator is.
 */
import { authRoutes, automationConnectionRoutes, connectionRoutes, groupRoutes, userRoutes } from "@weft/contracts";
import { createClient, type WeftClient } from "@weft/sdk";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { deleteAfterTest, ignoreMissing } from "./clean-up.ts";
import { PASSWORD, startWorld, USERNAME, type World } from "./world.ts";

const STRANGERS = "a-strangers-fabric";
const TEAMS = "the-teams-fabric";
const ADVICE = /No default fabric\. Choose one in the sidebar/;

describeInBrowser("the default of a user who chose none", (web) => {
	let world: World;
	let admin: WeftClient;
	beforeAll(async () => {
		world = await startWorld();
		admin = createClient({ baseUrl: world.url });
		await admin.signIn(USERNAME, PASSWORD);
	});
	afterAll(() => world.close());

	async function addUser(username: string): Promise<{ client: WeftClient; open(path: string): Promise<Page> }> {
		const { results } = await admin.call(groupRoutes.list, { query: {} });
		const group_ids = results.filter(({ name }) => ["Editor", "Operator"].includes(name)).map(({ id }) => id);
		const { id } = await admin.call(userRoutes.create, { body: { username, password: PASSWORD, group_ids } });
		onTestFinished(() => ignoreMissing(admin.call(userRoutes.remove, { params: { id } })));
		const client = createClient({ baseUrl: world.url });
		const answer = await client.signIn(username, PASSWORD);
		const as = "refresh" in answer ? answer.refresh : "";
		return { client, open: (path) => web.open(new URL(path, world.url).href, { as }) };
	}
	async function addConnection(page: Page, name: string): Promise<void> {
		const dialog = page.getByRole("dialog");
		await dialog.getByLabel("Name", { exact: true }).fill(name);
		await dialog.getByLabel("For", { exact: true }).selectOption("The whole team");
		await dialog.getByLabel("Address", { exact: true }).fill(world.lab.url);
		await dialog.getByLabel("User", { exact: true }).fill(world.lab.username);
		await dialog.getByLabel("Password", { exact: true }).fill(world.lab.password);
		await page.getByRole("button", { name: "Save and test" }).click();
		await dialog.getByText(/Signed in to the controller, version/).waitFor();
		await page.getByRole("button", { name: "Done" }).click();
	}
	const getTarget = (page: Page) => page.getByRole("button", { name: "Choose the default fabric" });

	it("nothing is preselected beside another user's public connection, and an explicit choice of it holds", async () => {
		const [pavel, petra] = [await addUser("pavel.shares"), await addUser("petra.chooses")];
		const sharing = await pavel.open("/settings/connections?edit=new");
		await addConnection(sharing, STRANGERS);
		await getTarget(sharing).getByText(STRANGERS).waitFor();

		const page = await petra.open("/builder?class=fvTenant");
		await page.getByText("GET /api/class/fvTenant.json").waitFor();
		await getTarget(page).getByText("1 fabric").waitFor();
		await getTarget(page).getByText("Choose a fabric", { exact: true }).waitFor();
		await page.getByRole("button", { name: "Run", exact: true }).click();
		await page.getByText(ADVICE).waitFor();
		const readChoice = async () => (await petra.client.call(authRoutes.preferences)).default_controller_connection_id;
		expect(await readChoice()).toBeNull();

		await getTarget(page).click();
		await page.getByRole("menuitemradio", { name: STRANGERS, checked: false }).click();
		await page.getByRole("button", { name: `Run on ${STRANGERS}` }).click();
		await page.getByRole("region", { name: "Results" }).getByText(`on ${STRANGERS}`).waitFor();
		const { results } = await petra.client.call(connectionRoutes.list, { query: {} });
		expect(await readChoice()).toBe(results[0]?.id);
	});

	it("the administrator's public connection is preselected, although another user's is older", async () => {
		const [paula, { open }] = [await addUser("paula.shares"), await addUser("quinn.waits")];
		const { url, username, password } = world.lab;
		await paula.client.call(connectionRoutes.create, {
			body: { name: STRANGERS, url, username, password, is_public: true },
		});
		deleteAfterTest(admin, connectionRoutes, TEAMS);
		const page = await open("/builder?class=fvTenant");
		await page.getByText("GET /api/class/fvTenant.json").waitFor();
		await getTarget(page).getByText("Choose a fabric", { exact: true }).waitFor();
		const answer = await admin.signIn(USERNAME, PASSWORD);
		const as = "refresh" in answer ? answer.refresh : "";
		const team = await web.open(new URL("/settings/connections?edit=new", world.url).href, { as });
		await addConnection(team, TEAMS);
		await page.reload();
		await page.getByRole("button", { name: `Run on ${TEAMS}` }).click();
		await page.getByRole("region", { name: "Results" }).getByText(`on ${TEAMS}`).waitFor();
	});

	it("another user's public default server is not preselected", async () => {
		const [owner, reader] = [await addUser("rosa.serves"), await addUser("ralf.reads")];
		const { url: base_url, token: oauth_token } = world.automation;
		deleteAfterTest(admin, automationConnectionRoutes, "Server of Rosa");
		await owner.client.call(automationConnectionRoutes.create, {
			body: { name: "Server of Rosa", base_url, oauth_token, is_public: true, is_default: true },
		});
		const own = await owner.open("/automation/templates");
		await own.getByRole("button", { name: "New template" }).first().click();
		const getChosen = (page: Page) =>
			page.getByRole("dialog").getByLabel("Automation server").locator("option:checked").innerText();
		await expect.poll(() => getChosen(own)).toBe("Server of Rosa");

		const page = await reader.open("/automation/templates");
		await page.getByRole("button", { name: "New template" }).first().click();
		await expect.poll(() => getChosen(page)).toBe("Choose a server");
		await page.getByText("None of them is yours, or shared by an administrator.").waitFor();
		await page.getByRole("dialog").getByLabel("Automation server").selectOption({ label: "Server of Rosa" });
		await page.getByRole("dialog").getByLabel("Template of the server").selectOption({ label: "Survey" });
		await page.getByRole("button", { name: "Import the survey" }).click();
		await page.getByRole("heading", { level: 1, name: "Survey" }).waitFor();
	});
});
