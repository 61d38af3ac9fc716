/** Windows whose gate warns or is off: they open whatever the fabric looks like before the work. */
import { beforeAll, describe, expect, it } from "vitest";
import { listJunitProblems, parseXml } from "../support/junit-schema.ts";
import { useWindows, WINDOWS } from "../support/windows.ts";

const windows = useWindows();
const { window, move, reach, judge, listFindings } = windows;
const SETTLE = { delay_s: 0, interval_s: 1, stable_rounds: 1, timeout_s: 3 };

let check: string;
beforeAll(async () => {
	const made = await windows.ada.api.post("/api/checks/", {
		name: "No bridge domain exists",
		saved_query: windows.query,
		type: "no_rows",
		controller_connection_ids: [windows.connection],
	});
	expect(made.status, made.text).toBe(201);
	check = made.body.id;
});

/** Starts a window with a check that fails and waits until it is open. */
async function openWindow(gate: object) {
	const items = [{ query: windows.query }, { check, when: ["before"] }, { check, when: ["before", "after"] }];
	const { id } = await window({}, { items, gate, settle: SETTLE });
	expect((await move(id, "start")).status).toBe(200);
	return reach(id, "open");
}

/** The cases of the JUnit report, with the first element in each. */
async function listCases(id: string) {
	const { text } = await windows.ada.api.get(`${WINDOWS}${id}/report/?format=junit`);
	const report = parseXml(text);
	expect(listJunitProblems(report)).toEqual([]);
	const cases = (report.children[0]?.children ?? []).filter(({ name }) => name === "testcase");
	return cases.map(({ children }) => [children[0]?.name, children[0]?.attributes.message]);
}

describe("a window with its gate off", () => {
	it("opens without reasons in spite of a failing check, which is the same after the work", async () => {
		const opened = await openWindow({ before: "off", quiet_baseline: true });
		// One round is enough: nothing compares it with a second one.
		expect(opened).toMatchObject({ gate: { passed: true, reasons: [] }, phases: { before: { round: 1 } } });
		const judged = await judge(opened.id);
		expect(judged).toMatchObject({ verdict: "passed_with_warnings" });
		expect(await listFindings(opened.id)).toMatchObject([{ class: "same", item: 2 }]);
		const [query, before, both] = await listCases(opened.id);
		expect(query).toEqual([undefined, undefined]);
		expect(before).toEqual(["skipped", "The gate is off: the check was not evaluated before the work."]);
		expect(both).toEqual([undefined, undefined]);
		const { body } = await windows.ada.api.get(`${WINDOWS}${opened.id}/report/?format=json`);
		expect(body.window.gate).toMatchObject({ before: "off" });
	});

	it("opens on a fabric that does not answer, and is inconclusive after the work", async () => {
		windows.lab.setFaults({ down: true });
		const opened = await openWindow({ before: "off" });
		expect(opened).toMatchObject({ gate: { passed: true, reasons: [] }, phases: { before: { complete: false } } });
		windows.lab.clearFaults();
		expect(await judge(opened.id)).toMatchObject({ verdict: "inconclusive" });
	});
});

describe("a window with a gate that warns", () => {
	it("opens, shows the reasons, and reports the check that did not hold", async () => {
		const opened = await openWindow({ before: "warn" });
		expect(opened.gate).toMatchObject({
			passed: true,
			reasons: [
				{ kind: "check", item: 1, connection_id: windows.connection },
				{ kind: "check", item: 2, connection_id: windows.connection },
			],
		});
		await judge(opened.id);
		const [, before] = await listCases(opened.id);
		expect(before).toEqual(["skipped", expect.stringContaining("The gate did not pass: The check fails with")]);
	});
});
