/** Verdicts of change windows after the declared changes, after others, and without evidence. */
import { beforeAll, describe, expect, it } from "vitest";
import { waitUntilAfter } from "../support/harness.ts";
import { TENANT, useWindows, WINDOWS } from "../support/windows.ts";

const windows = useWindows();
const { window, open, judge, listFindings, writeDomain, move, read, reach } = windows;
beforeAll(() => writeDomain("kept"));

const expectDomain = (name: string, more: object = {}) => ({
	change: "added",
	class_name: "fvBD",
	dn: `${TENANT}/BD-${name}`,
	...more,
});
const declareChanges = async (id: string, expectations: object[]) => {
	const answer = await windows.ada.api.put(`${WINDOWS}${id}/expectations/`, { expectations });
	expect(answer.status, answer.text).toBe(200);
};

describe("the verdict of a change window", () => {
	it("passes for exactly the declared changes", async () => {
		const { id } = await window();
		await declareChanges(id, [expectDomain("declared")]);
		const opened = await open(id);
		expect(opened).toMatchObject({
			gate: { passed: true, reasons: [] },
			phases: { before: { round: 1, complete: true }, after: null },
			verdict: null,
			can_finish: true,
		});
		await writeDomain("declared");
		const judged = await judge(id);
		expect(judged).toMatchObject({
			verdict: "passed",
			verdict_reasons: [],
			changed: true,
			phases: { after: { settled: true } },
			can_sign: true,
		});
		expect(judged.connections[0].items[0]).toMatchObject({ verdict: "passed", counts: { expected: 1, undeclared: 0 } });
		expect(judged.connections[0].items[0].before.run_id).not.toBe(judged.connections[0].items[0].after.run_id);
		expect(await listFindings(id)).toEqual([
			expect.objectContaining({ class: "expected", dn: `${TENANT}/BD-declared`, change: "added" }),
		]);
	});

	it("passes with a check that violates nothing more than before, and settles in the second round", async () => {
		const check = await windows.ada.api.post("/api/checks/", {
			name: "No bridge domain is named kept",
			saved_query: windows.query,
			type: "each_row",
			config: { conditions: [{ field: "name", operator: "ne", value: "kept" }] },
			severity: "info",
		});
		expect(check.status, check.text).toBe(201);
		const { id } = await window({}, { items: [{ query: windows.query }, { check: check.body.id }] });
		await open(id);
		const judged = await judge(id);
		expect(judged).toMatchObject({ verdict: "passed_with_warnings", phases: { after: { round: 3, settled: true } } });
		expect(judged.connections[0].items.map(({ settled }: { settled: boolean }) => settled)).toEqual([true, true]);
		expect(await listFindings(id)).toEqual([
			expect.objectContaining({ class: "same", item: 1, dns: [`${TENANT}/BD-kept`] }),
		]);
	});

	it("passes without a change, although both sides are the same snapshot", async () => {
		const { id } = await window();
		await open(id);
		const judged = await judge(id);
		expect(judged).toMatchObject({ verdict: "passed", changed: false });
		const [item] = judged.connections[0].items;
		expect(item.before.snapshot_id).toBe(item.after.snapshot_id);
		expect(item.before.run_id).not.toBe(item.after.run_id);
	});

	it("fails for an undeclared object, and names the user who created it", async () => {
		const { id } = await window({ implementers: ["another user"] });
		await declareChanges(id, [expectDomain("meant")]);
		await open(id);
		await writeDomain("meant");
		await writeDomain("stray");
		const judged = await judge(id);
		expect(judged).toMatchObject({ verdict: "failed", verdict_reasons: ["undeclared:1"] });
		const [stray, meant] = await listFindings(id);
		expect(stray).toMatchObject({ class: "undeclared", dn: `${TENANT}/BD-stray`, foreign: true });
		expect(stray.changed_by[0]).toMatchObject({ user: windows.lab.username, action: "created" });
		expect(meant).toMatchObject({ class: "expected", dn: `${TENANT}/BD-meant` });
	});

	it("fails if a declared change did not happen", async () => {
		const { id } = await window();
		await declareChanges(id, [expectDomain("never")]);
		await open(id);
		const judged = await judge(id);
		expect(judged).toMatchObject({ verdict: "failed", verdict_reasons: ["missing:1"], changed: false });
		expect(await listFindings(id, "&class=missing")).toEqual([
			expect.objectContaining({ dn: `${TENANT}/BD-never`, detail: expect.stringContaining("Did not happen") }),
		]);
	});

	it("becomes inconclusive if the query was edited between the two sides", async () => {
		const { id } = await window();
		await open(id);
		const query = `/api/queries/saved-queries/${windows.query}/`;
		const conditions = [{ field: "fvBD.name", operator: "exists" }];
		const edited = await windows.ada.api.patch(query, {
			post_processors: [{ type: "filter_rows", config: { conditions } }],
		});
		expect(edited.status, edited.text).toBe(200);
		const judged = await judge(id);
		expect(judged).toMatchObject({ verdict: "inconclusive", verdict_reasons: ["inconclusive:1"] });
		await windows.ada.api.patch(query, { post_processors: [] });
	});

	it("waits while the window is blocked because its fabric does not answer before the work", async () => {
		const { id } = await window();
		windows.lab.setFaults({ busy: { match: "fvBD" } });
		expect((await move(id, "start")).status).toBe(200);
		const blocked = await reach(id, "blocked");
		expect(blocked.gate).toMatchObject({ passed: false, reasons: [{ kind: "missing_before", item: 0 }] });
		windows.lab.clearFaults();
		expect((await move(id, "retry")).status).toBe(200);
		await reach(id, "open");
	});

	it("becomes inconclusive if a fabric does not answer after the work", async () => {
		const { id } = await window({}, { settle: { delay_s: 0, interval_s: 1, stable_rounds: 1, timeout_s: 3 } });
		await open(id);
		windows.lab.setFaults({ busy: { match: "fvBD" } });
		const judged = await judge(id);
		expect(judged).toMatchObject({ verdict: "inconclusive" });
		expect((await read(id)).connections[0].items[0].after).toMatchObject({ snapshot_id: null });
	});

	it("becomes inconclusive if a run was deleted before its end was recorded", async () => {
		const { id } = await window({}, { settle: { delay_s: 0, interval_s: 1, stable_rounds: 1, timeout_s: 1 } });
		await open(id);
		windows.lab.setFaults({ hang: { match: "class/fvBD" } });
		expect((await move(id, "finish")).status).toBe(200);
		const find = "select run_id from change_window_captures where window_id = $1 and is_complete is null";
		const run = await waitUntilAfter(windows.t.clock, 1_000, "a run of the window goes on", async () => {
			const { rows } = await windows.t.pool.query(find, [id]);
			return rows[0]?.run_id;
		});
		await windows.t.pool.query("delete from pipeline_jobs where id = $1", [run]);
		windows.lab.clearFaults();
		expect(await reach(id, "judged")).toMatchObject({ verdict: "inconclusive" });
	});
});

describe("a recheck of a change window", () => {
	it("is refused with the remedy if the window has as many verdicts as it may", async () => {
		const { id } = await window();
		await open(id);
		expect(await judge(id)).toMatchObject({ can_recheck: true });
		await windows.t.pool.query(
			`update change_windows set verdicts = (select jsonb_agg(one.first) from (select w.verdicts -> 0 as first
				from change_windows w, generate_series(1, 50) where w.id = $1) one) where id = $1`,
			[id],
		);
		expect(await read(id)).toMatchObject({ can_recheck: false });
		const refused = await move(id, "recheck");
		expect([refused.status, refused.body]).toEqual([
			409,
			{
				detail: "The change window has 50 verdicts, which is the limit. Sign it, or start another window of the plan.",
				state: "judged",
			},
		]);
	});
});
