/** Fabrics that do not answer in full before or after the work: no window passes on them. */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { waitUntilAfter } from "../support/harness.ts";
import { useWindows } from "../support/windows.ts";

const windows = useWindows();
const { window, open, judge, recheck, move, reach, read, writeDomain, listFindings } = windows;
const SETTLE = { delay_s: 0, interval_s: 1, stable_rounds: 1, timeout_s: 8 };
const match = "class/fvBD";
const FAULTS = [
	["refuses connections", { down: true }],
	["resets its connections", { reset: { match } }],
	["cuts its answers", { truncated_body: { match } }],
	["counts objects that it does not send", { busy: { match } }],
	["answers with an error", { error: { match } }],
	["answers with an error and status 200", { error_with_200: { match } }],
	["answers with a page of its proxy", { html_error: { match } }],
] as const;

/** The state of a window once it has left another one. */
const leaveState = (id: string, state: string) =>
	waitUntilAfter(windows.t.clock, 1_000, `the change window is not ${state} any more`, async () => {
		const found = await read(id);
		return found.state === state ? null : found;
	});

describe.each(FAULTS)("a fabric that %s", (_title, faults) => {
	it("blocks the window before the work, and keeps it from passing after it", async () => {
		const { id } = await window({}, { settle: SETTLE });
		windows.lab.setFaults(faults);
		await move(id, "start");
		expect(await leaveState(id, "checking_before")).toMatchObject({
			state: "blocked",
			gate: { passed: false, reasons: [{ kind: "missing_before", item: 0, connection_id: windows.connection }] },
			phases: { before: { complete: false } },
		});
		windows.lab.clearFaults();
		expect((await move(id, "retry")).status).toBe(200);
		await reach(id, "open");
		windows.lab.setFaults(faults);
		expect(await judge(id)).toMatchObject({ verdict: "inconclusive", verdict_reasons: ["inconclusive:1"] });
		windows.lab.clearFaults();
		expect(await recheck(id)).toMatchObject({ verdict: "passed" });
	});
});

describe("a fabric whose only known controller has lost its peers", () => {
	it("blocks the window before the work, and keeps it from passing after it", async () => {
		const lost = { partial_cluster: { part: 0 } };
		const { id } = await window({}, { settle: SETTLE });
		windows.lab.setFaults(lost);
		await move(id, "start");
		const detail = expect.stringContaining("it has lost members of its cluster");
		expect(await leaveState(id, "checking_before")).toMatchObject({
			state: "blocked",
			gate: { reasons: [{ kind: "missing_before", connection_id: windows.connection, detail }] },
		});
		expect((await move(id, "override", { reason: "It is a lab" }, windows.kim.api)).status).toBe(200);
		await reach(id, "open");
		windows.lab.clearFaults();
		expect(await judge(id)).toMatchObject({ verdict: "inconclusive" });
		expect(await listFindings(id)).toMatchObject([
			{ detail: expect.stringContaining("before the work may lack objects") },
		]);

		const other = await window({}, { settle: SETTLE });
		await open(other.id);
		windows.lab.setFaults(lost);
		expect(await judge(other.id)).toMatchObject({ verdict: "inconclusive" });
		expect(await listFindings(other.id)).toMatchObject([
			{ detail: expect.stringContaining("after the work may lack objects") },
		]);
		windows.lab.clearFaults();
		expect(await recheck(other.id)).toMatchObject({ verdict: "passed" });
	});
});

describe("a window on two fabrics", () => {
	let second: RunningController;
	let connection_ids: string[];
	beforeAll(async () => {
		second = await startController({ size: "small", seed: 2, now: () => windows.t.clock.now() });
		connection_ids = [windows.connection, await windows.addFabric(second, "Second fabric")];
	});
	afterEach(() => second.clearFaults());
	afterAll(() => second.close());

	const listVerdicts = ({ connections }: { connections: { connection_id: string; verdict: string }[] }) =>
		Object.fromEntries(connections.map(({ connection_id, verdict }) => [connection_id, verdict]));

	it("is blocked by the one that does not answer, and names it", async () => {
		second.setFaults({ busy: { match } });
		const { id } = await window({ connection_ids }, { settle: SETTLE });
		await move(id, "start");
		expect((await reach(id, "blocked")).gate.reasons).toMatchObject([
			{ kind: "missing_before", connection_id: connection_ids[1] },
		]);
		const reason = "The second fabric is not part of the work";
		expect((await move(id, "override", { reason }, windows.kim.api)).body).toMatchObject({ state: "open" });
		second.clearFaults();
		const judged = await judge(id);
		expect(judged).toMatchObject({ verdict: "inconclusive" });
		expect(listVerdicts(judged)).toEqual({ [windows.connection]: "passed", [connection_ids[1] ?? ""]: "inconclusive" });
	});

	it("has the worst verdict of both after the work", async () => {
		const { id } = await window({ connection_ids }, { settle: SETTLE });
		await open(id);
		second.setFaults({ busy: { match } });
		const inconclusive = await judge(id);
		expect(inconclusive).toMatchObject({ verdict: "inconclusive" });
		expect(listVerdicts(inconclusive)).toEqual({
			[windows.connection]: "passed",
			[connection_ids[1] ?? ""]: "inconclusive",
		});
		await writeDomain("worst");
		const failed = await recheck(id);
		expect(failed).toMatchObject({ verdict: "failed", verdict_reasons: ["undeclared:1", "inconclusive:1"] });
		expect(await listFindings(id, "&class=undeclared")).toMatchObject([{ connection_id: windows.connection }]);
	});
});
