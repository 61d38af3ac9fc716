/** An automation server that answers with fewer events than it is asked for. */
import { expect, it } from "vitest";
import { EXECUTIONS, startRig } from "../support/automation.ts";

/** A page of large events, of which more would be too large an answer. */
const SHORT_PAGE = 2;

it("reads the output of a job to its end where pages of its events are short", async () => {
	const pages: number[] = [];
	const rig = await startRig({
		changeDriver: (driver) => ({
			async events(...request) {
				const page = (await driver.events(...request)).slice(0, SHORT_PAGE);
				pages.push(page.length);
				return page;
			},
		}),
	});
	// Most events are stored after the end of the job.
	await rig.lab.control("behaviour", { store_ms: 1_000, batch_ms: 500 });
	const rows = Array.from({ length: 3 }, (_, index) => ({ name: `row-${index}` }));
	const request = await rig.request(await rig.template(), { input_data: rows });
	const { id } = await rig.execute(request);
	await rig.over(request);
	expect(pages.filter((length) => length === SHORT_PAGE).length).toBeGreaterThan(1);
	expect(await rig.execution(id)).toMatchObject({ output_complete: true, lost_events: 0 });
	expect((await rig.alice.api.get(`${EXECUTIONS}${id}/download-output/`)).text).toContain("PLAY RECAP");
	await rig.close();
});
