/** Two snapshots are compared in the order of time, whichever way round a person chooses them. */
import { authRoutes, connectionRoutes, savedQueryRoutes } from "@weft/contracts";
import { type RunningController, startController } from "@weft/lab";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInBrowser } from "./browser.ts";
import { writeTenant } from "./made/write-tenant.ts";

/** `arpFlood` and `descr` of the bridge domain in each snapshot, the oldest first. */
const STATES = [
	["no", "first"],
	["yes", "second"],
	["yes", "third"],
] as const;

const writeDomain = (lab: RunningController, arpFlood: string, descr: string): Promise<void> =>
	writeTenant(lab, { name: "Order" }, [{ fvBD: { attributes: { name: "watched", arpFlood, descr } } }]);

const getRadio = (page: Page, end: "from" | "to", row: number) =>
	page.getByRole("radio", { name: new RegExp(`^Compare ${end} `) }).nth(row);
const getDifferences = (page: Page) => page.getByRole("region", { name: "Differences" });
/** The heads, and the values of the description with their signs. */
async function readDirection(page: Page): Promise<string[]> {
	const heads = getDifferences(page).getByText(/^(Earlier|Later|order-[ab]), /);
	await heads.first().waitFor();
	const line = getDifferences(page)
		.locator("[data-index]")
		.filter({ has: page.getByTitle("descr", { exact: true }) });
	const words = (await heads.allTextContents()).map((text) => text.split(",")[0] ?? "");
	return [...words, ((await line.first().textContent()) ?? "").replace("descr", "")];
}

describeInBrowser("the order of two snapshots", (web) => {
	it("follows time by click, by key and by address, and a swap says that it is one", async () => {
		const labs = [await startController({ seed: 11 }), await startController({ seed: 11 })] as const;
		const { client, refresh } = await web.user("order.keeper", ["Editor"]);
		const ids: string[] = [];
		try {
			for (const [index, lab] of labs.entries()) {
				const body = { name: `order-${"ab"[index]}`, url: lab.url, username: lab.username, password: lab.password };
				ids.push((await client.call(connectionRoutes.create, { body })).id);
			}
			const { id: query } = await client.call(savedQueryRoutes.create, {
				body: {
					name: "Watched domains",
					enable_time_machine: true,
					flow_data: { nodes: [{ id: "a", type: "classNode", data: { className: "fvBD" } }], edges: [] },
				},
			});
			const page = await web.open(`/time-machine/${query}`, { as: refresh });
			const capture = async (lab: number, [arpFlood, descr]: readonly [string, string], count: number) => {
				await writeDomain(labs[lab] ?? labs[0], arpFlood, descr);
				const body = { default_controller_connection_id: ids[lab] ?? null };
				await client.call(authRoutes.updatePreferences, { body });
				await page.reload();
				await page.getByRole("button", { name: `Capture on order-${"ab"[lab]}` }).click();
				await expect
					.poll(async () => {
						await page.reload();
						await page.getByRole("button", { name: /^Capture on/ }).waitFor();
						return page.getByRole("radio", { name: /^Compare from / }).count();
					})
					.toBe(count);
			};
			for (const [index, state] of STATES.entries()) await capture(0, state, index + 1);

			// Rows are newest first: row 2 has the first state.
			const expected = (rows: readonly [number, number]) => {
				const [older, newer] = [...rows].sort((a, b) => b - a).map((row) => STATES[2 - row]?.[1]);
				return ["Earlier", "Later", `−${older}+${newer}`];
			};
			const pairs = [0, 1, 2].flatMap((a) => [0, 1, 2].filter((b) => b !== a).map((b) => [a, b] as const));
			for (const [from, to] of pairs) {
				for (const order of [
					["from", "to"],
					["to", "from"],
				] as const) {
					await page.goto(`/time-machine/${query}`);
					for (const end of order) await getRadio(page, end, end === "from" ? from : to).click();
					await expect.poll(() => getRadio(page, "from", Math.max(from, to)).isChecked()).toBe(true);
					await expect.poll(() => getRadio(page, "to", Math.min(from, to)).isChecked()).toBe(true);
					await page.getByRole("link", { name: /^Compare \d/ }).click();
					expect([from, to, order, await readDirection(page)]).toEqual([from, to, order, expected([from, to])]);
				}
			}
			// The change as it happened, in every column.
			const flood = getDifferences(page)
				.locator("[data-index]")
				.filter({ has: page.getByTitle("arpFlood", { exact: true }) });
			await page.goto(`/time-machine/${query}`);
			await getRadio(page, "to", 2).focus();
			await page.keyboard.press("Space");
			await getRadio(page, "from", 0).focus();
			await page.keyboard.press("Space");
			await page.getByRole("link", { name: /^Compare \d/ }).press("Enter");
			expect(await readDirection(page)).toEqual(expected([0, 2]));
			expect(await flood.first().textContent()).toBe("arpFlood−no+yes");

			// One choice leaves the other end where it is.
			await page.goto(`/time-machine/${query}`);
			await getRadio(page, "from", 2).click();
			await expect.poll(() => getRadio(page, "from", 2).isChecked()).toBe(true);
			expect(await getRadio(page, "to", 0).isChecked()).toBe(true);

			// An address that is the wrong way round, of the history and of the comparison.
			const { searchParams } = new URL(page.url());
			const [older, newer] = [searchParams.get("from"), searchParams.get("to")];
			await page.goto(`/time-machine/${query}?from=${newer}&to=${older}`);
			await expect.poll(() => getRadio(page, "from", 2).isChecked()).toBe(true);
			expect(await getRadio(page, "to", 0).isChecked()).toBe(true);
			await page.goto(`/time-machine/compare?from=${newer}&to=${older}&query=${query}`);
			expect(await readDirection(page)).toEqual(expected([0, 2]));

			// A rollback is shown on demand, and says that it is one.
			await page.getByRole("link", { name: "Swap sides" }).click();
			await page.getByText("Shown backwards: from the later snapshot to the earlier one.").waitFor();
			await expect.poll(() => readDirection(page)).toEqual(["Later", "Earlier", "−third+first"]);

			// Of two fabrics the heads are the fabrics, the older snapshot first.
			await page.goto(`/time-machine/${query}`);
			await capture(1, ["no", "fourth"], STATES.length + 1);
			await getRadio(page, "from", 0).click();
			await getRadio(page, "to", 1).click();
			await page.getByRole("link", { name: "Compare order-a with order-b" }).click();
			await page.getByText("This compares two fabrics").waitFor();
			expect(await readDirection(page)).toEqual(["order-a", "order-b", "−third+fourth"]);
			await page.getByRole("link", { name: "Swap sides" }).click();
			await expect.poll(() => readDirection(page)).toEqual(["order-b", "order-a", "−fourth+third"]);
		} finally {
			for (const id of ids) await client.call(connectionRoutes.remove, { params: { id } });
			for (const lab of labs) await lab.close();
		}
	});
});
