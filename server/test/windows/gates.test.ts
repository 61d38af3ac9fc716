/** The gate of a change window: two rounds that must be alike, and freezes that begin meanwhile. */
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { buildClassNode, connectNodes, output } from "../support/canvases.ts";
import { CHECKS } from "../support/checks.ts";
import { waitUntilAfter } from "../support/harness.ts";
import { addQuery } from "../support/tasks.ts";
import { useWindows, WINDOWS } from "../support/windows.ts";

const windows = useWindows();
const { window, move, reach, judge, read, writeDomain } = windows;

const QUIET = { before: "block", fail_on: "warning", quiet_baseline: true };
const HOUR_MS = 3_600_000;
let endpoints: string;
let serial = 0;

/** Adds endpoints of one group. */
const addEndpoints = (count: number) => {
	const objects = [...Array(count).keys()].map(() => {
		const mac = `00:00:00:00:${String(Math.floor(++serial / 100)).padStart(2, "0")}:${String(serial % 100).padStart(2, "0")}`;
		return { fvCEp: { attributes: { dn: `uni/tn-window-test/ap-a/epg-web/cep-${mac}`, mac } } };
	});
	windows.setObjects(...objects);
};

/** Starts a window of the items, and makes a change between its two rounds before the work. */
async function startQuiet(items: object[], change: () => unknown): Promise<{ id: string; state: string }> {
	const { id } = await window({}, { items, gate: QUIET });
	expect((await move(id, "start")).status).toBe(200);
	await waitUntilAfter(windows.t.clock, 1_000, "the first round has ended", async () => {
		const { results } = (await windows.ada.api.get(`${WINDOWS}${id}/events/`)).body;
		return results.some(({ detail }: { detail: string }) => detail === "A second round before the work follows.");
	});
	await change();
	return waitUntilAfter(windows.t.clock, 1_000, "the gate has decided", async () => {
		const found = await read(id);
		return found.state === "checking_before" ? null : found;
	});
}

beforeAll(async () => {
	endpoints = await addQuery(windows.ada.api, {
		flow_data: connectNodes(buildClassNode("fvCEp"), output),
		enable_time_machine: true,
	});
	addEndpoints(100);
});
afterEach(() => windows.lab.clearFaults());

describe("a gate that needs two rounds alike", () => {
	it("opens where nothing has changed", async () => {
		expect(await startQuiet([{ query: windows.query }], () => {})).toMatchObject({
			state: "open",
			gate: { passed: true, reasons: [] },
			phases: { before: { round: 2 } },
		});
	});

	it("blocks where an object has changed", async () => {
		const blocked = await startQuiet([{ query: windows.query }], () => writeDomain("restless"));
		expect(blocked).toMatchObject({
			state: "blocked",
			gate: {
				reasons: [{ kind: "not_quiet", item: 0, detail: "1 difference between the two rounds before the work." }],
			},
		});
	});

	it("blocks where a check gives another result", async () => {
		const check = await windows.ada.api.post(CHECKS, {
			name: "No bridge domain is named late",
			saved_query: windows.query,
			type: "each_row",
			config: { conditions: [{ field: "name", operator: "ne", value: "late" }] },
			severity: "info",
		});
		expect(check.status, check.text).toBe(201);
		const blocked = await startQuiet([{ check: check.body.id, when: ["before", "after"] }], () => writeDomain("late"));
		expect(blocked).toMatchObject({
			state: "blocked",
			gate: { reasons: [{ kind: "not_quiet", detail: expect.stringContaining("two results") }] },
		});
	});

	it("blocks where the first round has no result to compare", async () => {
		windows.lab.setFaults({ access_denied: { match: "fvBD" } });
		const blocked = await startQuiet([{ query: windows.query }], () => windows.lab.clearFaults());
		expect(blocked).toMatchObject({
			state: "blocked",
			gate: { reasons: [{ kind: "not_quiet", detail: expect.stringContaining("could not be compared") }] },
		});
	});

	it.each([
		["opens where an item changes within its tolerance", 3, "open"],
		["blocks where an item exceeds its tolerance", 30, "blocked"],
	])("%s", async (_title, added, state) => {
		const items = [{ query: endpoints, compare: "tolerance", tolerance: { count: { max_gain_percent: 5 } } }];
		expect(await startQuiet(items, () => addEndpoints(added))).toMatchObject({ state });
	});

	it("opens where only an item that is never judged changes", async () => {
		const opened = await startQuiet([{ query: endpoints, compare: "record" }], () => addEndpoints(1));
		expect(opened).toMatchObject({ state: "open", gate: { reasons: [] } });
	});
});

describe("an item with a tolerance", () => {
	it("settles while it changes within it, and passes", async () => {
		const items = [{ query: endpoints, compare: "tolerance", tolerance: { count: { max_gain_percent: 20 } } }];
		const { id } = await window({}, { items });
		await windows.open(id);
		const judged = await windows.stepRounds(id, () => addEndpoints(1));
		expect(judged).toMatchObject({ verdict: "passed", connections: [{ items: [{ settled: true }] }] });
	});
});

describe("a freeze", () => {
	const addFreeze = async () => {
		const now = windows.t.clock.now();
		const made = await windows.kim.api.post("/api/calendar/entries/", {
			kind: "freeze",
			title: "End of the quarter",
			controller_connection_ids: [windows.connection],
			starts_at: new Date(now - 1_000).toISOString(),
			ends_at: new Date(now + HOUR_MS).toISOString(),
			time_zone: "UTC",
		});
		expect(made.status, made.text).toBe(201);
		return () => windows.kim.api.del(`/api/calendar/entries/${made.body.id}/`);
	};

	it("blocks a window whose round before the work it begins in, until it is over", async () => {
		const { id } = await window({}, { gate: QUIET });
		await move(id, "start");
		await windows.t.clock.advance(2_000);
		const remove = await addFreeze();
		const blocked = await reach(id, "blocked");
		expect(blocked.gate).toMatchObject({
			passed: false,
			reasons: [{ kind: "freeze", detail: 'The freeze "End of the quarter" is active.' }],
		});
		await remove();
		expect((await move(id, "retry")).status).toBe(200);
		await reach(id, "open");
	});

	it("refuses a start by hand, except one with a reason by a person who may override it", async () => {
		const remove = await addFreeze();
		const { id } = await window();
		const override = { override_freeze: { reason: "The rack burns" } };
		expect((await move(id, "start")).status).toBe(409);
		expect((await move(id, "start", override)).status).toBe(403);
		expect((await move(id, "start", { override_freeze: {} }, windows.kim.api)).status).toBe(400);
		expect((await move(id, "start", override, windows.kim.api)).status).toBe(200);
		expect(await reach(id, "open")).toMatchObject({ gate: { passed: true, reasons: [] } });
		const { results } = (await windows.ada.api.get(`${WINDOWS}${id}/events/`)).body;
		expect(results.find(({ event }: { event: string }) => event === "start")).toMatchObject({
			user: "kim",
			detail: 'During the freeze "End of the quarter": The rack burns',
		});
		await remove();
		expect(await judge(id)).toMatchObject({ verdict: "passed" });
	});
});
