/** `weft question`: the gallery is listed, asked on connections, and saved. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readXlsx } from "hucre/xlsx";
import { beforeAll, describe, expect, it } from "vitest";
import { addConnection, QUERIES } from "../../server/test/support/canvases.ts";
import { useCli } from "./support/cli.ts";

const cli = useCli();
beforeAll(async () => {
	await addConnection(cli.ada.api, cli.lab, { name: "fab-2" });
});
const runQuestion = (...args: string[]) => cli.weft("question", "run", ...args);

describe("weft question", () => {
	it("lists the questions, and finds them by synonyms", async () => {
		const all = await cli.weft("question", "list", "--format", "json");
		expect(all).toMatchObject({ code: 0, stderr: "" });
		expect(JSON.parse(all.stdout).length).toBeGreaterThanOrEqual(40);
		const found = await cli.weft("question", "list", "--search", "endpoint groups without ACL");
		expect(found.stdout).toMatch(/^epgs-without-contract +Which EPGs have no contract\?/m);
	});

	it("prints the rows of a run in the columns of the question, and as CSV", async () => {
		const table = await runQuestion("bds-with-vrf-and-subnets", "--connection", "fab-1");
		expect(table.code, table.stderr).toBe(0);
		expect(table.stdout.split("\n")[0]).toMatch(/tenant +bridge_domain +vrf +subnets +routed/);
		const csv = await runQuestion("switches", "--connection", "fab-1", "--format", "csv");
		expect(csv.stdout.split("\r\n")[0]).toContain("switch,role,model,serial");
		const json = await runQuestion("switches", "--connection", "fab-1", "--connection", "fab-2", "--format", "json");
		const rows: { connection: string }[] = JSON.parse(json.stdout);
		expect([...new Set(rows.map(({ connection }) => connection))]).toEqual(["fab-1", "fab-2"]);
	});

	it("saves the rows of two connections as a workbook, and none where a connection fails", async () => {
		const folder = await mkdtemp(join(tmpdir(), "weft-excel-"));
		const file = join(folder, "vlans.xlsx");
		const both = ["--connection", "fab-1", "--connection", "fab-2"];
		const saved = await runQuestion("vlans-in-use", ...both, "--excel", file);
		expect(saved).toMatchObject({ code: 0, stdout: "" });
		const { sheets } = await readXlsx(await readFile(file));
		const [heads, ...rows] = sheets[0]?.rows ?? [];
		expect(heads).toEqual(["connection", "encap", "ports", "epgs"]);
		expect([...new Set(rows.map(([connection]) => connection))]).toEqual(["fab-1", "fab-2"]);
		expect(saved.stderr).toContain(`${file} has ${rows.length} rows of fab-1, fab-2.`);
		const printed = await runQuestion("vlans-in-use", ...both, "--format", "json");
		const expected: { connection: string; encap: string; ports: number; epgs: string[] }[] = JSON.parse(printed.stdout);
		expect(rows).toEqual(
			expected.map(({ connection, encap, ports, epgs }) => [connection, encap, ports, epgs.join(", ")]),
		);

		cli.lab.setFaults({ error: { match: "fvRsPathAtt" } });
		const other = join(folder, "other.xlsx");
		expect(await runQuestion("vlans-in-use", ...both, "--excel", other)).toMatchObject({ code: 5, stdout: "" });
		cli.lab.clearFaults();
		const nowhere = await runQuestion("switches", ...both, "--excel", join(folder, "none", "vlans.xlsx"));
		expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining("cannot be written (ENOENT).") });
		expect(await readdir(folder)).toEqual(["vlans.xlsx"]);
		await rm(folder, { recursive: true });
	});

	it("passes variables, and ends with 2 where one is missing or unknown", async () => {
		const { body } = await cli.ada.api.post("/api/controller/connections/execute_query/", {
			connection_id: cli.connection,
			query_path: "/api/class/fvCEp.json",
			method: "GET",
		});
		const { mac } = body.data.imdata[0].fvCEp.attributes;
		const found = await runQuestion(
			"endpoint-by-mac",
			"--connection",
			"fab-1",
			"--var",
			`mac=${mac}`,
			"--format",
			"json",
		);
		expect(JSON.parse(found.stdout)).toMatchObject([{ mac }]);
		const missing = await runQuestion("endpoint-by-mac", "--connection", "fab-1");
		expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("This variable is required.")]);
		const unknown = await runQuestion("endpoint-by-mac", "--connection", "fab-1", "--var", "mca=1");
		expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('Did you mean "mac"?')]);
		const other = await runQuestion("endpoint-by-mak", "--connection", "fab-1");
		expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('Did you mean "endpoint-by-mac"')]);
	});

	it("saves a question as a query", async () => {
		const saved = await cli.weft("question", "save", "switches", "--name", "My switches", "--time-machine");
		expect(saved.code, saved.stderr).toBe(0);
		const { body } = await cli.ada.api.get(`${QUERIES}?search=My%20switches`);
		expect(body.results).toMatchObject([{ name: "My switches", enable_time_machine: true }]);
	});

	it("watches a question with a check and a schedule, and ends with 2 for an unknown webhook", async () => {
		const watch = (...args: string[]) =>
			cli.weft("question", "watch", "interfaces-down", "--connection", "fab-1", ...args);
		const unknown = await watch("--notify-webhook", "nowhere");
		expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('"nowhere"')]);
		const watched = await watch("--every", "15m", "--severity", "critical", "--format", "json");
		expect(watched.code, watched.stderr).toBe(0);
		const check = JSON.parse(watched.stdout);
		expect(check).toMatchObject({ severity: "critical", is_watched: true, schedules: [{ frequency: "minutes" }] });
		const { body } = await cli.ada.api.get(`${QUERIES}${check.saved_query}/`);
		expect(body).toMatchObject({ name: check.name, enable_time_machine: true });
	});
});
