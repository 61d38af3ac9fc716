/** `weft change`: a change window from its plan to its verdict, as a pipeline runs it. */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection, buildClassNode, connectNodes, output } from "../../server/test/support/canvases.ts";
import { type TestUser, waitUntil } from "../../server/test/support/harness.ts";
import { listJunitProblems, parseXml } from "../../server/test/support/junit-schema.ts";
import { addQuery } from "../../server/test/support/tasks.ts";
import { PLANS, TENANT, WINDOWS } from "../../server/test/support/windows.ts";
import { useCli } from "./support/cli.ts";

const cli = useCli();
/** A member of `Operator`, who may make windows. */
let olga: TestUser;
let connection: string;
let query: string;
let folder: string;
let environment: Record<string, string>;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "weft-change-"));
	olga = await cli.t.user("olga-of-changes", ["Operator"]);
	const { body } = await olga.api.post("/api/auth/tokens/", { name: "changes" });
	environment = { WEFT_URL: cli.url, WEFT_TOKEN: body.token };
	connection = await addConnection(olga.api, cli.lab, { name: "fab-7", is_public: true });
	const flow_data = connectNodes(buildClassNode("fvBD"), output);
	query = await addQuery(olga.api, { flow_data, enable_time_machine: true });
	await addPlan("Domains");
	await addPlan("Hasty", { settle: { delay_s: 0, interval_s: 1, stable_rounds: 1, timeout_s: 5 } });
	await addPlan("Slow", { settle: { delay_s: 600, interval_s: 60, stable_rounds: 1, timeout_s: 900 } });
	await writeObject(TENANT, { fvTenant: { attributes: { dn: TENANT, name: "window-test" } } });
});
afterAll(() => rm(folder, { recursive: true }));

async function addPlan(name: string, fields: object = {}): Promise<void> {
	const settle = { delay_s: 0, interval_s: 1, stable_rounds: 1, timeout_s: 30 };
	const { status, text } = await olga.api.post(PLANS, { name, items: [{ query }], settle, ...fields });
	expect(status, text).toBe(201);
}

/** Writes an object at the controller as its administrator. */
async function writeObject(dn: string, data: object): Promise<void> {
	const body = { connection_id: connection, query_path: `/api/mo/${dn}.json`, method: "POST", data };
	const { status, text } = await cli.t.admin.api.post("/api/controller/connections/execute_query/", body);
	expect(status, text).toBe(200);
}

const writeDomain = (name: string) =>
	writeObject(`${TENANT}/BD-${name}`, { fvBD: { attributes: { dn: `${TENANT}/BD-${name}`, name } } });

/** Runs `weft change` as Olga. */
const runChange = (...args: string[]) => cli.run(["change", ...args], { environment });

/** Starts a window of the plan on `fab-7`. */
const startWindow = (plan: string, ticket: string, ...more: string[]) =>
	runChange("start", plan, "--connection", "fab-7", "--ticket", ticket, ...more);

/** Opens a window of the plan `Domains`. Returns its id. */
async function openWindow(ticket: string, ...more: string[]): Promise<string> {
	const { code, stdout, stderr } = await startWindow("Domains", ticket, ...more);
	expect(code, stderr).toBe(0);
	return stdout.trim();
}

const readState = async (id: string): Promise<string> => (await olga.api.get(`${WINDOWS}${id}/`)).body.state;

/** Parses a JUnit report, which fits the schema of Surefire. */
function parseJunit(text: string) {
	const report = parseXml(text);
	expect(listJunitProblems(report)).toEqual([]);
	return report;
}

/** A file of expectations: a domain that is added. */
async function writeExpectation(name: string): Promise<string> {
	const file = join(folder, `${name}.yaml`);
	await writeFile(file, `- change: added\n  class_name: fvBD\n  dn: ${TENANT}/BD-${name}\n`);
	return file;
}

/** A check of the pre-upgrade script in a file. */
const writeCheck = (path: string, ruleId: string, fields: object = {}) =>
	writeFile(path, JSON.stringify({ ruleId, name: ruleId, ruleStatus: "passed", showValidation: true, ...fields }));

describe("weft change evidence", () => {
	let id: string;
	beforeAll(async () => {
		const { results } = (await olga.api.get(`${PLANS}?search=Domains`)).body;
		const body = { title: "Upgrade", plan: results[0].id, connection_ids: [connection], ticket: { number: "CHG-UP" } };
		id = (await olga.api.post(WINDOWS, body)).body.id;
	});

	it("attaches the JSON files of a folder, and names the other files and the checks that have not passed", async () => {
		const logs = join(folder, "preupgrade_validator_logs");
		await mkdir(join(logs, "json"), { recursive: true });
		await writeFile(join(logs, "preupgrade_validator_debug.log"), "debug");
		await writeCheck(join(logs, "json", "one_check.json"), "one_check");
		const failureDetails = { failType: "FAIL - OUTAGE WARNING!!" };
		await writeCheck(join(logs, "json", "vlan_check.json"), "vlan_check", { ruleStatus: "failed", failureDetails });
		const { code, stdout, stderr } = await runChange("evidence", "CHG-UP", logs, "--format", "json");
		expect(code, stderr).toBe(0);
		expect(stderr).toContain("1 file below");
		expect(stderr).toContain("2 files attached to fab-7.\n");
		expect(stderr).toContain("outage warning: vlan_check\n");
		expect(JSON.parse(stdout)).toMatchObject([{ total: 2, counts: { outage_warning: 1, passed: 1 } }]);
		expect((await runChange("evidence", id)).stdout).toMatch(/fab-7 +1 outage warning, 1 passed/);
		expect(await runChange("evidence", id, logs)).toMatchObject({
			code: 2,
			stderr: expect.stringContaining("attached to this connection of the change window already"),
		});
	});

	it("notes links and deep folders that it does not read", async () => {
		const logs = await mkdtemp(join(folder, "links-"));
		const deepest = join(logs, "a", "b", "c", "d");
		await mkdir(deepest, { recursive: true });
		await writeCheck(join(logs, "linked_check.json"), "linked_check");
		await symlink(join(logs, "linked_check.json"), join(logs, "link.json"));
		const { code, stderr } = await runChange("evidence", "CHG-UP", logs);
		expect(code, stderr).toBe(0);
		expect(stderr).toContain(`${join(logs, "link.json")} is a link and is not read.\n`);
		expect(stderr).toContain(`${deepest} lies too deep and is not read.`);
	});

	it("counts the files before it reads one", async () => {
		const logs = await mkdtemp(join(folder, "many-"));
		const names = Array.from({ length: 501 }, (_, i) => join(logs, `${i}.json`));
		await Promise.all(names.map((name) => writeFile(name, Buffer.from([0xff]))));
		const { code, stderr } = await runChange("evidence", "CHG-UP", logs);
		expect([code, stderr]).toEqual([2, expect.stringContaining("There are 501 files. At most 500 can be attached")]);
	});

	it("reads single files and standard input, and names a connection that the window does not have", async () => {
		const file = join(folder, "summary.json");
		await writeFile(file, JSON.stringify({ PASS: 5, TOTAL: 5 }));
		expect((await runChange("evidence", id, file, "--connection", "fab-7")).code).toBe(0);
		const piped = await cli.run(["change", "evidence", id, "-"], {
			environment,
			stdin: JSON.stringify({ PASS: 6, TOTAL: 6 }),
		});
		expect([piped.code, piped.stderr]).toEqual([0, expect.stringContaining("1 file attached")]);
		expect((await runChange("evidence", id, file, "--connection", "nowhere")).code).toBe(2);
	});

	it("removes the results with an id, and ends with 2 for one that the window does not have", async () => {
		const listed = JSON.parse((await runChange("evidence", id, "--format", "json")).stdout);
		const [{ id: first }, ...others] = listed;
		const removed = await runChange("evidence", id, "--remove", first, "--format", "json");
		expect([removed.code, removed.stderr]).toEqual([0, "The results are removed.\n"]);
		expect(JSON.parse(removed.stdout)).toEqual(others);
		expect((await runChange("evidence", id, "--remove", first)).code).toBe(2);
	});

	it("ends with 2 for an archive, a file of something else and a path that is not there", async () => {
		const archive = join(folder, "preupgrade_validator_1.tgz");
		await writeFile(archive, "");
		const packed = await runChange("evidence", id, archive);
		expect([packed.code, packed.stderr]).toEqual([2, expect.stringContaining(`tar -xzf ${archive}`)]);
		const other = join(folder, "other.json");
		await writeFile(other, '{"imdata": []}');
		const refused = await runChange("evidence", id, other);
		expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('other.json" is not of the script')]);
		expect(await runChange("evidence", id, join(folder, "nothing"))).toMatchObject({
			code: 2,
			stderr: expect.stringContaining("cannot be read (ENOENT)"),
		});
		const empty = await mkdtemp(join(folder, "empty-"));
		expect((await runChange("evidence", id, empty)).stderr).toContain("There is no .json file below");
	});
});

describe("weft change start", () => {
	it("opens a window with expectations of a file, and writes the report of a change that passed", async () => {
		const started = await startWindow("Domains", "CHG1", "--expect", await writeExpectation("wanted"));
		expect(started.code, started.stderr).toBe(0);
		expect(started.stdout).toMatch(/^[0-9a-f-]{36}\n$/);
		expect(started.stderr).toContain("1 expectation added.");
		expect((await olga.api.get(`${WINDOWS}${started.stdout.trim()}/`)).body).toMatchObject({
			state: "open",
			title: "Domains (CHG1)",
			ticket: { number: "CHG1" },
			connection_ids: [connection],
		});
		await writeDomain("wanted");
		const [reports, summary] = [join(folder, "report"), join(folder, "summary.md")];
		const finished = await cli.run(["change", "finish", "CHG1", "--report", reports], {
			environment: { ...environment, GITHUB_STEP_SUMMARY: summary },
		});
		expect(finished.code, finished.stderr).toBe(0);
		expect(finished.stdout).toContain("passed");
		expect((await readdir(reports)).sort()).toEqual(["junit.xml", "report.html", "report.json", "report.md"]);
		expect(JSON.parse(await readFile(join(reports, "report.json"), "utf8"))).toMatchObject({
			verdict: "passed",
			exit_code: 0,
			expected: [{ dn: `${TENANT}/BD-wanted` }],
		});
		const { children: suites } = parseJunit(await readFile(join(reports, "junit.xml"), "utf8"));
		expect(suites.map(({ attributes }) => attributes)).toMatchObject([{ name: "fab-7", failures: "0", errors: "0" }]);
		expect(await readFile(summary, "utf8")).toBe(await readFile(join(reports, "report.md"), "utf8"));
		// A window that is judged prints the same report again.
		expect((await runChange("finish", "CHG1")).stdout).toBe(finished.stdout);
	});

	it("ends with 1 for an undeclared change, which is listed, accepted and signed", async () => {
		const id = (await startWindow("Hasty", "CHG2")).stdout.trim();
		await writeDomain("stray");
		const finished = await runChange("finish", "CHG2", "--format", "json");
		expect([finished.code, JSON.parse(finished.stdout)]).toMatchObject([1, { id, verdict: "failed" }]);
		expect(finished.stderr).toContain("weft: Change window CHG2: failed (undeclared:1)\n");
		const { children: suites } = parseJunit((await runChange("report", "CHG2", "--export", "junit")).stdout);
		expect(suites.map(({ attributes }) => attributes)).toMatchObject([{ name: "fab-7", failures: "1", errors: "0" }]);
		const listed = await runChange("findings", "CHG2", "--class", "undeclared", "--exit-code", "--format", "json");
		const [finding] = JSON.parse(listed.stdout);
		expect([listed.code, finding]).toMatchObject([1, { class: "undeclared", dn: `${TENANT}/BD-stray` }]);
		const accepted = await runChange("accept", "CHG2", finding.id, "--reason", "Known", "--format", "csv");
		expect(accepted.code, accepted.stderr).toBe(0);
		expect(accepted.stdout).toContain(`undeclared,warning,fab-7,0,${TENANT}/BD-stray,added`);
		const shown = await runChange("show", id);
		expect(shown.stdout).toMatch(/^verdict_line +failed; 1 of 1 finding accepted by olga-of-changes$/m);
		const signed = await runChange("sign", "CHG2", "--comment", "As agreed");
		expect(signed.stdout, signed.stderr).toMatch(/^state +closed$/m);
		expect((await runChange("report", "CHG2", "--export", "md")).stdout).toContain("As agreed");
	});

	it("ends with 1 for a blocked window, which opens when it is checked again", async () => {
		cli.lab.setFaults({ busy: { match: "fvBD" } });
		const blocked = await startWindow("Domains", "CHG3");
		expect(blocked.code, blocked.stderr).toBe(1);
		const id = blocked.stdout.trim();
		expect(blocked.stderr).toContain("Change window CHG3 is blocked, and nothing was changed.");
		expect(blocked.stderr).toContain(`weft change start --window ${id}`);
		expect((await runChange("finish", "CHG3")).stderr).toContain("is blocked: only an open window can be finished.");
		cli.lab.clearFaults();
		expect(await runChange("start", "--window", "CHG3")).toMatchObject({ code: 0, stdout: `${id}\n` });
		expect((await runChange("cancel", "CHG3")).stdout).toMatch(/^state +cancelled$/m);
	});

	it("lets another person open a blocked window, which is judged again after a recheck", async () => {
		cli.lab.setFaults({ busy: { match: "fvBD" } });
		const id = (await startWindow("Hasty", "CHG9")).stdout.trim();
		cli.lab.clearFaults();
		expect(await runChange("override", id, "--reason", "Known")).toMatchObject({ code: 3, stdout: "" });
		const { body } = await cli.t.admin.api.post("/api/auth/tokens/", { name: "overrides" });
		const admin = { ...environment, WEFT_TOKEN: body.token };
		const opened = await cli.run(["change", "override", id, "--reason", "Known"], { environment: admin });
		expect(opened.stdout, opened.stderr).toMatch(/^override +root: Known$/m);
		expect((await runChange("finish", id)).code).toBe(5);
		const again = await runChange("recheck", "CHG9", "--format", "junit");
		expect(again.code, again.stderr).toBe(5);
		expect(parseJunit(again.stdout).children[0]?.attributes).toMatchObject({ failures: "0", errors: "1" });
	});

	it("ends with 5 if the fabric does not answer after the work, or if the verdict takes too long", async () => {
		expect((await startWindow("Hasty", "CHG4")).code).toBe(0);
		cli.lab.setFaults({ busy: { match: "fvBD" } });
		const finished = await runChange("finish", "CHG4");
		expect(finished.code, finished.stderr).toBe(5);
		expect(finished.stderr).toContain("Change window CHG4: inconclusive");
		cli.lab.clearFaults();
		const id = (await startWindow("Slow", "CHG5")).stdout.trim();
		const late = await runChange("finish", "CHG5", "--wait", "1s");
		expect(late).toMatchObject({ code: 5, stdout: "" });
		expect(late.stderr).toContain(`is not judged within 1s. It goes on without this command.`);
		expect(await readState(id)).toBe("settling");
	});

	it("ends with 1 for a window that awaits approval", async () => {
		await addPlan("Approved", { requires_approval: true });
		const { code, stdout, stderr } = await startWindow("Approved", "CHG6");
		expect(code, stderr).toBe(1);
		expect(stderr).toContain(`Change window CHG6 (${stdout.trim()}) awaits approval.`);
		expect(await readState(stdout.trim())).toBe("waiting");
	});

	it("finds the open window of a ticket, else the newest", async () => {
		const open = await openWindow("CHG7");
		const newer = await openWindow("CHG7");
		expect((await runChange("cancel", newer)).code).toBe(0);
		expect(JSON.parse((await runChange("show", "CHG7", "--format", "json")).stdout).id).toBe(open);
		expect((await runChange("cancel", open)).code).toBe(0);
		expect(JSON.parse((await runChange("show", "CHG7", "--format", "json")).stdout).id).toBe(newer);
		const listed = await runChange("list", "--ticket", "CHG7", "--format", "json");
		expect(JSON.parse(listed.stdout).map(({ id }: { id: string }) => id)).toEqual([newer, open]);
	});

	it("leaves the window as it is after Ctrl-C, and names the command that continues", async () => {
		const id = (await startWindow("Slow", "CHG8")).stdout.trim();
		const started = cli.start(["change", "finish", "CHG8"], { environment });
		await waitUntil("it waits", () => started.output.stderr.includes("Change window CHG8: settling."));
		started.child.kill("SIGINT");
		const { code, stderr } = await started.ended;
		expect(code, stderr).toBe(130);
		expect(stderr).toContain(`Change window CHG8 stays as it is (settling). Continue with: weft change finish ${id}`);
		expect(await readState(id)).toBe("settling");
	});
});

describe("weft change run", () => {
	const runWork = (plan: string, ticket: string, script: string, ...more: string[]) =>
		runChange(
			...["run", plan, "--connection", "fab-7", "--ticket", ticket, ...more],
			...["--", process.execPath, "-e", script],
		);

	it("ends with 0 where the command ended with 0 and the change passed", async () => {
		const file = join(folder, "worked");
		const { code, stdout, stderr } = await runWork("Domains", "CHG10", `fs.writeFileSync(${JSON.stringify(file)}, "")`);
		expect(code, stderr).toBe(0);
		expect(stdout).toContain("passed");
		expect(await readdir(folder)).toContain("worked");
	});

	it("ends with 1 and names both codes where the command or the change failed", async () => {
		const command = await runWork("Domains", "CHG11", "process.exit(3)");
		expect(command.code, command.stderr).toBe(1);
		expect(command.stderr).toContain(`weft: The command ${process.execPath} ended with 3.\n`);
		expect(command.stderr).toContain("Change window CHG11: passed\n");
		const change = await runWork("Hasty", "CHG12", "", "--expect", await writeExpectation("never"));
		expect(change.code, change.stderr).toBe(1);
		expect(change.stderr).toContain("ended with 0.\nChange window CHG12: failed (missing:1)\n");
	});

	it("does not start the command where the window is blocked", async () => {
		cli.lab.setFaults({ busy: { match: "fvBD" } });
		const { code, stderr } = await runWork(
			"Domains",
			"CHG13",
			`fs.writeFileSync(${JSON.stringify(join(folder, "blocked"))}, "")`,
		);
		expect(code, stderr).toBe(1);
		expect(stderr).toContain("Change window CHG13 is blocked");
		expect(await readdir(folder)).not.toContain("blocked");
	});
});

describe("weft change", () => {
	it("names weft changes where no subcommand is given", async () => {
		const { code, stdout, stderr } = await runChange();
		expect(code).toBe(2);
		expect((stdout + stderr).replace(/\s+/g, " ")).toContain("All changes of the fabrics: weft changes.");
	});

	it("ends with 2 for unknown names and wrong options, and makes no window", async () => {
		await openWindow("CHG-known");
		const before = (await olga.api.get(WINDOWS)).body.count;
		const start = ["start", "Domains", "--connection", "fab-7"];
		const refusals = [
			[["show", "CHG-knwon"], 'There is no change window with the ticket "CHG-knwon". Did you mean "CHG-known"?'],
			[["finish", "6f9619ff-8b86-4011-b42d-00c04fc964ff"], "There is no change window with the id 6f9619ff"],
			[["start", "Domain", "--connection", "fab-7", "--ticket", "T"], 'There is no change plan "Domain".'],
			[["start", "Domains", "--ticket", "T"], "Give the connections of the change with --connection or --group."],
			[start, "Give the ticket of the change with --ticket."],
			[["start"], "Give either a change plan, or a window with --window."],
			[[...start, "--ticket", "T", "--wait", "soon"], "--wait soon: Must be a time such as 90s, 20m or 2h."],
			[[...start, "--ticket", "T", "--expect", join(folder, "gone.yaml")], "gone.yaml cannot be read (ENOENT)."],
		] as const;
		for (const [args, message] of refusals)
			expect(await runChange(...args)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
		expect((await olga.api.get(WINDOWS)).body.count).toBe(before);
	});

	it("adds expectations of standard input, and names a file that it cannot parse", async () => {
		const id = await openWindow("CHG20");
		const yaml = `- change: added\n  dn: ${TENANT}/BD-late\n`;
		const added = await cli.run(["change", "expect", id, "--file", "-", "--format", "json"], {
			environment,
			stdin: yaml,
		});
		expect([added.code, JSON.parse(added.stdout)]).toMatchObject([0, [{ dn: `${TENANT}/BD-late`, late: true }]]);
		const file = join(folder, "wrong.yaml");
		await writeFile(file, "{ not: [a list");
		const refused = await startWindow("Domains", "CHG21", "--expect", file);
		expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(`weft: ${file}: `) });
		expect((await olga.api.get(`${WINDOWS}?ticket=CHG21`)).body.results).toMatchObject([{ state: "cancelled" }]);
	});
});
