/**
 * The playbooks of docs/automation.md: a real Ansible runs their text, and the simulated server
 * plays its events back. Without an Ansible only the lab's own playbooks of the same kind run. What
 * else people write is run by Ansible alone.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missing, runPlaybook } from "../support/ansible.ts";
import { type Body, EXECUTIONS, type Rig, startRig } from "../support/automation.ts";

if (missing !== null) {
	process.stderr.write(`playbooks of docs/automation.md: ${missing}; the lab's own playbooks stand in for them\n`);
}

const document = readFileSync(new URL("../../../docs/automation.md", import.meta.url), "utf8");
/** Each example begins with its path as a comment. */
const files: Record<string, string> = Object.fromEntries(
	[...document.matchAll(/^```yaml\n(# (\S+\.yml)\n.*?)^```$/gms)].map(([, text, path]) => [path, text]),
);
const HOSTS = ["leaf101", "leaf102"];
const ROWS = [{ name: "good" }, { name: "bad" }, { name: "late" }];
type Told = readonly [status: string, message?: string];

/** What becomes of the rows on each host: only the second one cannot be carried out. */
const EXAMPLES: readonly { playbook: string; expected: readonly Told[]; stand_in: string; variables?: Body }[] = [
	{ playbook: "loop.yml", expected: [["changed"], ["failed"], ["changed"]], stand_in: "rows.yml" },
	{
		playbook: "loop_var.yml",
		expected: [["changed"], ["failed"], ["changed"]],
		stand_in: "rows.yml",
		variables: { loop_var: "row" },
	},
	{ playbook: "async.yml", expected: [["changed"], ["failed"], ["changed"]], stand_in: "async.yml" },
	{
		playbook: "include.yml",
		expected: [["changed"], ["failed", "VLAN bad is not possible"], ["changed"]],
		stand_in: "include.yml",
		variables: { row_results: buildRowResults(["changed", "failed", "changed"]) },
	},
	{
		playbook: "roles.yml",
		expected: [["changed"], ["failed", "VLAN bad is not possible"], ["unknown"]],
		stand_in: "include.yml",
		variables: { role: true, row_results: buildRowResults(["changed", "failed"]) },
	},
];

function buildRowResults(statuses: readonly string[]) {
	return HOSTS.flatMap((host) =>
		statuses.map((status, row) => ({
			row: String(row),
			host,
			status,
			message: status === "failed" ? "VLAN bad is not possible" : "",
		})),
	);
}

let rig: Rig;
beforeAll(async () => {
	rig = await startRig();
});
afterAll(() => rig.close());

let serial = 90;
async function listResults(playbook: string, rows: readonly Body[], variables: Body) {
	const id = serial++;
	const asks = ["variables"];
	await rig.lab.control("template", { id, name: playbook, playbook, limit: HOSTS.join(","), simultaneous: true, asks });
	const template = await rig.template({ automation_job_template_id: id, variable_mappings: variables });
	const request = await rig.request(template, { input_data: rows });
	const execution = await rig.execute(request);
	const { status } = await rig.over(request);
	const { body } = await rig.alice.api.get(`${EXECUTIONS}${execution.id}/row-results/`);
	return { status, rows: body.rows as Body[], warnings: body.warnings as Body[] };
}

const pickStatuses = (rows: readonly Body[]) => rows.map(({ row_index, host, status }) => [row_index, host, status]);
const getExpected = (expected: readonly Told[]) =>
	expected.flatMap(([status], row) => HOSTS.map((host) => [row, host, status]));

describe("the documented playbooks", () => {
	it("are five, with the files that they need", () => {
		expect(Object.keys(files).sort()).toEqual(
			[...EXAMPLES.map(({ playbook }) => playbook), "vlan.yml", "roles/vlan/tasks/main.yml"].sort(),
		);
	});

	it.skipIf(missing !== null).each(EXAMPLES)(
		"$playbook reports its rows",
		async ({ playbook, expected }) => {
			const run = await runPlaybook(files, playbook, HOSTS, { rows: ROWS });
			expect(run.status).toBe("failed");
			await rig.lab.control("recording", { playbook: `documented/${playbook}`, ...run });
			const { status, rows } = await listResults(`documented/${playbook}`, ROWS, {});
			expect(status).toBe("failed");
			expect(pickStatuses(rows)).toEqual(getExpected(expected));
			for (const [row, [, message]] of expected.entries()) {
				const messages = rows.filter(({ row_index }) => row_index === row).map((one) => one.message);
				if (message !== undefined) expect(messages).toEqual(HOSTS.map(() => message));
			}
		},
		60_000,
	);

	it.each(EXAMPLES)("$playbook is like $stand_in of the lab", async ({ stand_in, expected, variables = {} }) => {
		const rows = ROWS.map((row) => (row.name === "bad" && stand_in !== "include.yml" ? { ...row, rc: 3 } : row));
		expect(pickStatuses((await listResults(stand_in, rows, variables)).rows)).toEqual(getExpected(expected));
	});
});

/** A playbook of one play with these tasks. */
const buildPlaybook = (tasks: string, play = "") => `- hosts: all\n  gather_facts: false\n${play}  tasks:\n${tasks}`;
const buildCreateTask = (name: string, options: string) =>
	`    - ansible.builtin.command: vlan create {{ ${name}.name }}\n      loop: "{{ rows }}"\n${options}`;
const ROW = "      loop_control: {loop_var: row}\n";

describe.skipIf(missing !== null)("a real Ansible", () => {
	it.each<{ what: string; files: Record<string, string>; hosts: string[]; expected: string[]; codes?: string[] }>([
		{
			what: "repeats tasks, and leaves items out by a condition",
			files: {
				"site.yml": buildPlaybook(
					buildCreateTask("row", `${ROW}      when: row.name != 'late'\n      retries: 1\n      delay: 0\n`) +
						"      register: made\n      until: made.rc == 0\n",
				),
			},
			hosts: ["leaf101"],
			expected: ["changed", "failed", "skipped"],
		},
		{
			what: "hides items",
			files: {
				"site.yml": buildPlaybook(buildCreateTask("row", `${ROW}      no_log: true\n      ignore_errors: true\n`)),
			},
			hosts: ["leaf101"],
			expected: ["censored", "censored", "censored"],
			codes: ["rows_censored"],
		},
		{
			what: "works in batches, and goes over its own results twice",
			files: {
				"site.yml": buildPlaybook(
					`${buildCreateTask("row", `${ROW}      register: made\n      ignore_errors: true\n`)}${[
						"    - ansible.builtin.debug: {msg: ok}",
						'      loop: "{{ made.results }}"',
						"      register: seen",
						"    - ansible.builtin.debug: {msg: ok}",
						'      loop: "{{ seen.results }}"',
						"",
					].join("\n")}`,
					"  serial: 1\n",
				),
			},
			hosts: HOSTS,
			expected: ["changed", "changed", "failed", "failed", "changed", "changed"],
			codes: ["rows_failed"],
		},
		{
			what: "hands rows to a file, one of whose tasks names them",
			files: {
				"site.yml": buildPlaybook(`    - ansible.builtin.include_tasks: row.yml\n      loop: "{{ rows }}"\n${ROW}`),
				"row.yml": `- ansible.builtin.command: vlan create {{ item.name }}\n  loop: "{{ [row] }}"\n  ignore_errors: true\n`,
			},
			hosts: ["leaf101"],
			expected: ["changed", "failed", "changed"],
			codes: ["rows_failed"],
		},
		{
			what: "hands rows to a role that does not",
			files: {
				"site.yml": buildPlaybook(
					`    - ansible.builtin.include_role: {name: quiet}\n      loop: "{{ rows }}"\n${ROW}`,
				),
				"roles/quiet/tasks/main.yml": "- ansible.builtin.debug: {var: row}\n",
			},
			hosts: ["leaf101"],
			expected: ["unknown", "unknown", "unknown"],
			codes: ["rows_unreported"],
		},
		{
			what: "has no hosts",
			files: { "site.yml": buildPlaybook(buildCreateTask("row", ROW)) },
			hosts: [],
			expected: ["unknown", "unknown", "unknown"],
			codes: ["rows_untouched"],
		},
	])(
		"$what",
		async ({ what, files: project, hosts, expected, codes = [] }) => {
			await rig.lab.control("recording", {
				playbook: what,
				...(await runPlaybook(project, "site.yml", hosts, { rows: ROWS })),
			});
			const { rows, warnings } = await listResults(what, ROWS, {});
			expect(rows.map(({ status }) => status)).toEqual(expected);
			expect(warnings.map(({ code }) => code)).toEqual(codes);
		},
		60_000,
	);
});
