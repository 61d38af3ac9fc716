/** Reports of `weft check`: JUnit, and the summary of a step; one check and its states. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection } from "../../server/test/support/canvases.ts";
import { getChecks } from "../../server/test/support/checks.ts";
import { listJunitProblems, parseXml, type XmlElement } from "../../server/test/support/junit-schema.ts";
import { useCli } from "./support/cli.ts";

const cli = useCli();
/** Text that would be markup in XML, Markdown and HTML. */
const NAME = 'No "bridge" | `domain` <b>&amp;</b> [x](y) *z*';
let folder: string;
let second: string;
let broken: string;
beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "weft-check-report-"));
	const checks = getChecks(cli.ada.api, () => cli.t);
	second = await addConnection(cli.ada.api, cli.lab, { name: "fab-2" });
	broken = await addConnection(cli.ada.api, { ...cli.lab, password: "wrong" }, { name: "fab-<3>" });
	const saved_query = await checks.query("fvAEPg", { name: "Groups" });
	const controller_connection_ids = [cli.connection, second];
	const one = { saved_query, controller_connection_ids };
	await checks.add({ ...one, name: NAME, type: "no_rows", severity: "critical" });
	await checks.add({ ...one, name: "Minor", type: "no_rows", severity: "info" });
	await checks.add({ ...one, name: "Many", type: "row_count", config: { operator: "gt", value: 0 } });
	await checks.add({
		...one,
		name: "Unreached",
		type: "no_rows",
		controller_connection_ids: [broken],
	});
	await checks.add({ ...one, name: "Off", type: "no_rows", is_active: false });
	await checks.add({ saved_query: await checks.query(), name: "New", type: "no_rows" });
});
afterAll(() => rm(folder, { recursive: true }));

/** Cases of each suite, by names: the element that says how it ended, with its message. */
function readCases(xml: string): Record<string, Record<string, readonly [string, string | undefined] | null>> {
	const root = parseXml(xml);
	expect(listJunitProblems(root)).toEqual([]);
	const readEnd = ({ children: [end] }: XmlElement) =>
		end === undefined ? null : ([end.name, end.attributes.message] as const);
	return Object.fromEntries(
		root.children.map(({ attributes, children }) => [
			attributes.name,
			Object.fromEntries(children.map((one) => [one.attributes.name, readEnd(one)])),
		]),
	);
}

describe("the JUnit report of weft check", () => {
	it("reports a suite for each connection and a case for each check, as they decide the exit code", async () => {
		const args = ["check", "run", "--query", "Groups", "--format", "junit"];
		const { code, stdout } = await cli.weft(...args);
		expect(code).toBe(1);
		const found = readCases(stdout);
		expect(Object.keys(found)).toEqual(["fab-1", "fab-2", "fab-<3>"]);
		const violations = expect.stringMatching(/^failing: \d+ violations$/);
		const onBoth = {
			[NAME]: ["failure", violations],
			Minor: ["skipped", expect.stringMatching(/^failing: \d+ violations\. Its severity info is below warning\.$/)],
			Many: null,
		};
		expect(found).toEqual({
			"fab-1": onBoth,
			"fab-2": onBoth,
			"fab-<3>": { Unreached: ["error", expect.stringMatching(/^error: \S/)] },
		});
	});

	it("shows twenty violating rows, and counts the others", async () => {
		const { stdout } = await cli.weft("check", "run", NAME, "--connection", "fab-1", "--format", "junit");
		const [suite] = parseXml(stdout).children;
		const [one] = suite?.children ?? [];
		expect(one?.attributes.classname).toBe("check");
		const [first, about, ...lines] = one?.children[0]?.text.split("\n") ?? [];
		const count = Number(/^failing: (\d+) violations$/.exec(first ?? "")?.[1]);
		expect(count).toBeGreaterThan(20);
		expect(about).toBe("Query: Groups. Severity: critical.");
		expect(lines).toHaveLength(21);
		expect(lines.at(-1)).toBe(`and ${count - 20} more`);
		for (const line of lines.slice(0, 20)) expect(JSON.parse(line)).toMatchObject({ fvAEPg: { attributes: {} } });
	});

	it("says that a case has no rows after two hundred others", async () => {
		const checks = getChecks(cli.ada.api, () => cli.t);
		const saved_query = await checks.query("fvAEPg", { name: "Crowd" });
		const fields = { saved_query, type: "no_rows", controller_connection_ids: [cli.connection, second] };
		for (let i = 1; i <= 101; i++) await checks.add({ ...fields, name: `Crowd ${i}` });
		const { stdout } = await cli.weft("check", "run", "--query", "Crowd", "--format", "junit");
		const texts = parseXml(stdout).children.flatMap(({ children }) =>
			children.map(({ children: [end] }) => end?.text.split("\n") ?? []),
		);
		expect(texts).toHaveLength(202);
		const note = "Rows are listed for the first 200 results only.";
		expect(texts.filter((lines) => lines.at(-1) === note && lines.length === 3)).toHaveLength(2);
		expect(texts.filter((lines) => lines.length > 20)).toHaveLength(200);
	});

	it("reports no listed check as passed that was not evaluated, is not active or waits", async () => {
		const { code, stdout } = await cli.weft("check", "list", "--format", "junit", "--exit-code");
		expect(code).toBe(1);
		expect(readCases(stdout)).toMatchObject({
			"all connections": { New: ["skipped", "unknown: It has not been evaluated."] },
			"fab-1": {
				[NAME]: ["failure", expect.any(String)],
				Minor: ["failure", expect.any(String)],
				Many: null,
				Off: ["skipped", "The check is not active. unknown: It has not been evaluated."],
			},
			"fab-<3>": { Unreached: ["error", expect.any(String)] },
		});
		const one = await cli.weft("check", "list", "--connection", "fab-2", "--format", "junit");
		expect(Object.keys(readCases(one.stdout))).toEqual(["fab-2"]);
	});
});

describe("the summary of a pipeline's step", () => {
	const runWith = (file: string, ...args: string[]) =>
		cli.run(["check", "run", ...args], { environment: { GITHUB_STEP_SUMMARY: file } });

	it("appends a summary to the file of GITHUB_STEP_SUMMARY, with names that are no markup", async () => {
		const file = join(folder, "summary.md");
		await runWith(file, "--query", "Groups");
		await runWith(file, "Many", "--connection", "fab-1", "--format", "junit");
		const text = await readFile(file, "utf8");
		expect(text).toMatch(/^### Checks: 2 failing, 1 not evaluated, 2 not counted, 2 ok\n/);
		expect(text).toContain("\n### Checks: 1 ok\n");
		const name = 'No "bridge" \\| \\`domain\\` \\<b\\>\\&amp;\\</b\\> \\[x\\]\\(y\\) \\*z\\*';
		expect(text).toContain(`\n| failing | critical | ${name} | fab-1 | failing\\: `);
		expect(text).toContain("| ok | warning | Many | fab-1 |  |\n");
		expect(text).toContain("| fab-\\<3\\> |");
	});

	it("changes no result where the summary cannot be written", async () => {
		const { code, stderr } = await runWith(join(folder, "none", "summary.md"), "Many");
		expect(code).toBe(0);
		expect(stderr).toContain("The summary could not be written: ");
	});
});

describe("weft check show, ack and mute", () => {
	it("shows a check with its states", async () => {
		const { code, stdout } = await cli.weft("check", "show", "minor");
		expect(code).toBe(0);
		expect(stdout).toMatch(/^name +Minor$/m);
		expect(stdout).toMatch(/^query +Groups$/m);
		expect(stdout).toMatch(/\n\nconnection +state +violations +since/);
		expect(stdout).toMatch(/^fab-1 +failing +\d+ /m);
		const json = JSON.parse((await cli.weft("check", "show", "Minor", "--format", "json")).stdout);
		expect(json).toMatchObject({ name: "Minor", states: [{ state: "failing" }, { state: "failing" }] });
		const junit = await cli.weft("check", "show", "Minor", "--format", "junit");
		expect(junit.stdout).toContain('<failure message="The check is failing: ');
		expect(await cli.weft("check", "show", "Minr")).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('There is no check "Minr". Did you mean "Minor"'),
		});
	});

	it("acknowledges a problem on one connection, with a comment", async () => {
		const args = ["Minor", "--connection", "fab-2", "--comment", "known"];
		const { code, stdout, stderr } = await cli.weft("check", "ack", ...args, "--format", "json");
		expect(code, stderr).toBe(0);
		expect(JSON.parse(stdout).states).toMatchObject([
			{ controller_connection_name: "fab-1", acknowledged_by: null },
			{ controller_connection_name: "fab-2", acknowledged_by: { username: "ada" } },
		]);
	});

	it("mutes a check until a time, and ends the mute", async () => {
		const muted = await cli.weft("check", "mute", "Minor", "--until", "in 2 hours", "--format", "json");
		expect(muted.code, muted.stderr).toBe(0);
		expect(Date.parse(JSON.parse(muted.stdout).muted_until)).toBeGreaterThan(Date.now() + 3_600_000);
		const ended = await cli.weft("check", "mute", "Minor", "--end", "--format", "json");
		expect(JSON.parse(ended.stdout).muted_until).toBeNull();
		const refusals = [
			[["Minor"], "Give either --until or --end."],
			[["Minor", "--until", "soon"], "--until soon: Must be a time"],
			[["Minor", "--until", "2 hours ago"], "until: Must be in the future."],
			[["Minor", "--end", "--connection", "fab-<3>"], "controller_connection_id: "],
		] as const;
		for (const [args, message] of refusals)
			expect(await cli.weft("check", "mute", ...args)).toMatchObject({
				code: 2,
				stderr: expect.stringContaining(message),
			});
	});
});
