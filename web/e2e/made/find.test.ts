/** An object is found by keys from anywhere, on a service that starts empty. */
import { expect, it } from "vitest";
import { describeOnEmptyService, makeConnection, makeQuery } from "./empty-service.ts";

describeOnEmptyService("finding objects on an empty service", (service) => {
	it("an object of a snapshot is found by MAC address and by name, and Enter opens its page", async () => {
		const page = service.page();
		await makeConnection(page, "fab-a", service.world());
		await makeQuery(page, "All domains", "fvBD");
		await page.getByRole("button", { name: "Run on fab-a" }).click();
		await page.getByRole("region", { name: "Results" }).getByText("Succeeded").waitFor();
		// The index follows the snapshot a moment later.
		await page.goto("/find?q=bd-003");
		const found = page.getByRole("region", { name: "Objects in snapshots" });
		await expect
			.poll(
				async () => {
					await page.reload();
					await page
						.getByText(/^(No snapshot has such|Matched)/)
						.first()
						.waitFor();
					return found.count();
				},
				{ timeout: 12_000 },
			)
			.toBe(1);
		for (const text of ["0022.bdf8.19ff", "bd-003"]) {
			await page.goto("/library");
			await page.getByRole("link", { name: "All domains" }).first().waitFor();
			await page.keyboard.press("Control+k");
			const palette = page.getByRole("dialog", { name: "Search or run a command" });
			await palette.waitFor();
			await page.keyboard.type(text);
			await palette
				.getByRole("option", { name: /BD-.*fvBD · fab-a/ })
				.first()
				.waitFor();
			await page.keyboard.press("Enter");
			await page.waitForURL(/\/objects\?/);
			await page.getByText("Configuration").first().waitFor();
			await page.getByRole("region", { name: "Changes" }).or(page.getByText("It did not change")).first().waitFor();
		}
		await page.getByRole("heading", { level: 1, name: "bd-003" }).waitFor();
		await page.getByRole("button", { name: "Read from the controller" }).click();
		await page.getByText("Read from fab-a").waitFor();
	});

	it("the fabrics are asked from the palette, and each one's answer is shown", async () => {
		const page = service.page();
		await page.keyboard.press("Control+k");
		await page.getByRole("dialog", { name: "Search or run a command" }).waitFor();
		await page.keyboard.type("bd-003");
		await page.getByRole("option", { name: "Ask the fabrics now" }).click();
		await page.getByRole("list", { name: "Answers of the fabrics" }).getByText("Succeeded").waitFor();
		await page.getByRole("region", { name: "Objects on the fabrics" }).getByText("bd-003").first().waitFor();
	});
});
