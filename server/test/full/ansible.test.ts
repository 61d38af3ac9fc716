/** The playbook of examples/ansible: a real Ansible runs it against the service and the lab. */
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection, buildClassNode, connectNodes, output, QUERIES } from "../support/canvases.ts";
import { buildExamplePath, findExampleToken, getAddress } from "../support/examples.ts";
import { startTestApp, type TestApp } from "../support/harness.ts";
import { createEagerDriver } from "../support/runs.ts";
import { createShiftedClock } from "../support/shifted-clock.ts";
import { startProgram } from "../support/spawned.ts";

function isInstalled(): boolean {
	try {
		execFileSync("ansible-playbook", ["--version"], { stdio: "ignore" });
		return true;
	} catch {
		return false;
	}
}
const isMissing = !isInstalled();
if (isMissing) process.stderr.write("skipped: examples/ansible: ansible-playbook is not installed\n");

describe.skipIf(isMissing)("examples/ansible/drift.yml", { timeout: 300_000 }, () => {
	const clock = createShiftedClock();
	let t: TestApp;
	let lab: RunningController;
	let folder: string;
	let token: string;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "weft-playbook-"));
		lab = await startController({ size: "small" });
		t = await startTestApp({ work: true, deps: { clock, controllers: createEagerDriver() } });
		const ada = await t.user("ada", ["Editor"]);
		await addConnection(ada.api, lab, { name: "fab-1" });
		const flow_data = connectNodes(buildClassNode("fvTenant"), output);
		for (const name of ["tenants", "new tenants"]) {
			const { status } = await ada.api.post(QUERIES, { name, flow_data, enable_time_machine: true });
			expect(status).toBe(201);
		}
		token = await findExampleToken(t, ada);
	});
	afterAll(async () => {
		await t.close();
		await lab.close();
		await rm(folder, { recursive: true });
	});

	async function runPlaybook(query = "tenants", environment: Record<string, string> = {}) {
		const names = { weft_query: query, weft_connection: "fab-1", poll_seconds: 0 };
		const args = [buildExamplePath("ansible/drift.yml"), "-i", "localhost,", "-e", JSON.stringify(names)];
		const done = await startProgram("ansible-playbook", args, {
			cwd: folder,
			environment: {
				WEFT_URL: getAddress(t),
				WEFT_TOKEN: token,
				ANSIBLE_LOCALHOST_WARNING: "false",
				HOME: folder,
				...environment,
			},
		}).ended;
		expect(done.stdout + done.stderr).not.toContain(token);
		return done;
	}

	it("succeeds without drift, and fails on differences", async () => {
		clock.behindHours = 25;
		const first = await runPlaybook();
		expect(first, first.stdout).toMatchObject({ code: 0 });
		clock.behindHours = 0;
		const same = await runPlaybook();
		expect(same, same.stdout).toMatchObject({ code: 0, stdout: expect.stringContaining("tenants on fab-1: no drift") });
		lab.advance({ steps: 1, change_rate: 1 });
		const changed = await runPlaybook();
		expect(changed).toMatchObject({ code: 2, stdout: expect.stringMatching(/tenants on fab-1: drift in \d+ objects/) });
	});

	it("fails while there is no snapshot of yesterday, for a failed run, and for unknown names and tokens", async () => {
		expect(await runPlaybook("new tenants")).toMatchObject({ code: 2, stdout: expect.stringContaining("no snapshot") });
		lab.setFaults({ error: { match: "fvTenant" } });
		expect(await runPlaybook()).toMatchObject({ code: 2, stdout: expect.stringContaining("The run is failed") });
		lab.clearFaults();
		expect(await runPlaybook("nothing")).toMatchObject({ code: 2, stdout: expect.stringContaining("Find the query") });
		const unknown = await runPlaybook("tenants", { WEFT_TOKEN: "weft_pat_wrong" });
		expect(unknown).toMatchObject({ code: 2, stdout: expect.stringContaining("token_malformed") });
	});
});
