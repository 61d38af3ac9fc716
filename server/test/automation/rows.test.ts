/**
 * Results of rows of playbooks as people write them: variables of loops, nested loops, tasks in the
 * background, included files, retries, batches, several hosts.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Body, EXECUTIONS, REQUESTS, type Rig, startRig } from "../support/automation.ts";

let rig: Rig;
beforeAll(async () => {
	rig = await startRig();
});
afterAll(() => rig.close());

let serial = 60;
/** A template for a playbook of the lab. */
async function createTemplate(playbook: string, variables: Body = {}, more: Body = {}) {
	const id = serial++;
	await rig.lab.control("template", {
		id,
		name: `Playbook ${id}`,
		playbook,
		simultaneous: true,
		asks: ["variables", "limit", "job_type", "inventory", "credential"],
		...more,
	});
	const schema = ["name", "rc", "bad_port", "skip", "unreachable"].map((name) => ({ name, field_type: "text" }));
	return rig.template({
		automation_job_template_id: id,
		variable_mappings: variables,
		schema: schema.map((column) =>
			column.name === "rc"
				? { ...column, field_type: "number" }
				: ["skip", "unreachable"].includes(column.name)
					? { ...column, field_type: "boolean" }
					: column,
		),
	});
}

/** Runs a playbook of the lab over the rows; answers the execution and its row results. */
async function runPlaybook(playbook: string, rows: Body[], variables: Body = {}, more: Body = {}) {
	const request = await rig.request(await createTemplate(playbook, variables, more), { input_data: rows });
	const { id } = await rig.execute(request);
	const done = await rig.over(request);
	const { body } = await rig.alice.api.get(`${EXECUTIONS}${id}/row-results/`);
	return { request: done, execution: await rig.execution(id), answer: body, rows: body.rows as Body[] };
}
const summarizeRows = (rows: Body[]) => rows.map(({ row_index, host, status }) => [row_index, host, status]);

const good = { name: "good" };
const bad = { name: "bad", rc: 3 };

describe("the result of a row is that of its item", () => {
	it("under whatever name the loop has it", async () => {
		const { rows } = await runPlaybook("rows.yml", [good, bad], { loop_var: "row" });
		expect(summarizeRows(rows)).toEqual([
			[0, "leaf101", "changed"],
			[1, "leaf101", "failed"],
		]);
		expect(rows[1]?.message).toBe("non-zero return code");
	});

	it("where the item holds the row of an outer loop", async () => {
		const { rows } = await runPlaybook("nested.yml", [good, { name: "half", bad_port: "eth1/2" }]);
		expect(summarizeRows(rows)).toEqual([
			[0, "leaf101", "changed"],
			[1, "leaf101", "failed"],
		]);
	});

	it("where the item is the result of an earlier loop, at any depth", async () => {
		const background = await runPlaybook("async.yml", [good, bad]);
		expect(background.request.status).toBe("failed");
		expect(summarizeRows(background.rows)).toEqual([
			[0, "leaf101", "changed"],
			[1, "leaf101", "failed"],
		]);
		// A third loop goes over the results of the second and finds nothing wrong with them.
		const again = await runPlaybook("async.yml", [good, bad], { look_again: true });
		expect(again.request.status).toBe("successful");
		expect(summarizeRows(again.rows)).toEqual([
			[0, "leaf101", "changed"],
			[1, "leaf101", "failed"],
		]);
	});

	it("where the playbook extends the row", async () => {
		const { rows } = await runPlaybook("rows.yml", [good, bad], { extend: { port: "eth1/1", state: "present" } });
		expect(summarizeRows(rows)).toEqual([
			[0, "leaf101", "changed"],
			[1, "leaf101", "failed"],
		]);
	});

	it("where the whole loop goes over one column, in the order of the rows", async () => {
		const { rows } = await runPlaybook("rows.yml", [good, { name: "next" }], {
			rows_variable: "names",
			names: ["good", "next"],
		});
		expect(summarizeRows(rows)).toEqual([
			[0, "leaf101", "changed"],
			[1, "leaf101", "changed"],
		]);
	});

	it("only once a task in the background has ended", async () => {
		const { rows } = await runPlaybook("async.yml", [good, bad], { wait: false });
		expect(rows).toEqual(
			[0, 1].map((row_index) => ({
				row_index,
				sheet: null,
				status: "unknown",
				host: "leaf101",
				message: expect.stringMatching(/started in the background/),
			})),
		);
	});

	it.each([{}, { role: true }])("and not that of the file or role %o that it is handed to", async (variables) => {
		const { rows, request } = await runPlaybook(
			"include.yml",
			[good, bad, { name: "left out", skip: true }],
			variables,
		);
		expect(request.status).toBe("failed");
		expect(summarizeRows(rows)).toEqual([
			[0, "leaf101", "unknown"],
			[1, "leaf101", "unknown"],
			[2, "leaf101", "skipped"],
		]);
		expect(rows[0]?.message).toMatch(/handed to an included file or role/);
	});

	it("also from included tasks, where they name it", async () => {
		const { rows } = await runPlaybook("include.yml", [good, { name: "next" }, bad], { carry: true });
		expect(summarizeRows(rows)).toEqual([
			[0, "leaf101", "changed"],
			[1, "leaf101", "changed"],
			[2, "leaf101", "unknown"],
		]);
	});

	it("of the last attempt, where a task is repeated", async () => {
		const { rows } = await runPlaybook("rows.yml", [good, bad], { retries: 2, loop_var: "row" });
		expect(summarizeRows(rows)).toEqual([
			[0, "leaf101", "changed"],
			[1, "leaf101", "failed"],
		]);
	});

	it("skipped, where a condition left it out", async () => {
		const { rows } = await runPlaybook("rows.yml", [good, { name: "left out", skip: true }], { loop_var: "row" });
		expect(rows[1]).toMatchObject({ status: "skipped", message: "Conditional result was False" });
	});

	it("on each host, in batches too", async () => {
		const twoHosts = { limit: "leaf101,leaf102" };
		const all = [
			[0, "leaf101", "changed"],
			[0, "leaf102", "changed"],
			[1, "leaf101", "failed"],
			[1, "leaf102", "failed"],
		];
		expect(summarizeRows((await runPlaybook("rows.yml", [good, bad], { loop_var: "row" }, twoHosts)).rows)).toEqual(
			all,
		);
		expect(summarizeRows((await runPlaybook("rows.yml", [good, bad], { serial: 1 }, twoHosts)).rows)).toEqual(all);
		const dead = await runPlaybook("rows.yml", [good], {}, { limit: "leaf101,dead1" });
		expect(summarizeRows(dead.rows)).toEqual([
			[0, "dead1", "unreachable"],
			[0, "leaf101", "changed"],
		]);
	});
});

describe("results that a playbook publishes", () => {
	it("count for more than those of its loops; of several for one row the worst", async () => {
		const published = [
			{ row: "0", status: "ok", message: "leaf101" },
			{ row: 0, status: "failed", message: "leaf102" },
			{ row: 1, status: "changed" },
		];
		const { rows, request } = await runPlaybook("include.yml", [good, good], { row_results: published });
		expect(request.status).toBe("successful");
		expect(rows.map(({ status, message }) => [status, message])).toEqual([
			["failed", "leaf102"],
			["changed", ""],
		]);
	});
});

describe("a good job that says nothing of the rows", () => {
	const warned = async (playbook: string, rows: Body[], variables: Body = {}, more: Body = {}) => {
		const { request, execution, answer } = await runPlaybook(playbook, rows, variables, more);
		expect(request.status).toBe("successful");
		expect(request.warnings).toEqual(execution.warnings);
		expect(answer.warnings).toEqual(execution.warnings);
		return { execution, answer, codes: execution.warnings.map(({ code }: Body) => code) };
	};

	it("warns when its inventory is empty", async () => {
		const { execution, answer } = await warned("rows.yml", [good, { name: "next" }], {}, { inventory: 1, limit: "" });
		expect(execution).toMatchObject({
			rows_unknown: 2,
			playbook_counts: { ok: 0, changed: 0, failed: 0 },
			warnings: [
				{ code: "rows_untouched", message: expect.stringMatching(/touched none of the rows: it ran on no host/) },
			],
		});
		expect(answer).toMatchObject({ summary: { unknown: 2, ok: 0 }, hint: expect.stringMatching(/row_results/) });
	});

	it("says so in the notification of its end", async () => {
		const { execution } = await runPlaybook("hello_world.yml", [good]);
		const key = `automation_execution:${execution.id}`;
		const { rows } = await rig.t.pool.query("select severity, title, body from notifications where key = $1", [key]);
		expect(rows).toEqual([
			{
				severity: "warning",
				title: expect.stringContaining("succeeded"),
				body: expect.stringMatching(/ended: successful\. The job touched none of the rows/),
			},
		]);
	});

	it("warns when its playbook does not use them", async () => {
		const { execution, codes } = await warned("hello_world.yml", [good, { name: "next" }]);
		expect([execution.rows_unknown, codes]).toEqual([2, ["rows_untouched"]]);
		expect(execution.warnings[0].message).toMatch(/^The job touched none of the rows, as far as its results tell/);
	});

	it("warns otherwise when it hands them to files and tasks that do not name them", async () => {
		const included = await warned("include.yml", [good]);
		expect([included.execution.rows_unknown, included.codes]).toEqual([1, ["rows_unreported"]]);
		expect(included.answer.hint).toMatch(/set_stats/);
	});

	it("tells rows as censored when its tasks hide their items", async () => {
		const { execution, answer, codes } = await warned("rows.yml", [good, { name: "next" }], { no_log: true });
		expect([execution.rows_unknown, codes]).toEqual([2, ["rows_censored"]]);
		expect(answer).toMatchObject({ summary: { censored: 2, unknown: 0 }, hint: expect.any(String) });
		expect(answer.rows[1]).toEqual({
			row_index: 1,
			sheet: null,
			status: "censored",
			host: null,
			message: "The job hides the items of its loops (no_log), and with them the result of this row.",
		});
	});

	it("does not warn when the results of all of them are known", async () => {
		const all = await warned("rows.yml", [good, { name: "next" }], { row_results: [{ row: 0, status: "ok" }] });
		expect([all.execution.rows_unknown, all.answer.hint, all.codes]).toEqual([0, null, []]);
	});

	it("warns of those that are not known although others are", async () => {
		const published = { row_results: [{ row: 1, status: "ok" }] };
		const partly = await warned("include.yml", [good, { name: "next" }], published);
		expect([partly.execution.rows_unknown, partly.codes]).toEqual([1, ["rows_unknown"]]);
		expect(partly.execution.warnings[0].message).toMatch(/the result of 1 of 2 rows is not known/);
		expect(partly.answer).toMatchObject({ summary: { ok: 1, unknown: 1 }, hint: expect.any(String) });
	});
});

describe("a good job with rows that failed", () => {
	it("warns on the execution, on the request, in both lists and in the notification", async () => {
		const rows = [good, bad, { name: "next" }];
		const { request, execution } = await runPlaybook("rows.yml", rows, { ignore_errors: true });
		const warning = { code: "rows_failed", message: "The job succeeded, but 1 of 3 rows failed." };
		expect(request.status).toBe("successful");
		expect([request.warnings, execution.warnings]).toEqual([[warning], [warning]]);
		const { api } = rig.alice;
		const [listed] = (await api.get(`${EXECUTIONS}?automation_request=${request.id}`)).body.results;
		const found = (await api.get(`${REQUESTS}?search=${encodeURIComponent(request.title)}`)).body.results;
		const same = found.find(({ id }: Body) => id === request.id);
		expect([listed.warnings, same.warnings]).toEqual([[warning], [warning]]);
		const key = `automation_execution:${execution.id}`;
		const sent = await rig.t.pool.query("select severity, body from notifications where key = $1", [key]);
		expect(sent.rows).toEqual([{ severity: "warning", body: expect.stringContaining(warning.message) }]);
	});
});

describe("a loop that has nothing to do with the rows says nothing of them", () => {
	const numbered = [1, 2, 3].map((rc) => ({ name: `vlan ${rc}`, rc }));
	it.each<[string, unknown[], boolean]>([
		["over numbers that rows have too, before the job fails", [1, 2, 3], true],
		["over numbers that rows have too, in a good job", [1, 2, 3], false],
		["over some of the names of rows", ["vlan 1", "vlan 2"], false],
		["over the names of rows in another order", ["vlan 2", "vlan 1", "vlan 3"], false],
		["over the names of rows and more", ["vlan 1", "vlan 2", "vlan 3", "vlan 4"], true],
	])("%s", async (_what, pods, fail_early) => {
		const { request, execution, answer } = await runPlaybook("pods.yml", numbered, { pods, fail_early });
		expect(request.status).toBe(fail_early ? "failed" : "successful");
		expect(answer.summary).toMatchObject({ unknown: 3, ok: 0, changed: 0, failed: 0, skipped: 0 });
		expect(execution.rows_unknown).toBe(3);
		expect(execution.warnings.map(({ code }: Body) => code)).toEqual(["rows_untouched"]);
	});
});

describe("a job that fails", () => {
	it("counts the rows that are not known, without a warning; before its end none are counted", async () => {
		const request = await rig.request(await createTemplate("syntax.yml", {}, { limit: "" }), {
			input_data: [good, bad],
		});
		const { id, rows_unknown, warnings } = await rig.execute(request);
		expect([rows_unknown, warnings]).toEqual([null, []]);
		const early = (await rig.alice.api.get(`${EXECUTIONS}${id}/row-results/`)).body;
		expect([early.hint, early.summary.unknown]).toEqual([null, 2]);
		expect((await rig.over(request)).status).toBe("failed");
		expect(await rig.execution(id)).toMatchObject({ rows_unknown: 2, warnings: [] });
	});

	it("sums rows over hosts by the worst of them", async () => {
		const { answer } = await runPlaybook("rows.yml", [good, bad], {}, { limit: "leaf101,dead1" });
		expect(answer.summary).toMatchObject({ unreachable: 1, failed: 1, changed: 0 });
		expect(answer.rows).toHaveLength(4);
	});
});
