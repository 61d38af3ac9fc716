/** Drift of a query: in the list of its snapshots, in a comparison, and the rules that decide. */
import { backgroundRunRoutes, savedQueryRoutes, timeMachineRoutes } from "@weft/contracts";
import { expect, it, onTestFinished } from "vitest";
import { describeInBrowser } from "./browser.ts";

describeInBrowser("drift", (web) => {
	it("is in the list of snapshots with its counts and its severity", async () => {
		const page = await web.open(`/time-machine/${web.queryId}`);
		await page
			.getByText(/\d+ added, \d+ deleted, \d+ modified, \d+ ignored: warning/)
			.first()
			.waitFor();
		await page.getByText("none", { exact: true }).waitFor();
	});

	it("has rules that are saved with the query, and a wrong one is named by its line", async () => {
		const page = await web.open(`/builder/${web.queryId}`);
		await page.getByRole("button", { name: "More about this query" }).click();
		await page.getByRole("menuitem", { name: "Name and settings" }).click();
		const dialog = page.getByRole("dialog", { name: "Save the query" });
		await dialog.getByText("What counts as drift").click();
		await dialog.getByLabel("Ignored classes").fill("fvSubnet");
		await dialog.getByLabel("Severity").fill("fvBD = critical");
		await dialog.getByLabel("Ignored DNs").fill("^uni/tn-none\n(unclosed");
		await dialog.getByRole("button", { name: "Save", exact: true }).click();
		await dialog.getByText(/Line 2: Not a valid regular expression/).waitFor();
		await dialog.getByLabel("Ignored DNs").fill("^uni/tn-none");
		await dialog.getByRole("button", { name: "Save", exact: true }).click();
		await dialog.waitFor({ state: "detached" });
		const { drift_rules, version_string } = await web.client().call(savedQueryRoutes.detail, {
			params: { id: web.queryId },
		});
		expect(drift_rules).toEqual({
			ignore: [],
			ignore_volatile: true,
			ignore_classes: ["fvSubnet"],
			ignore_dns: ["^uni/tn-none"],
			severity: { fvBD: "critical" },
			treat_as_set: [],
		});
		expect(version_string).toBe("v1.0");
	});

	it("limits a comparison to what the rules leave, and the address says so", async () => {
		const [from, , to] = web.snapshotIds;
		const page = await web.open(`/time-machine/compare?from=${from}&to=${to}&query=${web.queryId}`);
		await page.getByRole("button", { name: "Hide ignored changes" }).click();
		await page.waitForURL(/rules=query/);
		await page.getByRole("button", { name: /^Hide ignored changes \(\d+\)$/, pressed: true }).waitFor();
		expect(await page.getByText(/^fvSubnet/).count()).toBe(0);
	});

	it("is shown with who changed each object, as found after the run", async () => {
		const [from, , to] = web.snapshotIds;
		const page = await web.open(`/time-machine/compare?from=${from}&to=${to}&query=${web.queryId}`);
		await page
			.getByText(/(admin|operator|automation) (created|modified|deleted) it, /)
			.first()
			.waitFor();
		expect(await page.getByRole("button", { name: "Look up who changed it" }).count()).toBe(0);
	});

	it("offers to ask the controller where it refused to answer after the run", async () => {
		const client = web.client();
		const { id } = await client.call(savedQueryRoutes.create, {
			body: { name: "Who changed it", flow_data: DOMAINS, enable_time_machine: true },
		});
		onTestFinished(async () => {
			await web.lab.faults({ error: false, clock_skew: false });
			await client.call(savedQueryRoutes.remove, { params: { id } });
		});
		const run = async (count: number): Promise<string> => {
			const body = { controller_connection_id: web.connectionId };
			await client.call(backgroundRunRoutes.start, { params: { id }, body });
			return await pollUntil(async () => {
				const { snapshots } = await client.call(timeMachineRoutes.list, { query: { saved_query_id: id } });
				return snapshots.length === count ? snapshots[0]?.id : undefined;
			});
		};
		const from = await run(1);
		// The controller counts since its start, with the errors of other tests.
		const refusedBefore = await countRefused(web.lab.url);
		await web.lab.faults({ error: { match: "aaaModLR" }, clock_skew: { ms: 90_000 } });
		await createDomain(web.lab);
		const to = await run(2);
		await pollUntil(async () => (await countRefused(web.lab.url)) > refusedBefore);
		await web.lab.faults({ error: false });
		const page = await web.open(`/time-machine/compare?from=${from}&to=${to}&query=${id}`);
		const ask = page.getByRole("button", { name: "Look up who changed it" });
		await ask.click();
		await page.waitForURL(/attribution=1/);
		await page.getByText(/admin created it, /).waitFor();
		await page.getByText(/The controller's clock is 1 min \d+ s ahead/).waitFor();
		expect(await ask.count()).toBe(0);
	});
});

const DOMAINS = {
	nodes: [
		{ id: "bd", type: "classNode", position: { x: 0, y: 0 }, data: { className: "fvBD" } },
		{ id: "out", type: "outputNode", position: { x: 200, y: 0 }, data: {} },
	],
	edges: [{ id: "e", source: "bd", target: "out" }],
};

async function pollUntil<T>(find: () => Promise<T | undefined | false>): Promise<T> {
	for (;;) {
		const found = await find();
		if (found !== undefined && found !== false) return found;
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
}

async function countRefused(url: string | undefined): Promise<number> {
	const stats = (await (await fetch(`${url}/_lab/stats`)).json()) as { faults: Record<string, number> };
	return stats.faults.error ?? 0;
}

/** As the fabric's administrator. */
async function createDomain(lab: { url?: string; username?: string; password?: string }): Promise<void> {
	const post = (path: string, body: object, cookie = "") =>
		fetch(`${lab.url}/api/${path}.json`, { method: "POST", headers: { cookie }, body: JSON.stringify(body) });
	const login = await post("aaaLogin", { aaaUser: { attributes: { name: lab.username, pwd: lab.password } } });
	const domain = { fvBD: { attributes: { name: "changed-by" } } };
	await post("mo/uni/tn-common", domain, login.headers.get("set-cookie")?.split(";")[0]);
}
