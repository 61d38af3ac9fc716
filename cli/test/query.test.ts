/** `weft query`: lists, runs on several connections, formats, broken connections, and Ctrl-C. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
	addConnection,
	buildClassNode,
	connectNodes,
	createNameFilter,
	listDns,
	output,
	QUERIES,
	type Row,
	RUNS,
} from "../../server/test/support/canvases.ts";
import { waitUntil } from "../../server/test/support/harness.ts";
import { createHeldController } from "../../server/test/support/held-controller.ts";
import { type BreakingProxy, startBreakingProxy } from "./support/breaking-proxy.ts";
import { signIn, useCli } from "./support/cli.ts";

const controller = createHeldController();
const cli = useCli({ driver: controller.driver });
let proxy: BreakingProxy;
let tenants: Row[];
beforeAll(async () => {
	proxy = await startBreakingProxy(cli.url);
	await signIn({ ...cli, url: proxy.url }, cli.ada, "--profile", "proxied");
	await addConnection(cli.ada.api, cli.lab, { name: "fab-2" });
	await saveQuery("Tenants", connectNodes(buildClassNode("fvTenant"), output));
	await saveQuery("By name", connectNodes(buildClassNode("fvTenant"), createNameFilter("${" + "tenant}"), output), {
		variables: [{ id: "tenant", required: true }],
	});
	await saveQuery("Domains", connectNodes(buildClassNode("fvBD"), output));
	const { stdout } = await cli.weft("query", "run", "Tenants", "--connection", "fab-1", "--format", "json");
	tenants = JSON.parse(stdout);
});
afterAll(() => proxy.close());

async function saveQuery(name: string, flow_data: unknown, more: Record<string, unknown> = {}): Promise<string> {
	const { status, body, text } = await cli.ada.api.post(QUERIES, { name, flow_data, ...more });
	expect(status, text).toBe(201);
	return body.id;
}
const runQuery = (...args: string[]) => cli.weft("query", "run", ...args);
const listRuns = async (): Promise<{ id: string; status: string }[]> => (await cli.ada.api.get(RUNS)).body.results;
const formatLines = (text: string): string[] => text.trimEnd().split("\n");

describe("weft query list and show", () => {
	it("print the objects of the API", async () => {
		const { body } = await cli.ada.api.get(`${QUERIES}?ordering=name`);
		const list = await cli.weft("query", "list", "--format", "json");
		expect(list).toMatchObject({ code: 0, stderr: "" });
		expect(JSON.parse(list.stdout)).toEqual(body.results);
		const found = await cli.weft("query", "list", "--search", "tenant", "--mine", "--format", "ndjson");
		expect(formatLines(found.stdout).map((line) => JSON.parse(line).name)).toEqual(["Tenants"]);
		const [first] = body.results;
		const one = await cli.weft("query", "show", first.id, "--format", "yaml");
		expect(parse(one.stdout)).toEqual((await cli.ada.api.get(`${QUERIES}${first.id}/`)).body);
		expect((await cli.weft("query", "show", "by name")).stdout).toMatch(/^variables +tenant$/m);
	});

	it("end with 2 for an unknown name, with near names", async () => {
		expect(await cli.weft("query", "show", "Tenant")).toMatchObject({
			code: 2,
			stdout: "",
			stderr: 'weft: There is no query "Tenant". Did you mean "Tenants"?\n',
		});
	});
});

describe("weft query run", () => {
	it("prints the rows in every format, and its progress on standard error", async () => {
		expect(tenants.length).toBeGreaterThan(1);
		const line = await runQuery("Tenants", "--connection", "fab-1", "--format", "ndjson");
		expect(line).toMatchObject({ code: 0 });
		expect(formatLines(line.stdout).map((text) => JSON.parse(text))).toEqual(tenants);
		expect(line.stderr).toMatch(/^fab-1: run \S+ started\.\n[\s\S]*fab-1: \d+ rows in [\d.]+ s\.\n$/);
		const yaml = await runQuery("Tenants", "--connection", "fab-1", "--format", "yaml", "--quiet");
		expect(yaml.stderr).toBe("");
		expect(parse(yaml.stdout)).toEqual(tenants);
		const csv = await runQuery("Tenants", "--connection", "fab-1", "--format", "csv");
		expect(formatLines(csv.stdout)[0]).toMatch(/^dn,/);
		expect(formatLines(csv.stdout)).toHaveLength(tenants.length + 1);
		const table = await runQuery("Tenants", "--connection", "fab-1", "--columns", "name");
		expect(formatLines(table.stdout)).toHaveLength(tenants.length + 1);
		expect(table.stdout).toMatch(/^class +name\nfvTenant +\S+\n/);
		const junit = await runQuery("Tenants", "--connection", "fab-1", "--format", "junit");
		expect(junit.stdout).toContain('<testcase classname="query run" name="fab-1" time="0"/>');
	});

	it("begins each row with its connection where there are several", async () => {
		const both = ["--connection", "fab-1", "--connection", "fab-2"];
		const json = await runQuery("Tenants", ...both, "--format", "json");
		expect(json).toMatchObject({ code: 0 });
		const rows: (Row & { connection: string })[] = JSON.parse(json.stdout);
		expect(rows.map((row) => Object.keys(row)[0])).toEqual(rows.map(() => "connection"));
		for (const name of ["fab-1", "fab-2"]) {
			const own = rows.filter(({ connection }) => connection === name).map(({ connection: _, ...row }) => row as Row);
			expect(listDns(own)).toEqual(listDns(tenants));
		}
		const csv = await runQuery("Tenants", ...both, "--format", "csv");
		expect(formatLines(csv.stdout)[0]).toMatch(/^connection,dn,/);
		expect(formatLines(csv.stdout)).toHaveLength(2 * tenants.length + 1);
		const yaml = await runQuery("Tenants", ...both, "--format", "yaml");
		expect(parse(yaml.stdout)).toEqual(rows);
		const table = await runQuery("Tenants", ...both);
		expect(table.stdout).toMatch(/^connection +class +dn +name\nfab-1 +fvTenant +uni/);
	});

	it("fills in variables, and refuses unknown and missing ones", async () => {
		const name = Object.values(tenants[0] ?? {})[0]?.attributes.name ?? "";
		const one = await runQuery("By name", "--connection", "fab-1", "--var", `tenant=${name}`, "--format", "json");
		expect(listDns(JSON.parse(one.stdout))).toEqual([`uni/tn-${name}`]);
		expect(await runQuery("By name", "--connection", "fab-1", "--var", "tenants=a")).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('Did you mean "tenant"?'),
		});
		expect(await runQuery("By name", "--connection", "fab-1")).toMatchObject({
			code: 2,
			stderr: "weft: variable_values.tenant: This variable is required.\n",
		});
	});

	it("takes the default connection, and ends with 2 without one or with an unknown one", async () => {
		expect(await runQuery("Tenants")).toMatchObject({ code: 2, stderr: expect.stringContaining("--connection") });
		const preferences = "/api/auth/preferences/";
		await cli.ada.api.patch(preferences, { default_controller_connection_id: cli.connection });
		expect(await runQuery("Tenants", "--format", "junit")).toMatchObject({ code: 0 });
		await cli.ada.api.patch(preferences, { default_controller_connection_id: null });
		expect(await runQuery("Tenants", "--connection", "fab-9")).toMatchObject({ code: 2 });
	});

	it("ends with 3 for users who may not run, and with 4 where there is no Weft", async () => {
		const viewer = await cli.t.user("vera");
		await cli.t.setGroups(viewer, ["Viewer"]);
		await signIn(cli, viewer, "--profile", "vera");
		await saveQuery("Public", connectNodes(buildClassNode("fvTenant"), output), { is_public: true });
		await addConnection(cli.ada.api, cli.lab, { name: "public", is_public: true });
		const refused = await runQuery("Public", "--connection", "public", "--profile", "vera");
		expect(refused).toMatchObject({ code: 3, stdout: "" });
		expect(await runQuery("Tenants", "--connection", "public", "--profile", "vera")).toMatchObject({ code: 2 });
		const environment = { WEFT_URL: "http://127.0.0.1:9", WEFT_TOKEN: "x" };
		expect(await cli.run(["query", "list"], { environment })).toMatchObject({ code: 4 });
	});

	it("starts nothing where one of several connections cannot be used", async () => {
		const before = (await listRuns()).length;
		const off = await addConnection(cli.ada.api, cli.lab, { name: "off", is_active: false });
		const refused = await runQuery("Tenants", "--connection", "fab-1", "--connection", off);
		expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining('"off" is not active') });
		expect(await listRuns()).toHaveLength(before);
	});

	it("runs on a group, and ends with 5 and the name of a member that is missing", async () => {
		const groups = "/api/controller/connection-groups/";
		const two = await addConnection(cli.ada.api, cli.lab, { name: "site-2" });
		const group = await cli.ada.api.post(groups, { name: "sites", connection_ids: [cli.connection, two] });
		const all = await runQuery("Tenants", "--group", "sites", "--format", "ndjson");
		expect(all.code).toBe(0);
		const names = formatLines(all.stdout).map((line) => JSON.parse(line).connection);
		expect(names).toEqual([...tenants.map(() => "fab-1"), ...tenants.map(() => "site-2")]);
		expect(all.stderr).toMatch(/^site-2: completed, \d+ rows\.$/m);
		await cli.ada.api.patch(`/api/controller/connections/${two}/`, { is_active: false });
		const part = await runQuery("Tenants", "--group", "sites", "--format", "csv", "--quiet");
		expect(part).toMatchObject({ code: 5, stderr: expect.stringMatching(/^weft: site-2: .*not active/) });
		expect(formatLines(part.stdout)).toHaveLength(tenants.length + 1);
		await cli.ada.api.patch(`${groups}${group.body.id}/`, { connection_ids: [cli.connection] });
		const single = await runQuery("Tenants", "--group", group.body.id, "--format", "json", "--quiet");
		expect(JSON.parse(single.stdout)[0]).toMatchObject({ connection: "fab-1" });
		expect(await runQuery("Tenants", "--group", "site")).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('There is no connection group "site". Did you mean "sites"?'),
		});
		expect(await runQuery("Tenants", "--group", "sites", "--connection", "fab-1")).toMatchObject({ code: 2 });
	});

	it("ends with 5 where a run fails, with the rows of the others", async () => {
		await addConnection(cli.ada.api, { ...cli.lab, password: "wrong" }, { name: "fab-3" });
		const part = await runQuery(
			"Tenants",
			"--connection",
			"fab-1",
			"--connection",
			"fab-3",
			"--format",
			"json",
			"--quiet",
		);
		expect(part).toMatchObject({ code: 5, stderr: expect.stringMatching(/^weft: fab-3: \S/) });
		expect(JSON.parse(part.stdout)).toHaveLength(tenants.length);
		const alone = await runQuery("Tenants", "--connection", "fab-3", "--format", "junit", "--quiet");
		expect(alone).toMatchObject({ code: 5, stdout: expect.stringContaining("<failure") });
	});
});

describe("a broken connection", () => {
	it("goes on where the answer to the start, the channel and the rows were lost, and starts one run", async () => {
		const before = (await listRuns()).length;
		const release = controller.hold(/fvTenant/);
		proxy.cutAnswer(/POST \S+execute_background/, 1);
		const args = ["query", "run", "Tenants", "--connection", "fab-1", "--profile", "proxied", "--format", "json"];
		const started = cli.start(args);
		await waitUntil("the run is known to the command", () => started.output.stderr.includes("started"));
		expect(proxy.cuts()).toBe(1);
		await waitUntil(
			"the channel is open",
			async () => (await cli.ada.api.get(RUNS)).body.results[0].status === "running",
		);
		proxy.cut();
		proxy.cutAnswer(/GET \S+export=/, 600);
		release();
		const { code, stdout, stderr } = await started.ended;
		expect({ code, stderr }).toMatchObject({ code: 0 });
		expect(proxy.cuts()).toBe(2);
		expect(JSON.parse(stdout)).toEqual(tenants);
		expect((await listRuns()).length).toBe(before + 1);
	});
});

describe("a query file", () => {
	const content = `kind: query
flow_data:
  edges:
    - source: tenant
      target: named
    - source: named
      target: out
  nodes:
    - data:
        className: fvTenant
      id: tenant
      type: classNode
    - data:
        filterType: property
        operator: eq
        property: name
        value: \${tenant}
      id: named
      type: filterNode
    - id: out
      type: outputNode
name: Tenants
variables:
  - id: tenant
    required: true
`;
	let folder: string;
	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "weft-query-"));
	});
	afterAll(() => rm(folder, { recursive: true }));
	async function writeTempFile(name: string, text: string): Promise<string> {
		await writeFile(join(folder, name), text);
		return join(folder, name);
	}

	it("is run on several connections and shown, and not saved", async () => {
		const before = (await cli.ada.api.get(QUERIES)).body.count;
		const name = Object.values(tenants[0] ?? {})[0]?.attributes.name ?? "";
		const path = await writeTempFile("any.yaml", content);
		const both = ["--connection", "fab-1", "--connection", "fab-2"];
		const { code, stdout } = await runQuery(path, ...both, "--var", `tenant=${name}`, "--format", "json");
		expect(code).toBe(0);
		const rows: (Row & { connection: string })[] = JSON.parse(stdout);
		expect(rows.map(({ connection, fvTenant }) => [connection, fvTenant?.attributes.name])).toEqual([
			["fab-1", name],
			["fab-2", name],
		]);
		const bare = await writeTempFile("without-ending", content);
		const shown = await cli.weft("query", "show", bare, "--format", "json");
		expect(JSON.parse(shown.stdout)).toMatchObject({
			name: "Tenants",
			flow_data: { edges: [{ id: "tenant-named" }, {}] },
		});
		expect((await cli.weft("query", "show", path)).stdout).toMatch(/^variables +tenant$/m);
		expect((await cli.ada.api.get(QUERIES)).body.count).toBe(before);
	});

	it("is refused with the line of each error, and no run is started", async () => {
		const before = (await listRuns()).length;
		const wrong = await writeTempFile("wrong.yml", content.replace("fvTenant", "'no class'"));
		const expected = new RegExp(`^${wrong}:10: .*class name.*\nweft: There is 1 error.\n$`);
		for (const command of ["run", "show"])
			expect(await cli.weft("query", command, wrong)).toMatchObject({
				code: 2,
				stdout: "",
				stderr: expect.stringMatching(expected),
			});
		expect(await runQuery(await writeTempFile("s.yaml", "kind: check\n"))).toMatchObject({ code: 2 });
		expect(await runQuery(join(folder, "no.yaml"))).toMatchObject({
			code: 2,
			stderr: expect.stringContaining("ENOENT"),
		});
		expect(await runQuery(join(folder, "no"))).toMatchObject({ code: 2, stderr: expect.stringContaining("no query") });
		const path = await writeTempFile("any.yaml", content);
		expect(await runQuery(path, "--connection", "fab-1")).toMatchObject({
			code: 2,
			stderr: "weft: variable_values.tenant: This variable is required.\n",
		});
		expect((await listRuns()).length).toBe(before);
	});

	it("starts one run where the answer to the start was lost", async () => {
		const before = (await listRuns()).length;
		proxy.cutAnswer(/POST \S+pipeline-executions/, 1);
		const path = await writeTempFile("any.yaml", content);
		const args = [path, "--connection", "fab-1", "--var", "tenant=none", "--profile", "proxied", "--format", "json"];
		const cuts = proxy.cuts();
		const { code, stdout } = await runQuery(...args);
		expect({ code, rows: JSON.parse(stdout) }).toEqual({ code: 0, rows: [] });
		expect(proxy.cuts()).toBe(cuts + 1);
		expect((await listRuns()).length).toBe(before + 1);
	});
});

describe("Ctrl-C", () => {
	it("cancels all runs on the server, says so, and ends with 130", async () => {
		const release = controller.hold(/fvBD/);
		const started = cli.start(["query", "run", "Domains", "--connection", "fab-1", "--connection", "fab-2"]);
		await waitUntil("the command follows its runs", () => started.output.stderr.includes("on 2 connections"));
		started.child.kill("SIGINT");
		const { code, stdout, stderr } = await started.ended;
		release();
		expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
		expect(stderr).toMatch(/^\S+ cancelled on the server\.$/m);
		const [one, other] = await listRuns();
		expect([one?.status, other?.status]).toEqual(["cancelled", "cancelled"]);
	});
});

describe("a reader that has read enough", () => {
	it("ends the command quietly", async () => {
		const started = cli.start(["query", "run", "Domains", "--connection", "fab-1", "--format", "ndjson", "--quiet"]);
		started.child.stdout?.once("data", () => started.child.stdout?.destroy());
		expect(await started.ended).toMatchObject({ code: 0, stderr: "" });
	});
});
