/** Accepted findings across rechecks: they stay accepted with all of their values. */
import { describe, expect, it } from "vitest";
import { TENANT, useWindows, WINDOWS } from "../support/windows.ts";

const windows = useWindows();
const { window, open, judge, recheck, read, listFindings, writeDomain } = windows;

/** Failing rounds end soon, and are enough for the fabric to settle. */
const SETTLE = { delay_s: 0, interval_s: 1, stable_rounds: 1, timeout_s: 5 };

const acceptFinding = async (id: string, finding: string) => {
	const answer = await windows.ada.api.post(`${WINDOWS}${id}/findings/${finding}/accept/`, { reason: "Known" });
	expect(answer.status, answer.text).toBe(200);
	return answer.body;
};
const ACCEPTED = { accepted_by: "ada", reason: "Known" };
const OPEN = { accepted_by: null, accepted_at: null, reason: "" };

/** Opens a window, changes a value, waits for the verdict and accepts the finding. */
async function acceptChange(name: string) {
	await writeDomain(name, { descr: "before" });
	const { id } = await window({}, { settle: SETTLE });
	await open(id);
	await writeDomain(name, { descr: "after" });
	await judge(id);
	const [finding, ...others] = await listFindings(id);
	expect(others).toEqual([]);
	expect(finding).toMatchObject({ class: "undeclared", ...OPEN });
	return { id, accepted: await acceptFinding(id, finding.id) };
}

describe("an accepted finding", () => {
	it("stays accepted after a recheck that finds the same, beside a new one", async () => {
		const { id, accepted } = await acceptChange("same");
		expect(await read(id)).toMatchObject({ verdict_line: "failed; 1 of 1 finding accepted by ada" });
		await writeDomain("beside");
		const again = await recheck(id);
		expect(again).toMatchObject({
			verdict: "failed",
			verdict_line: "failed; 1 of 2 findings accepted by ada",
			connections: [{ items: [{ counts: { undeclared: 2, accepted: 1 } }] }],
		});
		const findings = await listFindings(id);
		const [beside, same] = findings.toSorted((a, b) => (a.dn < b.dn ? -1 : 1));
		expect(beside).toMatchObject({ dn: `${TENANT}/BD-beside`, ...OPEN });
		expect(same).toMatchObject({ dn: `${TENANT}/BD-same`, ...ACCEPTED, accepted_at: accepted.accepted_at });
		expect(same.id).not.toBe(accepted.id);
	});

	it("stays accepted after a verdict that cannot see it, because the controller did not answer", async () => {
		const { id, accepted } = await acceptChange("outage");
		windows.lab.setFaults({ busy: { match: "fvBD" } });
		expect(await recheck(id)).toMatchObject({ verdict: "inconclusive" });
		windows.lab.clearFaults();
		expect(await recheck(id)).toMatchObject({ verdict_line: "failed; 1 of 1 finding accepted by ada" });
		expect(await listFindings(id)).toMatchObject([{ ...ACCEPTED, accepted_at: accepted.accepted_at }]);
	});

	it("loses its acceptance if a value has changed", async () => {
		const { id } = await acceptChange("value");
		await writeDomain("value", { descr: "another one" });
		expect(await recheck(id)).toMatchObject({ verdict: "failed", verdict_line: "failed" });
		expect(await listFindings(id)).toMatchObject([
			{ ...OPEN, attributes: [{ name: "descr", before: "before", after: "another one" }] },
		]);
	});

	it("loses its acceptance if another attribute differs as well", async () => {
		const { id } = await acceptChange("attribute");
		await writeDomain("attribute", { descr: "after", arpFlood: "yes" });
		expect(await recheck(id)).toMatchObject({ verdict_line: "failed" });
		expect(await listFindings(id)).toMatchObject([OPEN]);
	});

	it("does not let the window pass, and keeps its reason if it is accepted again without one", async () => {
		const { id, accepted } = await acceptChange("reason");
		const path = `${WINDOWS}${id}/findings/${accepted.id}/accept/`;
		expect((await windows.ada.api.post(path, { reason: "" })).body).toHaveProperty("reason");
		expect(await read(id)).toMatchObject({ verdict: "failed" });
		expect((await listFindings(id))[0]).toMatchObject(ACCEPTED);
		const { body } = await windows.ada.api.get(`${WINDOWS}${id}/report/?format=json`);
		expect(body).toMatchObject({ verdict: "failed", exit_code: 1, findings: [ACCEPTED] });
	});
});
