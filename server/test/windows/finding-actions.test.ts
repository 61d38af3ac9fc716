/** Findings that become drift rules of their query, or expectations of the plan. */
import { afterEach, describe, expect, it } from "vitest";
import { buildClassNode, connectNodes, output, UNKNOWN } from "../support/canvases.ts";
import type { Api } from "../support/harness.ts";
import { addQuery } from "../support/tasks.ts";
import { PLANS, TENANT, useWindows, WINDOWS } from "../support/windows.ts";

const windows = useWindows();
const { window, open, judge, recheck, listFindings, writeDomain } = windows;

const getQueryPath = () => `/api/queries/saved-queries/${windows.query}/`;
const readRules = async () => (await windows.ada.api.get(getQueryPath())).body.drift_rules;
const keepFinding = (id: string, finding: string, action: string, api: Api = windows.ada.api) =>
	api.post(`${WINDOWS}${id}/findings/${finding}/${action}/`);

/** Opens a window, changes the fabric and waits for the verdict. Returns its only finding. */
async function findChange(change: () => Promise<void>, fields: object = {}, plan: object = {}) {
	const { id } = await window(fields, plan);
	await open(id);
	await change();
	const judged = await judge(id);
	expect(judged.verdict).toBe("failed");
	const [finding, ...others] = await listFindings(id);
	expect(others).toEqual([]);
	return { id, plan: judged.plan, finding };
}

describe("to-drift-rule", () => {
	afterEach(async () => {
		const rules = { ...(await readRules()), ignore: [], ignore_dns: [] };
		expect((await windows.ada.api.patch(getQueryPath(), { drift_rules: rules })).status).toBe(200);
	});

	it("ignores an added object by its whole DN, once, from the next window on", async () => {
		const { id, finding } = await findChange(() => writeDomain("ignored"));
		for (let i = 0; i < 2; i++) {
			const added = await keepFinding(id, finding.id, "to-drift-rule");
			expect(added.status, added.text).toBe(200);
			expect(added.body).toMatchObject({ id: finding.id, dn: `${TENANT}/BD-ignored` });
		}
		const { ignore, ignore_dns } = await readRules();
		expect([ignore, ignore_dns.length]).toEqual([[], 1]);
		const rule = new RegExp(ignore_dns[0]);
		expect([finding.dn, `${finding.dn}2`, `x${finding.dn}`].map((dn) => rule.test(dn))).toEqual([true, false, false]);
		expect(await recheck(id)).toMatchObject({ verdict: "failed" });
		await windows.remove("fvBD", `${TENANT}/BD-ignored`);
		const next = await window();
		await open(next.id);
		await writeDomain("ignored");
		const judged = await judge(next.id);
		expect(judged).toMatchObject({ verdict: "passed" });
		expect(judged.connections[0].items[0].counts).toMatchObject({ undeclared: 0, ignored: { rules: 1 } });
	});

	it("ignores an attribute of the class, and no other one, of a modified object", async () => {
		await writeDomain("modified", { arpFlood: "no" });
		const { id, finding } = await findChange(() => writeDomain("modified", { arpFlood: "yes" }));
		expect((await keepFinding(id, finding.id, "to-drift-rule")).status).toBe(200);
		expect(await readRules()).toMatchObject({ ignore: ["fvBD.arpFlood"], ignore_dns: [] });
		const next = await window();
		await open(next.id);
		await writeDomain("modified", { arpFlood: "no", unicastRoute: "no" });
		expect(await judge(next.id)).toMatchObject({ verdict: "failed" });
		expect(await listFindings(next.id)).toMatchObject([{ attributes: [{ name: "unicastRoute" }] }]);
	});

	it("is refused for findings without a query, and for users who may not edit it", async () => {
		const check = await windows.ada.api.post("/api/checks/", {
			name: "No bridge domain is new",
			saved_query: windows.query,
			type: "each_row",
			config: { conditions: [{ field: "name", operator: "ne", value: "checked" }] },
			controller_connection_ids: [windows.connection],
		});
		expect(check.status, check.text).toBe(201);
		const checked = await findChange(() => writeDomain("checked"), {}, { items: [{ check: check.body.id }] });
		expect(await keepFinding(checked.id, checked.finding.id, "to-drift-rule")).toMatchObject({
			status: 400,
			body: { detail: expect.stringContaining("has no query") },
		});
		const { id, finding } = await findChange(() => writeDomain("refused"));
		const bob = await windows.t.user("bob-of-rules", ["Operator"]);
		const refused = await keepFinding(id, finding.id, "to-drift-rule", bob.api);
		expect([403, 404]).toContain(refused.status);
		expect((await keepFinding(id, UNKNOWN, "to-drift-rule")).status).toBe(404);
		expect((await keepFinding(checked.id, finding.id, "to-drift-rule")).status).toBe(404);
		expect(await readRules()).toMatchObject({ ignore: [], ignore_dns: [] });
	});

	it("is refused for a declared change that did not happen", async () => {
		const { id } = await window();
		const expectations = [{ item: 0, dn: `${TENANT}/BD-z*` }];
		expect((await windows.ada.api.put(`${WINDOWS}${id}/expectations/`, { expectations })).status).toBe(200);
		await open(id);
		await judge(id);
		const [finding] = await listFindings(id);
		expect(finding).toMatchObject({ class: "missing" });
		for (const action of ["to-drift-rule", "to-expectation"])
			expect(await keepFinding(id, finding.id, action)).toMatchObject({
				status: 400,
				body: { detail: "The finding names no object that differs." },
			});
		expect(await readRules()).toMatchObject({ ignore: [], ignore_dns: [] });
	});

	it("is refused where the rules have no room for another object", async () => {
		const ignore_dns = [...Array(20).keys()].map((at) => `^uni/tn-full-${at}$`);
		const filled = await windows.ada.api.patch(getQueryPath(), { drift_rules: { ignore_dns } });
		expect(filled.status, filled.text).toBe(200);
		const { id, finding } = await findChange(() => writeDomain("one-too-many"));
		expect(await keepFinding(id, finding.id, "to-drift-rule")).toMatchObject({
			status: 400,
			body: { detail: expect.stringContaining("have no room") },
		});
		expect((await readRules()).ignore_dns).toEqual(ignore_dns);
	});

	it("is refused for a finding of a query that was deleted", async () => {
		const flow_data = connectNodes(buildClassNode("fvBD"), output);
		const query = await addQuery(windows.ada.api, { flow_data, enable_time_machine: true });
		const { id, finding } = await findChange(() => writeDomain("gone"), {}, { items: [{ query }] });
		expect((await windows.ada.api.del(`/api/queries/saved-queries/${query}/`)).status).toBe(204);
		expect(await keepFinding(id, finding.id, "to-drift-rule")).toMatchObject({
			status: 400,
			body: { detail: "The query no longer exists." },
		});
	});
});

describe("to-expectation", () => {
	const readPlan = async (id: string) => (await windows.ada.api.get(`${PLANS}${id}/`)).body;

	it("expects the finding in the next window of the plan, and leaves this one as it is", async () => {
		const { id, plan, finding } = await findChange(() => writeDomain("again"));
		expect((await keepFinding(id, finding.id, "to-expectation")).body).toMatchObject({ id: finding.id });
		expect(await readPlan(plan)).toMatchObject({
			revision: 2,
			expectations: [
				{
					item: 0,
					change: "added",
					class_name: "fvBD",
					dn: `${TENANT}/BD-again`,
					attributes: null,
					source: "comparison",
				},
			],
		});
		expect((await windows.ada.api.get(`${WINDOWS}${id}/expectations/`)).body.expectations).toEqual([]);
		expect(await windows.read(id)).toMatchObject({ plan_revision: 1, verdict: "failed" });

		await windows.remove("fvBD", `${TENANT}/BD-again`);
		const next = await window({ plan });
		await open(next.id);
		await writeDomain("again");
		expect(await judge(next.id)).toMatchObject({ verdict: "passed" });
		expect(await listFindings(next.id)).toMatchObject([{ class: "expected", dn: `${TENANT}/BD-again`, late: false }]);
	});

	it("expects the value after of each attribute of a modified object", async () => {
		await writeDomain("flooding", { arpFlood: "no" });
		const { id, plan, finding } = await findChange(() => writeDomain("flooding", { arpFlood: "yes" }));
		expect((await keepFinding(id, finding.id, "to-expectation")).status).toBe(200);
		expect((await readPlan(plan)).expectations).toMatchObject([
			{ change: "modified", dn: `${TENANT}/BD-flooding`, attributes: { arpFlood: { to: "yes" } } },
		]);
	});

	it("is refused without an object, for the plan of another user, and once the plan is gone", async () => {
		const reason = "The fabric is not part of the work";
		const { id: empty } = await window({}, { settle: { delay_s: 0, interval_s: 1, stable_rounds: 1, timeout_s: 2 } });
		windows.lab.setFaults({ busy: { match: "fvBD" } });
		await windows.move(empty, "start");
		await windows.reach(empty, "blocked");
		windows.lab.clearFaults();
		await windows.move(empty, "override", { reason }, windows.kim.api);
		await judge(empty);
		const [inconclusive] = await listFindings(empty, "&class=inconclusive");
		expect(await keepFinding(empty, inconclusive.id, "to-expectation")).toMatchObject({
			status: 400,
			body: { detail: "The finding names no object that differs." },
		});

		const { id, plan, finding } = await findChange(() => writeDomain("planned"), {}, { is_public: true });
		const bob = await windows.t.user("bob-of-plans", ["Operator"]);
		expect((await keepFinding(id, finding.id, "to-expectation", bob.api)).status).toBe(403);
		expect(await readPlan(plan)).toMatchObject({ revision: 1, expectations: [] });
		expect((await windows.ada.api.del(`${PLANS}${plan}/`)).status).toBe(204);
		expect(await keepFinding(id, finding.id, "to-expectation")).toMatchObject({
			status: 403,
			body: { detail: expect.stringContaining("no longer exists") },
		});
	});
});
