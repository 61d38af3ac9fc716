/** Periods of the summary of changes: no changes, or nobody looked. */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addConnection } from "../support/canvases.ts";
import { CHANGES, createFeed } from "../support/changes.ts";
import { getChecks } from "../support/checks.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { createEagerDriver } from "../support/runs.ts";

const DAY = 24 * 60 * 60_000;
let t: TestApp;
let lab: RunningController;
let ada: TestUser;
const feed = createFeed(() => t);
beforeAll(async () => {
	const now = (): number => t?.clock.now() ?? Date.parse("2026-01-15T10:00:00Z");
	lab = await startController({ size: "small", now });
	t = await startTestApp({ work: true, deps: { controllers: createEagerDriver({ clock: { now } }) } });
	ada = await t.user("observed-ada", ["Editor"]);
});
afterAll(async () => {
	await t.close();
	await lab.close();
});

it("The summary separates days without a run from days on which a run found the same rows", async () => {
	const checks = getChecks(ada.api, () => t);
	const connection = await addConnection(ada.api, lab, { name: "fab-observed" });
	const query = await checks.query("fvBD", { enable_time_machine: true });
	const since = new Date(Math.floor(t.clock.now() / DAY) * DAY).toISOString();
	const run = async (days: number) => {
		await t.clock.advance(days * DAY);
		await checks.run(query, connection);
	};
	await run(0);
	lab.load({ imdata: [{ fvBD: { attributes: { dn: "uni/tn-t1/BD-new", name: "new" } } }] });
	await run(1);
	await run(1);
	await run(2);
	await feed.settle();

	const readDays = async (user: TestUser, more = "") => {
		const { status, body, text } = await user.api.get(`${CHANGES}summary/?bucket=day&since=${since}${more}`);
		expect(status, text).toBe(200);
		return body.connections.map((one: { series: { added: number; is_observed: boolean }[] }) =>
			one.series.map(({ added, is_observed }) => [added, is_observed]),
		);
	};
	const days = [
		[0, true],
		[1, true],
		[0, true],
		[0, false],
		[0, true],
	];
	expect(await readDays(ada)).toEqual([days]);
	expect(await readDays(ada, `&saved_query=${query}`)).toEqual([days]);
	expect(await readDays(t.admin)).toEqual([days]);
});
