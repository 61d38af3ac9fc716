/** A verdict of a change window is computed by what held at its start, whatever is edited later. */
import { beforeAll, describe, expect, it } from "vitest";
import { buildClassNode, connectNodes, output } from "../support/canvases.ts";
import { CHECKS } from "../support/checks.ts";
import { addQuery } from "../support/tasks.ts";
import { PLANS, TENANT, useWindows, WINDOWS } from "../support/windows.ts";

const windows = useWindows();
const { window, open, judge, recheck, stepRounds, listFindings, writeDomain, setObjects } = windows;
const SETTLE = { delay_s: 0, interval_s: 10, stable_rounds: 1, timeout_s: 60 };

const addCheck = async (saved_query: string, fields: object) => {
	const made = await windows.ada.api.post(CHECKS, { name: `Check ${++serial}`, saved_query, ...fields });
	expect(made.status, made.text).toBe(201);
	return made.body.id as string;
};
let taboos: string;
let serial = 0;
beforeAll(async () => {
	taboos = await addQuery(windows.ada.api, {
		flow_data: connectNodes(buildClassNode("vzTaboo"), output),
		enable_time_machine: true,
	});
});

describe("drift rules that are edited after the start of a window", () => {
	it("change neither its verdict nor that of a recheck, but those of the next window", async () => {
		const { id } = await window();
		await open(id);
		await writeDomain("counted");
		expect(await judge(id)).toMatchObject({ verdict: "failed", verdict_reasons: ["undeclared:1"] });
		const path = `/api/queries/saved-queries/${windows.query}/`;
		const [finding] = await listFindings(id);
		const added = await windows.ada.api.post(`${WINDOWS}${id}/findings/${finding.id}/to-drift-rule/`);
		expect(added.status, added.text).toBe(200);
		expect(await recheck(id)).toMatchObject({ verdict: "failed", verdict_reasons: ["undeclared:1"] });
		await windows.remove("fvBD", `${TENANT}/BD-counted`);
		const next = await window();
		await open(next.id);
		await writeDomain("counted");
		expect(await judge(next.id)).toMatchObject({ verdict: "passed", changed: false });
		expect((await windows.ada.api.patch(path, { drift_rules: {} })).status).toBe(200);
	});
});

describe("a check whose severity is edited after the start", () => {
	it("makes the verdict inconclusive", async () => {
		const check = await addCheck(taboos, { type: "no_rows", config: {}, severity: "critical" });
		const { id } = await window({}, { items: [{ check, when: ["before", "after"] }], settle: SETTLE });
		await open(id);
		await windows.write(`${TENANT}/taboo-a`, { vzTaboo: { attributes: { dn: `${TENANT}/taboo-a`, name: "a" } } });
		const edited = await windows.ada.api.patch(`${CHECKS}${check}/`, { severity: "info" });
		expect(edited.status, edited.text).toBe(200);
		expect(await judge(id)).toMatchObject({ verdict: "inconclusive" });
		await windows.remove("vzTaboo", `${TENANT}/taboo-a`);
	});
});

describe("a check of a plan", () => {
	it("is refused if it compares fabrics, of which a window judges each alone", async () => {
		const check = await addCheck(windows.query, { type: "same_everywhere", config: { key: ["fvBD.name"] } });
		const body = { name: "Compared", items: [{ check }] };
		const answer = await windows.ada.api.post(PLANS, body);
		expect(answer).toMatchObject({ status: 400, body: { "items.0.check": [expect.stringContaining("alone")] } });
	});

	it("stays the same where the same rows without a DN violate it on both sides", async () => {
		const check = await addCheck(windows.query, { type: "row_count", config: { operator: "eq", value: 0 } });
		const { id } = await window({}, { items: [{ check, when: ["before", "after"] }], gate: { before: "warn" } });
		await open(id);
		expect(await judge(id)).toMatchObject({ verdict: "passed_with_warnings" });
		expect(await listFindings(id)).toMatchObject([{ class: "same", dns: [] }]);
	});

	it("stays the same where more than 200 objects violate it on both sides, and names the first", async () => {
		const faults = [...Array(300).keys()].map((at) => ({
			faultInst: { attributes: { dn: `${TENANT}/fault-F${at}`, code: `F${at}`, severity: "warning", lc: "raised" } },
		}));
		setObjects(...faults);
		const query = await addQuery(windows.ada.api, {
			flow_data: connectNodes(buildClassNode("faultInst"), output),
			enable_time_machine: true,
		});
		const check = await addCheck(query, { type: "no_rows", config: {} });
		const { id } = await window({}, { items: [{ check, when: ["before", "after"] }], gate: { before: "warn" } });
		await open(id);
		expect(await judge(id)).toMatchObject({ verdict: "passed_with_warnings" });
		const [finding] = await listFindings(id);
		expect(finding).toMatchObject({ class: "same", detail: expect.stringContaining("The first 100 of ") });
		expect(finding.dns).toHaveLength(100);
	});
});

describe("a window whose fabric has settled, but not as declared", () => {
	it("takes a round of all items in each interval, and passes once the change happens", async () => {
		const { id } = await window({}, { settle: SETTLE });
		const expectations = [{ change: "added", class_name: "fvBD", dn: `${TENANT}/BD-slow` }];
		const declared = await windows.ada.api.put(`${WINDOWS}${id}/expectations/`, { expectations });
		expect(declared.status, declared.text).toBe(200);
		await open(id);
		const judged = await stepRounds(id, (round) => (round === 6 ? writeDomain("slow") : undefined));
		expect(judged).toMatchObject({ verdict: "passed", phases: { after: { settled: true } } });
		const { results } = (await windows.ada.api.get(`${WINDOWS}${id}/events/`)).body;
		const rounds = results.filter(({ detail }: { detail: string }) => /^Round \d+ after/.test(detail));
		expect(rounds.map(({ detail }: { detail: string }) => detail.replace(/^Round \d+ after the work, /, ""))).toEqual(
			rounds.map(() => "1 capture"),
		);
	});
});

describe("a window that is planned without an approval", () => {
	it("becomes a draft again if it is to need one", async () => {
		const { id, state } = await window();
		expect(state).toBe("planned");
		const changed = await windows.ada.api.patch(`${WINDOWS}${id}/`, { requires_approval: true });
		expect(changed).toMatchObject({ status: 200, body: { state: "draft", requires_approval: true } });
		expect((await windows.move(id, "submit")).body).toMatchObject({ state: "waiting" });
	});
});

describe("a snapshot of a change window", () => {
	it("is kept by a cleanup that also deletes annotated ones", async () => {
		const { id } = await window();
		const opened = await open(id);
		const { snapshot_id } = opened.connections[0].items[0].before;
		await windows.t.clock.advance(390 * 24 * 3_600_000);
		const cleaned = await windows.ada.api.post("/api/time-machine/cleanup/execute/", { include_annotated: true });
		expect(cleaned.status, cleaned.text).toBe(200);
		expect((await windows.ada.api.get(`/api/time-machine/snapshots/${snapshot_id}/`)).status).toBe(200);
	});
});
