/** Rounds after the work: a fabric that settles is judged, another one is inconclusive. */
import { beforeAll, describe, expect, it } from "vitest";
import { buildClassNode, connectNodes, output, RUNS } from "../support/canvases.ts";
import { addQuery } from "../support/tasks.ts";
import { useWindows, WINDOWS } from "../support/windows.ts";

const windows = useWindows();
const { window, open, judge, stepRounds, listFindings, setObjects, writeDomain, read } = windows;

const PORT = "topology/pod-1/node-101/sys/phys-[eth1/40]/phys";
const setPort = (operSt: string) => setObjects({ ethpmPhysIf: { attributes: { dn: PORT, operSt } } });
const setFault = (lc: string) =>
	setObjects({ faultInst: { attributes: { dn: `${PORT}/fault-F0532`, code: "F0532", severity: "warning", lc } } });
const SETTLE = { delay_s: 5, interval_s: 10, stable_rounds: 2, timeout_s: 120 };

let ports: string;
let faults: string;
beforeAll(async () => {
	const add = (className: string) =>
		addQuery(windows.ada.api, {
			flow_data: connectNodes(buildClassNode(className), output),
			enable_time_machine: true,
		});
	ports = await add("ethpmPhysIf");
	faults = await add("faultInst");
});

const openPorts = async (settle: object = SETTLE) => {
	setPort("up");
	const { id } = await window({}, { items: [{ query: ports }], settle });
	await open(id);
	return id;
};

describe("an interface that flaps after the work", () => {
	it("passes where it has settled as it was before", async () => {
		const id = await openPorts();
		const judged = await stepRounds(id, (round) => setPort(round <= 5 && round % 2 === 1 ? "down" : "up"));
		// Rounds 2 to 6 differ from one another; 7 and 8 do not.
		expect(judged).toMatchObject({
			verdict: "passed",
			changed: false,
			phases: { after: { round: 8, settled: true } },
			connections: [{ items: [{ settled: true, verdict: "passed" }] }],
		});
	});

	it("fails at the bound where it has settled in another state", async () => {
		const id = await openPorts();
		const judged = await stepRounds(id, (round) => setPort(round === 3 ? "up" : "down"));
		expect(judged).toMatchObject({
			verdict: "failed",
			verdict_reasons: ["undeclared:1"],
			phases: { after: { settled: true } },
		});
		// It is the same from round 4 on. Round 6, the second without a difference, begins after a
		// delay of 5 s and four intervals; each may be a second late. The verdict is later.
		const { round, settled_after_s: seconds } = judged.phases.after;
		expect(round).toBeGreaterThan(6);
		expect(seconds).toBeGreaterThanOrEqual(45);
		expect(seconds).toBeLessThanOrEqual(50);
		expect(await listFindings(id)).toMatchObject([
			{ class: "undeclared", dn: PORT, attributes: [{ name: "operSt", before: "up", after: "down" }] },
		]);
	});

	it.each(["up", "down"])("is inconclusive at the bound where it never settles, though it ends as %s", async (last) => {
		const id = await openPorts();
		const states = last === "up" ? ["up", "down"] : ["down", "up"];
		const finished = windows.t.clock.now();
		const judged = await stepRounds(id, (round) => setPort(states[round % 2] ?? ""));
		expect(judged).toMatchObject({
			verdict: "inconclusive",
			verdict_reasons: ["inconclusive:1"],
			phases: { after: { settled: false, settled_after_s: null } },
			connections: [{ verdict: "inconclusive", items: [{ settled: false, verdict: "inconclusive" }] }],
		});
		expect(await listFindings(id, "&class=undeclared")).toEqual([]);
		const elapsed = Date.parse(judged.verdicts[0].at) - finished;
		expect(elapsed).toBeGreaterThanOrEqual(SETTLE.timeout_s * 1_000);
		expect(elapsed).toBeLessThan((SETTLE.timeout_s + SETTLE.interval_s + 5) * 1_000);
	});

	it("is inconclusive where it moves again in the round that is judged", async () => {
		const id = await openPorts({ ...SETTLE, timeout_s: 40 });
		const { connections } = await stepRounds(id, (round) => setPort(round % 3 === 0 ? "down" : "up"));
		expect(connections).toMatchObject([{ verdict: "inconclusive" }]);
	});
});

describe("a fabric with faults that soak", () => {
	it("does not open a window while they soak, and settles when they are over", async () => {
		const unsettled_when = {
			match: "any",
			conditions: [{ field: "faultInst.lc", operator: "contains", value: "soaking" }],
		};
		setFault("soaking");
		const items = [{ query: faults, compare: "no_gain", unsettled_when }];
		const { id } = await window({}, { items, settle: SETTLE });
		await windows.move(id, "start");
		const blocked = await windows.reach(id, "blocked");
		expect(blocked.gate.reasons).toMatchObject([{ kind: "unsettled", item: 0 }]);
		setFault("retaining");
		expect((await windows.move(id, "retry")).status).toBe(200);
		await windows.reach(id, "open");
		const judged = await stepRounds(id, (round) => setFault(round < 5 ? "soaking-clearing" : "retaining"));
		expect(judged).toMatchObject({ verdict: "passed", phases: { after: { settled: true } } });
		// Two rounds before, and two that soak; the first of the others is compared with those.
		expect(judged.phases.after.round).toBeGreaterThanOrEqual(6);
	});
});

describe("a round after the work", () => {
	it("is never one from before its end, also where it is judged at once and again", async () => {
		const { id } = await window();
		await open(id);
		await writeDomain("between");
		const first = await stepRounds(id, undefined, "finish", { now: true });
		// One round says nothing about whether the fabric has settled.
		expect(first).toMatchObject({ verdict: "inconclusive" });
		const again = await windows.recheck(id);
		expect(again).toMatchObject({ verdict: "failed" });
		expect(again.verdicts.map(({ number }: { number: number }) => number)).toEqual([1, 2]);
		for (const judged of [first, again]) {
			const [{ before, after }] = judged.connections[0].items;
			expect(before.run_id).not.toBe(after.run_id);
			const run = (await windows.ada.api.get(`${RUNS}${after.run_id}/`)).body;
			expect(Date.parse(run.created_at)).toBeGreaterThanOrEqual(Date.parse(judged.finished_at));
		}
	});

	it("is judged once where two ends, two rechecks or two signatures come at once", async () => {
		const { id } = await window();
		await open(id);
		const ends = await Promise.all([windows.move(id, "finish"), windows.move(id, "finish")]);
		expect(ends.map(({ status }) => status)).toEqual([200, 200]);
		const judged = await windows.reach(id, "judged");
		expect(judged.verdicts).toHaveLength(1);
		const rechecks = await Promise.all([windows.move(id, "recheck"), windows.move(id, "recheck")]);
		expect(rechecks.map(({ status }) => status).sort()).toEqual([200, 409]);
		expect((await windows.reach(id, "judged")).verdicts).toHaveLength(2);
		await Promise.all([windows.move(id, "sign"), windows.move(id, "sign")]);
		const { results } = (await windows.ada.api.get(`${WINDOWS}${id}/events/`)).body;
		expect(results.filter(({ event }: { event: string }) => event === "sign")).toHaveLength(1);
		expect(await read(id)).toMatchObject({ state: "closed" });
	});

	it("takes the state before again where it is older than the plan allows", async () => {
		const { id } = await window({}, { max_before_age_minutes: 1 });
		windows.lab.setFaults({ busy: { match: "fvBD" } });
		await windows.move(id, "start");
		await windows.reach(id, "blocked");
		windows.lab.clearFaults();
		await windows.t.clock.advance(120_000);
		await windows.move(id, "override", { reason: "The fabric answers again" }, windows.kim.api);
		const opened = await windows.reach(id, "open");
		expect(opened).toMatchObject({ phases: { before: { round: 2, complete: true } } });
		expect(await judge(id)).toMatchObject({ verdict: "passed" });
	});
});
