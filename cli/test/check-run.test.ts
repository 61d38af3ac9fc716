/** `weft check run`: evaluates checks now, on each connection, for pipelines. */
import type { Check } from "@weft/contracts";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addConnection, RUNS } from "../../server/test/support/canvases.ts";
import { CHECKS, getChecks } from "../../server/test/support/checks.ts";
import { waitUntil } from "../../server/test/support/harness.ts";
import { createHeldController } from "../../server/test/support/held-controller.ts";
import type { CheckResult } from "../src/commands/checks/checks.ts";
import { useCli } from "./support/cli.ts";

const controller = createHeldController();
const cli = useCli({ driver: controller.driver });
let checks: ReturnType<typeof getChecks>;
let other: RunningController;
/** A connection to another fabric, and one whose controller refuses the password. */
let second: string;
let broken: string;
beforeAll(async () => {
	checks = getChecks(cli.ada.api, () => cli.t);
	other = await startController({ size: "small", seed: 2 });
	second = await addConnection(cli.ada.api, other, { name: "fab-2" });
	broken = await addConnection(cli.ada.api, { ...cli.lab, password: "wrong" }, { name: "fab-3" });
	const group = { name: "production", connection_ids: [cli.connection, second] };
	expect((await cli.ada.api.post("/api/controller/connection-groups/", group)).status).toBe(201);
});
afterAll(() => other?.close());

const runChecks = (...args: string[]) => cli.weft("check", "run", ...args);

/** The exit code and the results, of a command that prints JSON. */
async function readResults(
	...args: string[]
): Promise<{ code: number | null; results: CheckResult[]; stderr: string }> {
	const { code, stdout, stderr } = await runChecks(...args, "--format", "json");
	return { code, results: stdout === "" ? [] : JSON.parse(stdout), stderr };
}

/** A query of tenants with the checks. Their names begin with the word. */
async function addChecks(word: string, ...all: readonly Record<string, unknown>[]): Promise<{ query: string }> {
	const query = `Tenants of ${word}`;
	const saved_query = await checks.query("fvTenant", { name: query });
	for (const { name, ...fields } of all) await checks.add({ saved_query, name: `${word} ${name}`, ...fields });
	return { query };
}

const HOLDS = { name: "holds", type: "row_count", config: { operator: "gt", value: 0 } };
const FAILS = { name: "fails", type: "no_rows" };
const listBoth = () => ({ controller_connection_ids: [cli.connection, second] });

describe("weft check run", () => {
	it("ends with 0 where all checks hold, and runs a query once on each connection", async () => {
		const { query } = await addChecks("Good", { ...HOLDS, ...listBoth() }, { ...HOLDS, name: "also", ...listBoth() });
		const { code, results, stderr } = await readResults("--query", query);
		expect(code, stderr).toBe(0);
		expect(stderr).toContain("2 runs started.");
		expect(results.map(({ check, connection, state }) => [check, connection, state])).toEqual([
			["Good also", "fab-1", "ok"],
			["Good also", "fab-2", "ok"],
			["Good holds", "fab-1", "ok"],
			["Good holds", "fab-2", "ok"],
		]);
		const runs = new Set(results.map(({ run }) => run));
		expect(runs.size).toBe(2);
		for (const run of runs) expect((await cli.ada.api.get(`${RUNS}${run}/`)).body.status).toBe("completed");
	});

	it("prints the worst first and ends with 1 for a failing check from the severity on", async () => {
		const places = listBoth();
		await addChecks(
			"Bad",
			{ ...HOLDS, ...places },
			{ ...FAILS, ...places, severity: "critical" },
			{ ...FAILS, name: "info", severity: "info", ...places },
		);
		const names = ["Bad holds", "Bad fails", "Bad info"];
		const table = await runChecks(...names);
		expect(table.code).toBe(1);
		expect(table.stdout).toMatch(/^state +severity +check +connection +violations +error\n/);
		expect(
			table.stdout
				.split("\n")
				.slice(1, -1)
				.map((line) => line.split(/ {2,}/).slice(0, 4)),
		).toEqual([
			["failing", "critical", "Bad fails", "fab-1"],
			["failing", "critical", "Bad fails", "fab-2"],
			["failing", "info", "Bad info", "fab-1"],
			["failing", "info", "Bad info", "fab-2"],
			["ok", "warning", "Bad holds", "fab-1"],
			["ok", "warning", "Bad holds", "fab-2"],
		]);
		expect(table.stderr).toContain("Of 6 results: 2 failing with severity warning or above.");
		expect((await runChecks("Bad info")).code).toBe(0);
		expect((await runChecks("Bad info", "--fail-on", "info")).code).toBe(1);
		expect((await runChecks("Bad fails", "--fail-on", "critical")).code).toBe(1);
	});

	it("counts a check that waits for more violated runs as failing", async () => {
		await addChecks("Patient", { ...FAILS, for_runs: 3, controller_connection_ids: [second] });
		const { code, results } = await readResults("Patient fails");
		expect([code, results]).toMatchObject([1, [{ state: "pending", connection: "fab-2" }]]);
	});

	it("ends with 5 where a check could not be evaluated, and with 1 where another fails, too", async () => {
		const { query } = await addChecks("Broken", { ...HOLDS, controller_connection_ids: [cli.connection, broken] });
		const { code, results, stderr } = await readResults("--query", query);
		expect([code, results]).toMatchObject([
			5,
			[
				{ connection: "fab-3", state: "error", error: expect.stringMatching(/\S/) },
				{ connection: "fab-1", state: "ok", error: null },
			],
		]);
		expect(stderr).toContain("Of 2 results: 1 not evaluated.");
		await checks.add({ ...FAILS, name: "Broken fails", saved_query: (await readCheck("Broken holds")).saved_query });
		expect((await runChecks("--query", query, "--connection", "fab-1", "--connection", "fab-3")).code).toBe(1);
	});

	it("ends with 5 for an unknown state, and never reports the state of an earlier run", async () => {
		const unchanged = { type: "unchanged", config: { baseline: { kind: "hours", hours: 24 } } };
		const saved_query = await checks.query("fvBD", { name: "Domains", enable_time_machine: true });
		await checks.add({ saved_query, name: "Unchanged", ...unchanged, controller_connection_ids: [cli.connection] });
		expect(await readResults("Unchanged")).toMatchObject({
			code: 5,
			results: [{ state: "unknown", connection: "fab-1" }],
		});
		await addChecks("Late", { ...HOLDS, controller_connection_ids: [cli.connection] });
		expect((await runChecks("Late holds")).code).toBe(0);
		const release = controller.hold(/fvTenant/);
		const late = await readResults("Late holds", "--wait", "1s");
		release();
		expect(late).toMatchObject({
			code: 5,
			results: [{ state: "unknown", error: "The run has not ended within 1s. Wait longer with --wait." }],
		});
		expect(late.stderr).toContain("1 of 1 runs have not ended within 1s. They go on without this command.");
	});

	it("evaluates a check without connections where its query has run, and says where it has not", async () => {
		const { query } = await addChecks("Anywhere", HOLDS);
		const nowhere = await readResults("Anywhere holds");
		expect(nowhere).toMatchObject({ code: 5, results: [{ connection: null, state: "unknown" }] });
		expect(nowhere.results[0]?.error).toContain("The query has not run on any connection yet. Name at least one.");
		expect((await runChecks("Anywhere holds", "--connection", "fab-2")).code).toBe(0);
		expect((await cli.weft("query", "run", query, "--connection", "fab-1")).code).toBe(0);
		const { code, results } = await readResults("Anywhere holds");
		expect([code, results]).toMatchObject([0, [{ connection: "fab-1" }, { connection: "fab-2" }]]);
	});

	it("waits for the evaluation of all connections together", async () => {
		const same = { type: "same_everywhere", config: { key: ["name"], fields: ["name"] } };
		await addChecks("Same", { name: "tenants", ...same, ...listBoth() });
		const first = await readResults("Same tenants");
		expect(first).toMatchObject({ results: [{ connection: null, error: null }] });
		const { states } = await readCheck("Same tenants");
		expect(states).toMatchObject([{ state: first.results[0]?.state, runs: [expect.any(String), expect.any(String)] }]);
		expect(first.code).toBe(first.results[0]?.state === "ok" ? 0 : 1);
		const again = await readResults("Same tenants", "--group", "production");
		expect(again.results[0]?.run).not.toBe(first.results[0]?.run);
		expect((await runChecks("Same tenants")).stdout).toContain("all connections");
	});

	it("ends with 2 for unknown names and wrong options, and for no check at all", async () => {
		await addChecks(
			"Odd",
			{ ...HOLDS, controller_connection_ids: [second] },
			{ ...HOLDS, name: "off", is_active: false },
		);
		await checks.query("fvTenant", { name: "Unchecked" });
		const refusals = [
			[[], "Give either names of checks, or --query, or --all."],
			[["Odd holds", "--all"], "Give either names of checks, or --query, or --all."],
			[["Odd hold"], 'There is no check "Odd hold". Did you mean "Odd holds"'],
			[["Odd off"], 'The check "Odd off" is not active.'],
			[["Odd holds", "--connection", "fab-1"], 'The check "Odd holds" looks at none of these connections.'],
			[["--query", "Tenants of Odd", "--connection", "fab-1"], "None of the checks looks at these connections."],
			[["--query", "Unchecked"], 'The query "Unchecked" has no active check that you can see.'],
			[["Odd holds", "--wait", "soon"], "--wait soon: Must be a time such as 90s, 20m or 2h."],
			[["--all", "--connection", "fab-9"], 'There is no connection "fab-9"'],
		] as const;
		for (const [args, message] of refusals)
			expect(await runChecks(...args)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
		expect((await runChecks("--query", "Tenants of Odd")).stderr).toContain("Not active, and left out: Odd off.");
	});

	it("runs all checks that the user sees with --all", async () => {
		const bob = await cli.t.user("bob-of-check-run", ["Editor"]);
		const own = getChecks(bob.api, () => cli.t);
		const place = await addConnection(bob.api, cli.lab, { name: "fab-bob" });
		await own.add({ ...HOLDS, saved_query: await own.query(), name: "Bob's", controller_connection_ids: [place] });
		const { body } = await bob.api.post("/api/auth/tokens/", { name: "check-run" });
		const environment = { WEFT_URL: cli.url, WEFT_TOKEN: body.token };
		expect(await cli.run(["check", "run", "--all", "--format", "csv"], { environment })).toMatchObject({
			code: 0,
			stdout: "state,severity,check,connection,violations,error\r\nok,warning,Bob's,fab-bob,0,\r\n",
		});
	});

	it("cancels the runs with Ctrl-C and ends with 130", async () => {
		await addChecks("Stopped", { ...HOLDS, ...listBoth() });
		const release = controller.hold(/fvTenant/);
		const started = cli.start(["check", "run", "Stopped holds"]);
		await waitUntil("the runs are started", () => started.output.stderr.includes("2 runs started."));
		started.child.kill("SIGINT");
		const { code, stdout, stderr } = await started.ended;
		release();
		expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
		expect(stderr.match(/cancelled on the server\./g)).toHaveLength(2);
	});
});

async function readCheck(name: string): Promise<Check> {
	const { body } = await cli.ada.api.get(`${CHECKS}?search=${encodeURIComponent(name)}`);
	return body.results[0];
}
