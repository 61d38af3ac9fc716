/**
 * The change windows of examples/ansible and examples/awx: a real Ansible runs their playbooks
 * with the built command line, against the service and the lab.
 */
import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { systemClock } from "../../src/core/system/clock.ts";
import { addConnection, buildClassNode, connectNodes, output } from "../support/canvases.ts";
import { buildExamplePath, findWindowToken, getAddress, readExample } from "../support/examples.ts";
import { startTestApp, type TestApp, type TestUser } from "../support/harness.ts";
import { root } from "../support/packed.ts";
import { createEagerDriver } from "../support/runs.ts";
import { startProgram } from "../support/spawned.ts";
import { addQuery } from "../support/tasks.ts";
import { PLANS } from "../support/windows.ts";

function isInstalled(): boolean {
	try {
		execFileSync("ansible-playbook", ["--version"], { stdio: "ignore" });
		return true;
	} catch {
		return false;
	}
}
const isMissing = !isInstalled();
if (isMissing) process.stderr.write("skipped: change windows by Ansible: ansible-playbook is not installed\n");

const TENANT = "uni/tn-ansible";

it("makes a workflow that judges the work whether it succeeded or not", () => {
	const [{ tasks }] = parse(readExample("awx/workflow.yml"));
	const nodes = tasks[0]["awx.awx.workflow_job_template"].workflow_nodes;
	const links = nodes.map(({ identifier, related = {} }: { identifier: string; related?: object }) => [
		identifier,
		related,
	]);
	expect(links).toEqual([
		["start", { success_nodes: [{ identifier: "work" }] }],
		["work", { always_nodes: [{ identifier: "finish" }] }],
		["finish", {}],
	]);
});

describe.skipIf(isMissing)("a change window by Ansible", { timeout: 300_000 }, () => {
	let t: TestApp;
	let lab: RunningController;
	let ada: TestUser;
	let folder: string;
	let token: string;
	let connection: string;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "weft-change-"));
		const program = `#!/bin/sh\nexec ${process.execPath} ${join(root, "cli/bundle/weft.js")} "$@"\n`;
		await writeFile(join(folder, "weft"), program);
		await chmod(join(folder, "weft"), 0o755);
		await writeFile(join(folder, "fails.yml"), "- ansible.builtin.fail: {msg: The switch refused it}\n");
		await writeFile(join(folder, "expected.yml"), `- {change: added, dn: ${TENANT}/BD-declared}\n`);
		lab = await startController({ size: "small" });
		t = await startTestApp({ work: true, deps: { clock: systemClock, controllers: createEagerDriver() } });
		ada = await t.user("ada", ["Operator"]);
		connection = await addConnection(ada.api, lab, { name: "fab-1", is_public: true });
		const flow_data = connectNodes(buildClassNode("fvBD"), output);
		const query = await addQuery(ada.api, { flow_data, enable_time_machine: true });
		const settle = { delay_s: 0, interval_s: 1, stable_rounds: 1, timeout_s: 15 };
		const plan = { name: "Bridge domains", items: [{ query }], settle };
		expect((await ada.api.post(PLANS, plan)).status).toBe(201);
		token = await findWindowToken(t, ada);
		await writeObject(TENANT, { fvTenant: { attributes: { dn: TENANT, name: "ansible" } } });
	});
	afterAll(async () => {
		await t.close();
		await lab.close();
		await rm(folder, { recursive: true });
	});

	async function writeObject(dn: string, data: object): Promise<void> {
		const body = { connection_id: connection, query_path: `/api/mo/${dn}.json`, method: "POST", data };
		const answer = await t.admin.api.post("/api/controller/connections/execute_query/", body);
		expect(answer.status, answer.text).toBe(200);
	}

	/** Returns the path of a file of tasks that write a bridge domain at the controller. */
	async function writeTasks(name: string): Promise<string> {
		const login = { aaaUser: { attributes: { name: lab.username, pwd: lab.password } } };
		const domain = { fvBD: { attributes: { dn: `${TENANT}/BD-${name}`, name } } };
		const tasks = [
			{
				"ansible.builtin.uri": {
					url: `${lab.url}/api/aaaLogin.json`,
					method: "POST",
					body_format: "json",
					body: login,
				},
				register: "login",
			},
			{
				"ansible.builtin.uri": {
					url: `${lab.url}/api/mo/${TENANT}/BD-${name}.json`,
					method: "POST",
					body_format: "json",
					body: domain,
					headers: { Cookie: "APIC-cookie={{ login.json.imdata[0].aaaLogin.attributes.token }}" },
				},
			},
		];
		const path = join(folder, `${name}.yml`);
		await writeFile(path, JSON.stringify(tasks));
		return path;
	}

	async function runPlaybook(path: string, variables: object) {
		const names = { weft_plan: "Bridge domains", weft_connection: "fab-1", ...variables };
		const args = [buildExamplePath(path), "-i", "localhost,", "-e", JSON.stringify(names)];
		const done = await startProgram("ansible-playbook", args, {
			cwd: folder,
			environment: {
				PATH: `${folder}${delimiter}${process.env.PATH}`,
				WEFT_URL: getAddress(t),
				WEFT_TOKEN: token,
				ANSIBLE_LOCALHOST_WARNING: "false",
				ANSIBLE_SHOW_CUSTOM_STATS: "true",
				HOME: folder,
			},
		}).ended;
		expect(done.stdout + done.stderr).not.toContain(token);
		return done;
	}

	it("passes where the tasks do what is declared, and writes the report", async () => {
		const work = await writeTasks("declared");
		const variables = { ticket: "CHG1", work, report: join(folder, "one"), expected: [join(folder, "expected.yml")] };
		const done = await runPlaybook("ansible/change.yml", variables);
		expect(done, done.stdout).toMatchObject({ code: 0 });
		const report = JSON.parse(await readFile(join(folder, "one/report.json"), "utf8"));
		expect(report).toMatchObject({ verdict: "passed" });
	});

	it("fails where the tasks do more, and names the verdict", async () => {
		const work = await writeTasks("stray");
		const done = await runPlaybook("ansible/change.yml", { ticket: "CHG2", work, report: join(folder, "two") });
		expect(done, done.stdout).toMatchObject({ code: 2, stdout: expect.stringContaining("Judge the change") });
		const report = JSON.parse(await readFile(join(folder, "two/report.json"), "utf8"));
		expect(report).toMatchObject({ verdict: "failed", reasons: ["undeclared:1"] });
	});

	it("judges what a failed task has left", async () => {
		const work = join(folder, "fails.yml");
		const done = await runPlaybook("ansible/change.yml", { ticket: "CHG3", work, report: join(folder, "three") });
		expect(done).toMatchObject({ code: 2, stdout: expect.stringContaining("The switch refused it") });
		const report = JSON.parse(await readFile(join(folder, "three/report.json"), "utf8"));
		expect(report).toMatchObject({ verdict: "passed" });
	});

	it("two nodes of a workflow open and judge a change window, and the first passes its id to the second", async () => {
		const started = await runPlaybook("awx/start.yml", { ticket: "CHG4" });
		expect(started, started.stdout).toMatchObject({ code: 0 });
		const [, weft_window] = /"weft_window": "([0-9a-f-]{36})"/.exec(started.stdout) ?? [];
		expect(weft_window, started.stdout).toBeDefined();
		const finished = await runPlaybook("awx/finish.yml", { weft_window });
		expect(finished, finished.stdout).toMatchObject({ code: 0, stdout: expect.stringContaining("passed") });
		await writeObject(`${TENANT}/BD-later`, { fvBD: { attributes: { dn: `${TENANT}/BD-later`, name: "later" } } });
		const { body } = await ada.api.post(`/api/change-windows/${weft_window}/recheck/`);
		expect(body.state).toBe("settling");
		const failed = await runPlaybook("awx/finish.yml", { weft_window });
		expect(failed).toMatchObject({ code: 2, stdout: expect.stringContaining("undeclared") });
	});
});
