/** The script of examples/python, run by a real Python against the service and the lab. */
import { execFileSync } from "node:child_process";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection, buildClassNode, connectNodes, output, QUERIES } from "../support/canvases.ts";
import { buildExamplePath, findExampleToken, getAddress } from "../support/examples.ts";
import { startTestApp, type TestApp, waitUntil, waitUntilAfter } from "../support/harness.ts";
import { createEagerDriver } from "../support/runs.ts";
import { startProgram } from "../support/spawned.ts";

/** Debian's Python has the package; the first one on the path may be another. */
const python = ["python3", "/usr/bin/python3"].find((command) => {
	try {
		execFileSync(command, ["-c", "import requests"], { stdio: "ignore" });
		return true;
	} catch {
		return false;
	}
});
if (python === undefined) process.stderr.write("skipped: examples/python: python3-requests is not installed\n");

describe.skipIf(python === undefined)("examples/python/rows.py", () => {
	let t: TestApp;
	let lab: RunningController;
	let token: string;

	beforeAll(async () => {
		lab = await startController({ size: "small" });
		const rates = { user: { requests: 6, windowMs: 1_000 } };
		t = await startTestApp({ work: true, inProcess: true, rates, deps: { controllers: createEagerDriver() } });
		const ada = await t.user("ada", ["Editor"]);
		await addConnection(ada.api, lab, { name: "fab-1" });
		const { status } = await ada.api.post(QUERIES, {
			name: "domains",
			flow_data: connectNodes(buildClassNode("fvBD"), output),
		});
		expect(status).toBe(201);
		token = await findExampleToken(t, ada);
		await t.clock.advance(1_000);
	});
	afterAll(async () => {
		await t.close();
		await lab.close();
	});

	const start = (...args: string[]) =>
		startProgram(python ?? "", [buildExamplePath("python/rows.py"), ...args], {
			environment: { WEFT_URL: getAddress(t), WEFT_TOKEN: token },
		});
	/** Lets the window of the request rate pass until the script has ended. */
	async function waitForScript({ child, ended }: ReturnType<typeof start>) {
		await waitUntilAfter(t.clock, 1_000, "the script has ended", () => child.exitCode !== null);
		const done = await ended;
		expect(done.stdout + done.stderr).not.toContain(token);
		return done;
	}

	it("prints the rows of a run, and waits after 429 as long as the answer says", async () => {
		// Of the six requests of a window the script needs five or more.
		await t.as(token).get("/api/auth/profile/");
		await t.as(token).get("/api/auth/profile/");
		const script = start("domains", "fab-1");
		await waitUntil("the script waits", () => script.output.stderr.includes("429: waiting 1 s"));
		const done = await waitForScript(script);
		expect(done, done.stderr).toMatchObject({ code: 0 });
		const rows = done.stdout
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line));
		expect(rows.length).toBeGreaterThan(5);
		for (const row of rows) expect(row.fvBD.attributes.dn).toMatch(/^uni\/tn-/);
		const runs = await t.pool.query("select total_rows from pipeline_jobs");
		expect(runs.rows).toEqual([{ total_rows: rows.length }]);
	});

	it("ends with 1 for a failed run, unknown names and refusals", async () => {
		lab.setFaults({ error: { match: "fvBD" } });
		expect(await waitForScript(start("domains", "fab-1"))).toMatchObject({
			code: 1,
			stdout: "",
			stderr: expect.stringContaining("The run is failed"),
		});
		lab.clearFaults();
		expect(await waitForScript(start("domain", "fab-1"))).toMatchObject({
			code: 1,
			stderr: expect.stringContaining('There is no "domain"'),
		});
		expect(await waitForScript(start("domains"))).toMatchObject({
			code: 1,
			stderr: "Usage: rows.py QUERY CONNECTION\n",
		});
		await t.pool.query("delete from api_tokens");
		const { body } = await t.admin.api.post("/api/auth/tokens/", { name: "none", permission_ids: [] });
		token = body.token;
		expect(await waitForScript(start("domains", "fab-1"))).toMatchObject({
			code: 1,
			stderr: expect.stringContaining("403"),
		});
	});
});
