/**
 * The README's pipelines and examples/pipeline, with the packed command line in an empty folder:
 * their own text runs, with the names of this test in place of those of the examples.
 */
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { addConnection, buildClassNode, connectNodes, output, QUERIES } from "../../server/test/support/canvases.ts";
import { CHECKS } from "../../server/test/support/checks.ts";
import {
	buildExamplePath,
	findExampleToken,
	findWindowToken,
	readExample,
} from "../../server/test/support/examples.ts";
import { GROUPS } from "../../server/test/support/group-runs.ts";
import { listJunitProblems, parseXml } from "../../server/test/support/junit-schema.ts";
import { NPM_SETTINGS, packWorkspace, root } from "../../server/test/support/packed.ts";
import { createShiftedClock } from "../../server/test/support/shifted-clock.ts";
import { type Ended, startProgram } from "../../server/test/support/spawned.ts";
import { addQuery } from "../../server/test/support/tasks.ts";
import { PLANS, TENANT } from "../../server/test/support/windows.ts";
import { useCli } from "./support/cli.ts";

const ADDRESS = "https://weft.example.com";
const clock = createShiftedClock();
const cli = useCli({ deps: async () => ({ clock }) });
let other: RunningController;
let folder: string;
let tarball: string;
let secret: string;
/** Blocks of the README: on the workstation, in the pipeline, and around a change. */
let workstation: string;
let pipeline: string;
let change: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "weft-pipeline-"));
	other = await startController({ size: "small", seed: 2 });
	await addConnection(cli.ada.api, other, { name: "fab-2" });
	for (const name of ["tenants", "new"]) {
		const fields = { name, flow_data: connectNodes(buildClassNode("fvTenant"), output), enable_time_machine: true };
		expect((await cli.ada.api.post(QUERIES, fields)).status).toBe(201);
	}
	({ tarball } = await packWorkspace("cli", folder));
	const readme = await readFile(join(root, "README.md"), "utf8");
	const listBlocks = (title: string): string[] => {
		const [, section = ""] = new RegExp(`^## ${title}\\n(.*?)^## `, "ms").exec(readme) ?? [];
		return [...section.matchAll(/^```\n(.*?)^```$/gms)].map(([, text = ""]) => text);
	};
	[workstation = "", pipeline = ""] = listBlocks("From a pipeline");
	[change = ""] = listBlocks("Before and after a change");
});
afterAll(async () => {
	await other.close();
	await rm(folder, { recursive: true });
});

/** Runs the text of a shell script where nothing but the packed program is installed. */
function runShell(
	text: string,
	options: { stdin?: string; environment?: Record<string, string> } = {},
): Promise<Ended> {
	const script = text.replaceAll(ADDRESS, cli.url).replaceAll("@weft/cli", tarball).replace("weft_pat_…", secret);
	return startProgram("bash", ["-c", script], {
		cwd: folder,
		stdin: options.stdin,
		environment: {
			...NPM_SETTINGS,
			npm_config_prefix: folder,
			XDG_CONFIG_HOME: join(folder, "config"),
			PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`,
			...options.environment,
		},
	}).ended;
}

describe("the README's pipeline", () => {
	it("installs the command line, signs in and prints a token", async () => {
		// Without a terminal nobody can be asked for the password.
		const text = workstation.replace("--username ada", "--username ada --password-stdin");
		const done = await runShell(`set -e\n${text}`, { stdin: `${cli.ada.password}\n` });
		expect(done, done.stderr).toMatchObject({ code: 0 });
		expect(done.stderr).toContain("Store the token now");
		secret = /weft_pat_[0-9A-Za-z]{49}/.exec(done.stdout)?.[0] ?? "";
		expect(secret).not.toBe("");
		// The pipeline has the token alone.
		await rm(join(folder, "config"), { recursive: true });
	});

	it("ends with 2 while there is no snapshot of yesterday", async () => {
		const young = await runShell(pipeline.replaceAll("tenants", "new"));
		expect(young, young.stderr).toMatchObject({ code: 2, stderr: expect.stringContaining("snapshot") });
	});

	it("ends with 0 without drift, and with 1 on drift of the second fabric", async () => {
		clock.behindHours = 25;
		const yesterday = await runShell(pipeline);
		expect(yesterday, yesterday.stderr).toMatchObject({ code: 0 });
		clock.behindHours = 0;
		const same = await runShell(pipeline);
		expect(same, same.stderr).toMatchObject({ code: 0 });
		expect(same.stdout.match(/No differences\./g)).toHaveLength(2);
		other.advance({ steps: 1, change_rate: 1 });
		const changed = await runShell(pipeline);
		expect(changed, changed.stderr).toMatchObject({ code: 1 });
		expect(changed.stdout).toMatch(/No differences\.\n[\s\S]*~ uni\/tn-/);
	});

	it("ends with the code of a capture that fails, and compares nothing old", async () => {
		other.setFaults({ error: { match: "fvTenant" } });
		const failed = await runShell(pipeline);
		other.clearFaults();
		expect(failed, failed.stderr).toMatchObject({ code: 5 });
		expect(failed.stdout).not.toContain("No differences.");
	});
});

const readPipeline = (name: string) => parse(readExample(`pipeline/${name}`));
let token: string;

/** Runs the lines of one job of an example, with the environment of its file. */
const runInPipeline = (lines: readonly string[], environment: Record<string, string>) =>
	runShell(`set -e\n${lines.join("\n")}`, {
		environment: {
			...environment,
			WEFT_URL: environment.WEFT_URL?.replace(ADDRESS, cli.url) ?? "",
			WEFT_TOKEN: token,
		},
	});

describe("examples/pipeline", () => {
	beforeAll(async () => {
		token = await findExampleToken(cli.t, cli.ada);
		await copyFile(buildExamplePath("pipeline/drift.sh"), join(folder, "drift.sh"));
	});

	it("fails on GitLab with a report for each connection", async () => {
		const { drift, variables } = readPipeline("gitlab-ci.yml");
		const done = await runInPipeline(drift.script, variables);
		expect(done, done.stderr).toMatchObject({ code: 1 });
		expect(done.stdout).toContain("fab-1: no drift\nfab-2: drift, see reports/fab-2.xml\n");
		expect(drift.artifacts.reports.junit).toBe("reports/*.xml");
		expect((await readdir(join(folder, "reports"))).sort()).toEqual(["fab-1.xml", "fab-2.xml"]);
		expect(await readFile(join(folder, "reports/fab-1.xml"), "utf8")).toMatch(/<testsuite [^>]*failures="0"/);
		expect(await readFile(join(folder, "reports/fab-2.xml"), "utf8")).toContain('name="fvTenant" time="0"><failure');
	});

	it("fails on GitHub with the same script", async () => {
		await rm(join(folder, "reports"), { recursive: true });
		const { env, jobs } = readPipeline("github-actions.yml");
		const { drift } = jobs;
		const steps: { run?: string; with?: { path?: string } }[] = drift.steps;
		const commands = steps.flatMap(({ run }) => run ?? []);
		expect(commands.at(-1)).toBe("./drift.sh tenants fab-1 fab-2");
		const done = await runInPipeline(commands, env);
		expect(done, done.stderr).toMatchObject({ code: 1 });
		expect(await readdir(join(folder, steps.at(-1)?.with?.path ?? ""))).toHaveLength(2);
	});

	it("ends with 0 without drift, and with the code of a command that fails", async () => {
		const { variables } = readPipeline("gitlab-ci.yml");
		const run = (line: string) => runInPipeline([line], variables);
		expect(await run("./drift.sh tenants fab-1")).toMatchObject({
			code: 0,
			stdout: expect.stringContaining("no drift"),
		});
		expect(await run("./drift.sh tenants fab-9")).toMatchObject({ code: 2 });
		expect(await run("WEFT_TOKEN=weft_pat_wrong ./drift.sh tenants fab-1")).toMatchObject({ code: 3 });
		expect(await run("./drift.sh new fab-1")).toMatchObject({ code: 2 });
	});

	it("reports the checks of each connection on GitLab, and fails with the first that does", async () => {
		const { checks, default: common, variables } = readPipeline("gitlab-ci.yml");
		const report = checks.artifacts.reports.junit;
		const tenants = (await cli.ada.api.get(`${QUERIES}?search=tenants`)).body.results[0].id;
		const fields = { name: "Tenants", saved_query: tenants, type: "row_count", config: { operator: "gt", value: 0 } };
		const { body } = await cli.ada.api.post(CHECKS, fields);
		const good = await runInPipeline([...common.before_script, ...checks.script], variables);
		expect(good, good.stderr).toMatchObject({ code: 0, stdout: expect.not.stringContaining("<") });
		const read = async () => parseXml(await readFile(join(folder, report), "utf8"));
		expect((await read()).children.map(({ attributes }) => [attributes.name, attributes.failures])).toEqual([
			["fab-1", "0"],
			["fab-2", "0"],
		]);
		await cli.ada.api.patch(`${CHECKS}${body.id}/`, { config: { operator: "eq", value: 0 } });
		const bad = await runInPipeline(checks.script, variables);
		expect(bad, bad.stderr).toMatchObject({ code: 1 });
		expect(listJunitProblems(await read())).toEqual([]);
		expect((await read()).children[1]?.children[0]?.children[0]).toMatchObject({
			name: "failure",
			attributes: { type: "failing" },
		});
	});

	it("reports the checks on GitHub with a summary of the job", async () => {
		const { env, jobs } = readPipeline("github-actions.yml");
		const steps: { run?: string; with?: { path?: string } }[] = jobs.checks.steps;
		const summary = join(folder, "summary.md");
		const commands = steps.flatMap(({ run }) => run ?? []);
		const done = await runInPipeline(commands, { ...env, GITHUB_STEP_SUMMARY: summary });
		expect(done, done.stderr).toMatchObject({ code: 1 });
		expect(listJunitProblems(parseXml(await readFile(join(folder, steps.at(-1)?.with?.path ?? ""), "utf8")))).toEqual(
			[],
		);
		expect(await readFile(summary, "utf8")).toMatch(/^### Checks: 2 failing\n/);
	});
});

describe("a change in a pipeline", () => {
	const readReport = async (name: string) => readFile(join(folder, "report", name), "utf8");

	/** Makes a program that writes these bridge domains at the controller, as the deployment. */
	async function writeWork(path: string, ...names: string[]): Promise<void> {
		const { body } = await cli.t.admin.api.post("/api/auth/tokens/", { name: `work ${path} ${names}` });
		const children = names.map((name) => ({ fvBD: { attributes: { dn: `${TENANT}/BD-${name}`, name } } }));
		const data = { fvTenant: { attributes: { dn: TENANT, name: "window-test" }, children } };
		const write = { connection_id: connection, query_path: `/api/mo/${TENANT}.json`, method: "POST", data };
		const url = `${cli.url}/api/controller/connections/execute_query/`;
		const headers = { authorization: `Bearer ${body.token}`, "content-type": "application/json" };
		const options = { method: "POST", headers, body: JSON.stringify(write) };
		const text = `const { ok } = await fetch("${url}", ${JSON.stringify(options)});\nprocess.exitCode = ok ? 0 : 9;\n`;
		await writeFile(join(folder, `${path}.mjs`), text);
		const script = `#!/bin/sh\nexec ${process.execPath} ${join(folder, `${path}.mjs`)}\n`;
		await writeFile(join(folder, path), script, { mode: 0o755 });
	}

	const declareDomain = (name: string) =>
		writeFile(join(folder, "expected.yaml"), `- change: added\n  class_name: fvBD\n  dn: ${TENANT}/BD-${name}\n`);

	let connection: string;

	beforeAll(async () => {
		const olga = await cli.t.user("olga", ["Operator"]);
		connection = await addConnection(olga.api, cli.lab, { name: "fab-3" });
		const group = await olga.api.post(GROUPS, { name: "production", connection_ids: [connection] });
		expect(group.status, group.text).toBe(201);
		const flow_data = connectNodes(buildClassNode("fvBD"), output);
		const query = await addQuery(olga.api, { flow_data, enable_time_machine: true });
		const settle = { delay_s: 0, interval_s: 1, stable_rounds: 1, timeout_s: 10 };
		const plan = await olga.api.post(PLANS, { name: "New bridge domains", items: [{ query }], settle });
		expect(plan.status, plan.text).toBe(201);
		token = await findWindowToken(cli.t, olga);
		await writeWork("bin/ansible-playbook");
		const tenant = await startProgram(join(folder, "bin/ansible-playbook"), [], { cwd: folder }).ended;
		expect(tenant, tenant.stderr).toMatchObject({ code: 0 });
	});
	beforeEach(() => rm(join(folder, "report"), { recursive: true, force: true }));

	it("passes with the three commands of the README, and writes its report", async () => {
		expect(change.trim().split("\n")).toHaveLength(3);
		await declareDomain("web");
		await writeWork("bin/ansible-playbook", "web");
		const done = await runShell(change, { environment: { WEFT_URL: cli.url, WEFT_TOKEN: token } });
		expect(done, done.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining("passed") });
		expect(JSON.parse(await readReport("report.json"))).toMatchObject({
			verdict: "passed",
			window: { ticket: { number: "CHG0031337" } },
			expected: [{ dn: `${TENANT}/BD-web` }],
		});
		expect(listJunitProblems(parseXml(await readReport("junit.xml")))).toEqual([]);
	});

	it("ends before the work where the fabric does not answer", async () => {
		cli.lab.setFaults({ down: true });
		await writeFile(join(folder, "bin/ansible-playbook"), "#!/bin/sh\necho worked\n", { mode: 0o755 });
		const done = await runShell(change, { environment: { WEFT_URL: cli.url, WEFT_TOKEN: token } });
		expect(done, done.stderr).toMatchObject({ code: 1, stderr: expect.stringContaining("is blocked") });
		expect(done.stdout).not.toContain("worked");
	});

	it("passes on GitLab with a JUnit report, and the jobs follow each other", async () => {
		const all = readPipeline("gitlab-ci.yml");
		const [start, deploy, finish] = ["change-start", "deploy", "change-finish"].map((name) => all[name]);
		expect([deploy.needs, finish.needs]).toEqual([["change-start"], ["change-start", "deploy"]]);
		expect(finish.rules).toEqual([{ if: "$TICKET", when: "always" }]);
		await declareDomain("app");
		await writeWork("deploy.sh", "app");
		for (const { script } of [start, deploy, finish]) {
			const done = await runInPipeline(script, { ...all.variables, TICKET: "CHG2" });
			expect(done, done.stderr).toMatchObject({ code: 0 });
		}
		const report = parseXml(await readFile(join(folder, finish.artifacts.reports.junit), "utf8"));
		expect(listJunitProblems(report)).toEqual([]);
		expect(report.children[0]?.attributes).toMatchObject({ name: "fab-3", failures: "0", errors: "0" });
	});

	it("fails on GitHub for an undeclared change, with a JUnit report and a summary of the job", async () => {
		const { env, jobs } = readPipeline("github-actions.yml");
		const summary = join(folder, "change.md");
		const runJob = (name: string) => {
			const steps: { run?: string }[] = jobs[name].steps;
			const commands = steps.flatMap(({ run }) => run ?? []);
			return runInPipeline(commands, { ...env, TICKET: "CHG3", GITHUB_STEP_SUMMARY: summary });
		};
		expect([jobs.deploy.needs, jobs["change-finish"].needs]).toEqual(["change-start", ["change-start", "deploy"]]);
		await declareDomain("db");
		await writeWork("deploy.sh", "db", "stray");
		for (const name of ["change-start", "deploy"]) {
			const done = await runJob(name);
			expect(done, done.stderr).toMatchObject({ code: 0 });
		}
		const finished = await runJob("change-finish");
		expect(finished, finished.stderr).toMatchObject({ code: 1, stderr: expect.stringContaining("undeclared:1") });
		const { path } = jobs["change-finish"].steps.at(-1).with;
		const report = parseXml(await readFile(join(folder, path, "junit.xml"), "utf8"));
		expect(listJunitProblems(report)).toEqual([]);
		expect(report.children[0]?.attributes).toMatchObject({ name: "fab-3", failures: "1" });
		expect(await readFile(summary, "utf8")).toContain("BD-stray");
	});
});
