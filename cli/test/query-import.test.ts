/** `weft query from-url`: requests as queries that are printed, written or saved. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { listDns, QUERIES } from "../../server/test/support/canvases.ts";
import { useCli } from "./support/cli.ts";

const TENANTS = "https://apic/api/class/fvTenant.json";
const DOMAINS = `moquery -c fvBD -f 'fv.BD.name*"b"'`;
const cli = useCli();
let dir: string;
beforeEach(async () => {
	dir = await mkdtemp(join(tmpdir(), "weft-import-"));
});
afterEach(() => rm(dir, { recursive: true }));

const importFromUrl = (...args: string[]) => cli.weft("query", "from-url", ...args);
const importLines = (lines: readonly string[], ...args: string[]) =>
	cli.pipe(`${lines.join("\n")}\n`, "query", "from-url", "-", ...args);
const listMyQueries = async (): Promise<string[]> =>
	(await cli.ada.api.get(`${QUERIES}?my_queries=true&ordering=name`)).body.results.map(
		({ name }: { name: string }) => name,
	);

describe("weft query from-url", () => {
	it("prints name and source, in JSON the canvas, and saves nothing", async () => {
		const table = await importFromUrl(TENANTS);
		expect(table).toMatchObject({ code: 0, stderr: "" });
		expect(table.stdout).toMatch(/^name +source\n\S.* +https:\/\/apic\/api\/class\/fvTenant.json\n$/);
		const { body } = await cli.ada.api.post("/api/queries/import-requests/", { text: TENANTS });
		expect(JSON.parse((await importFromUrl(TENANTS, "--format", "json")).stdout)).toEqual(body.results);
		expect(await listMyQueries()).toEqual([]);
	});

	it("writes files that are valid, and whose queries run", async () => {
		const written = await importLines([TENANTS, DOMAINS, TENANTS], "--out", dir, "--format", "json");
		expect(written).toMatchObject({ code: 0, stderr: "" });
		const items: { name: string; path: string }[] = JSON.parse(written.stdout);
		expect(new Set(items.map(({ name }) => name)).size).toBe(3);
		expect((await readdir(join(dir, "queries"))).sort()).toEqual(items.map(({ path }) => path.slice(8)).sort());
		expect(parse(await readFile(join(dir, items[0]?.path ?? ""), "utf8"))).toMatchObject({
			kind: "query",
			name: items[0]?.name,
			flow_data: { nodes: [{ type: "classNode", data: { className: "fvTenant" } }, { type: "outputNode" }] },
		});
		expect(await cli.weft("query", "validate", dir)).toMatchObject({ code: 0 });
		const args = ["query", "run", join(dir, items[0]?.path ?? ""), "--connection", "fab-1", "--format", "json"];
		expect(listDns(JSON.parse((await cli.weft(...args)).stdout)).length).toBeGreaterThan(0);
		expect(await importLines([TENANTS, DOMAINS, TENANTS], "--out", dir)).toMatchObject({ code: 0 });
	});

	it("replaces no file that is another one", async () => {
		const [item] = JSON.parse((await importFromUrl(TENANTS, "--out", dir, "--format", "json")).stdout);
		const path = join(dir, item.path);
		await writeFile(path, "mine");
		const refused = await importLines([DOMAINS, TENANTS], "--out", dir);
		expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`${path} exists`) });
		expect(await readFile(path, "utf8")).toBe("mine");
		expect(await readdir(join(dir, "queries"))).toHaveLength(1);
	});

	it("saves all queries or none, and changes none", async () => {
		const saved = await importLines([TENANTS, DOMAINS], "--save", "--format", "json");
		expect(saved).toMatchObject({ code: 0, stderr: "" });
		const names = JSON.parse(saved.stdout).map(({ name }: { name: string }) => name);
		expect(await listMyQueries()).toEqual(names.sort());
		const again = await importLines(["/api/class/fvCtx.json", TENANTS], "--save");
		expect(again).toMatchObject({
			code: 2,
			stdout: "",
			stderr: expect.stringContaining("Nothing was saved: you have"),
		});
		expect(await listMyQueries()).toEqual(names);
	});

	it("ends with 1 where some is not represented, with 2 where nothing is, and says what", async () => {
		const part = `${TENANTS}?subscription=yes`;
		const post = "curl -X POST https://apic/api/mo/uni.json -d '{}'";
		const some = await importLines([TENANTS, part, post], "--out", dir, "--format", "ndjson");
		expect(some.code).toBe(1);
		expect(some.stderr).toContain("subscription=yes is not represented.\n");
		expect(some.stderr).toContain(`${post}: A POST request changes objects. Canvases only read.\n`);
		expect(some.stderr).toContain("weft: 2 of 3 requests are not represented whole.\n");
		expect(some.stdout.trim().split("\n")).toHaveLength(3);
		expect(await readdir(join(dir, "queries"))).toHaveLength(2);
		const none = await importFromUrl(post, "--save", "--format", "junit");
		expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("None of the requests can be a query.") });
		expect(none.stdout).toContain("<failure");
	});

	it("reads a Postman collection, with its variables", async () => {
		const file = join(dir, "collection.json");
		const item = [
			{ name: "One tenant", request: { method: "GET", url: "https://apic/api/mo/uni/tn-{{tenant}}.json" } },
		];
		await writeFile(file, JSON.stringify({ info: { name: "APIC" }, item }));
		const { code, stdout } = await importFromUrl("--collection", file, "--format", "json");
		expect(code).toBe(0);
		expect(JSON.parse(stdout)).toMatchObject([{ name: "One tenant", variables: [{ id: "tenant" }] }]);
		await writeFile(file, "{");
		expect(await importFromUrl("--collection", file)).toMatchObject({
			code: 2,
			stderr: expect.stringContaining("no JSON"),
		});
		await writeFile(file, "[]");
		expect(await importFromUrl("--collection", file)).toMatchObject({ code: 2 });
	});

	it("reads a collection as large as the service takes it, and no larger one", async () => {
		const file = join(dir, "collection.json");
		const writeCollection = (length: number) => {
			const item = [{ name: "Tenants", request: { method: "GET", url: TENANTS } }];
			return writeFile(file, JSON.stringify({ info: { name: "APIC", description: "x".repeat(length) }, item }));
		};
		await writeCollection(3 * 1024 * 1024);
		const { code, stderr } = await importFromUrl("--collection", file);
		expect(code, stderr).toBe(0);
		await writeCollection(4 * 1024 * 1024);
		expect(await importFromUrl("--collection", file)).toMatchObject({
			code: 2,
			stderr: expect.stringContaining("Must have at most 4,194,304 bytes."),
		});
	});

	it.each<[string, string[]]>([
		["nothing", []],
		["two inputs", [TENANTS, "--collection", "x.json"]],
		["two places", [TENANTS, "--out", "x", "--save"]],
	])("ends with 2 for %s", async (_what, args) => {
		expect(await importFromUrl(...args)).toMatchObject({
			code: 2,
			stdout: "",
			stderr: expect.stringMatching(/^weft: Give /),
		});
	});
});
