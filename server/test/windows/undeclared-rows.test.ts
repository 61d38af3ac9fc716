/** Rows of a request that declare nothing: the request warns, and the window names them. */
import { describe, expect, it } from "vitest";
import { getRequestPath, JOB_TENANT, useWindowJobs } from "../support/window-jobs.ts";
import { WINDOWS } from "../support/windows.ts";

const jobs = useWindowJobs();

interface Warning {
	readonly code: string;
	readonly message: string;
}

/** Executes a request with these rows. Returns its warnings about rows, and what its window has. */
async function executeRows(names: readonly string[]) {
	const made = await jobs.request({ input_data: names.map((name) => ({ name })) });
	const { change_window } = await jobs.execute(made);
	const { warnings } = await jobs.read(getRequestPath(made));
	const { expectations } = await jobs.read(`${WINDOWS}${change_window}/expectations/`);
	const { results } = await jobs.read(`${WINDOWS}${change_window}/events/`);
	await jobs.rig.over(made);
	return {
		warnings: warnings.filter(({ code }: Warning) => code === "rows_not_declared"),
		dns: expectations.map(({ dn }: { dn: string }) => dn),
		declared: results.find(({ event }: { event: string }) => event === "expect").detail,
	};
}

describe("the rows of a request in a change window", () => {
	it("are named in a warning of the request and in the window if they declare nothing", async () => {
		const { warnings, dns, declared } = await executeRows(["good", "all*", "a/b"]);
		expect(dns).toEqual([`${JOB_TENANT}/BD-good`]);
		const reasons = ["Row 2: The value of name has a *", "Row 3: The values do not fit"];
		expect(warnings).toEqual([
			{ code: "rows_not_declared", message: expect.stringMatching(/^2 of the changes .* were not understood\. /) },
		]);
		for (const reason of reasons) {
			expect(warnings[0].message).toContain(reason);
			expect(declared).toContain(reason);
		}
	});

	it("are counted whole, and five of them are named", async () => {
		const { warnings, dns } = await executeRows(Array.from({ length: 7 }, (_, i) => `bad${i}*`));
		expect(dns).toEqual([]);
		expect(warnings[0].message).toMatch(/^7 of the changes/);
		expect(warnings[0].message.match(/Row \d/g)).toEqual(["Row 1", "Row 2", "Row 3", "Row 4", "Row 5"]);
	});

	it("are not named where each of them declares a change", async () => {
		const { warnings, dns, declared } = await executeRows(["one", "two"]);
		expect([warnings, dns]).toEqual([[], [`${JOB_TENANT}/BD-one`, `${JOB_TENANT}/BD-two`]]);
		expect(declared).toMatch(/^2 changes of the rows of "Request \d+"$/);
	});
});
