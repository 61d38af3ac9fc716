/** Several controllers: which one a run goes to, and whose snapshots are compared. */
import { authRoutes, connectionRoutes, savedQueryRoutes, timeMachineRoutes } from "@weft/contracts";
import type { WeftClient } from "@weft/sdk";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { CONNECTION } from "./seed.ts";

const LAB = "a-lab";

describeInBrowser("several controllers", (web) => {
	const connect = async (client: WeftClient, name: string): Promise<string> => {
		const { url, username, password } = web.lab;
		return (await client.call(connectionRoutes.create, { body: { name, url, username, password } })).id;
	};

	it("a new connection does not change where runs go, in any browser", async () => {
		const { client, refresh } = await web.user("two-fabrics");
		await client.call(authRoutes.updatePreferences, { body: { default_controller_connection_id: null } });
		const lab = await connect(client, LAB);
		const page = await web.open("/builder?class=fvTenant", { as: refresh });
		await page.getByText("GET /api/class/fvTenant.json").waitFor();
		await page.getByRole("button", { name: `Run on ${CONNECTION}` }).click();
		await page.getByRole("region", { name: "Results" }).getByText(`on ${CONNECTION}`).waitFor();
		// The first use makes it the default.
		const chosen = async () => (await client.call(authRoutes.preferences)).default_controller_connection_id;
		await expect.poll(chosen).toBe(web.connectionId);
		await page.getByRole("button", { name: "Choose the default fabric" }).click();
		await page.getByRole("menuitemradio", { name: CONNECTION, checked: true }).waitFor();
		await page.keyboard.press("Escape");
		await page.getByRole("button", { name: "Choose the fabric", exact: true }).click();
		await page.getByRole("menuitemradio", { name: LAB }).click();
		await page.getByRole("button", { name: `Run on ${LAB}` }).waitFor();
		await expect.poll(chosen).toBe(lab);
		const other = await web.open("/builder?class=fvTenant", { as: refresh });
		await other.getByRole("button", { name: `Run on ${LAB}` }).waitFor();
		await client.call(connectionRoutes.remove, { params: { id: lab } });
		await other.reload();
		await other.getByRole("navigation", { name: "Main" }).getByText("Choose a fabric").waitFor();
		await other.getByText("GET /api/class/fvTenant.json").waitFor();
		await other.getByRole("button", { name: "Run", exact: true }).click();
		await other.getByText(/No default fabric/).waitFor();
	});

	it("snapshots of one are compared and followed by themselves", async () => {
		const { client, refresh } = await web.user("two-histories");
		const lab = await connect(client, LAB);
		const query = await client.call(savedQueryRoutes.create, {
			body: { name: "Tenants of both", flow_data: { nodes: [], edges: [] }, enable_time_machine: true },
		});
		const capture = async (connection: string, name: string, tenants: string[]): Promise<string> => {
			const kept = await client.call(timeMachineRoutes.capture, {
				body: {
					saved_query_id: query.id,
					controller_connection_id: connection,
					controller_connection_name: name,
					result_data: { imdata: tenants.map((tenant) => ({ fvTenant: { attributes: { dn: `uni/tn-${tenant}` } } })) },
				},
			});
			if (!("snapshot_id" in kept)) throw new Error(JSON.stringify(kept));
			return kept.snapshot_id;
		};
		const first = await capture(web.connectionId, CONNECTION, ["one"]);
		const other = await capture(lab, LAB, ["lab"]);
		const last = await capture(web.connectionId, CONNECTION, ["one", "two"]);
		const page = await web.open(`/time-machine/${query.id}?dn=uni/tn-one`, { as: refresh });
		const list = page.getByRole("region", { name: "Snapshots", exact: true });
		await list.getByRole("columnheader", { name: "Fabric" }).waitFor();
		await list.getByRole("row", { name: new RegExp(LAB) }).waitFor();
		const compare = page.getByRole("link", { name: /^Compare \d/ });
		const pair = async () => {
			const { searchParams } = new URL((await compare.getAttribute("href")) ?? "", page.url());
			return [searchParams.get("from"), searchParams.get("to")];
		};
		await expect.poll(() => pair()).toEqual([first, last]);
		// On the other controller the object never was: that is no change.
		await page.getByRole("img", { name: "Present: 0 changes, now present" }).waitFor();
		await page.getByLabel("Fabric", { exact: true }).selectOption({ label: LAB });
		await page.waitForURL(/controller=/);
		await list
			.getByRole("row", { name: new RegExp(CONNECTION) })
			.first()
			.waitFor({ state: "detached" });
		await page.getByRole("button", { name: `Capture on ${LAB}` }).waitFor();
		await page.getByRole("gridcell", { name: /: 1 snapshot/ }).waitFor();
		await page.getByLabel("Fabric", { exact: true }).selectOption("");
		await list
			.getByRole("radio", { name: /Compare from/ })
			.nth(1)
			.check();
		await list
			.getByRole("radio", { name: /Compare to/ })
			.first()
			.check();
		await page.getByRole("link", { name: `Compare ${LAB} with ${CONNECTION}` }).click();
		await page.getByText(`This compares two fabrics: ${LAB} and ${CONNECTION}.`).waitFor();
		expect(new URL(page.url()).searchParams.get("from")).toBe(other);
	});
});
