/** `weft query export`, `validate` and `apply`: a folder and the service, there and back. */
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { APPLY_LIMITS } from "@weft/contracts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { buildClassNode, connectNodes, output, QUERIES } from "../../server/test/support/canvases.ts";
import { addConnection } from "../../server/test/support/query-files.ts";
import { signIn, useCli } from "./support/cli.ts";

const TASKS = "/api/queries/scheduled-tasks/";
const cli = useCli();
let dir: string;
beforeEach(async () => {
	dir = await mkdtemp(join(tmpdir(), "weft-files-"));
});
afterEach(() => rm(dir, { recursive: true }));

const formatQueryFile = (name: string, more = ""): string => `kind: query
flow_data:
  edges: []
  nodes:
    - data:
        className: fvTenant
      id: a
      type: classNode
name: ${name}
${more}`;
async function writeQueryFile(path: string, content: string | Uint8Array): Promise<string> {
	await mkdir(dirname(join(dir, path)), { recursive: true });
	await writeFile(join(dir, path), content);
	return join(dir, path);
}
const formatLines = (text: string): string[] => text.trimEnd().split("\n");
const runQueryCommand = (...args: string[]) => cli.weft("query", ...args);
const getNames = async (): Promise<string[]> =>
	(await cli.ada.api.get(`${QUERIES}?my_queries=true&ordering=name`)).body.results.map(
		({ name }: { name: string }) => name,
	);

describe("weft query export", () => {
	it("writes one file per object, leaves the same files alone, and tells of stale ones", async () => {
		const { body: tenants } = await cli.ada.api.post(QUERIES, {
			name: "Export me",
			flow_data: connectNodes(buildClassNode("fvTenant"), output),
		});
		const task = await cli.ada.api.post(TASKS, {
			name: "Export daily",
			saved_query: tenants.id,
			controller_connection_ids: [cli.connection],
			frequency: "daily",
			time_of_day: "06:30",
		});
		expect(task.status, task.text).toBe(201);
		const folder = join(dir, "new");
		const first = await runQueryCommand("export", folder, "--format", "json");
		expect(first).toMatchObject({ code: 0, stderr: `${folder}: 3 created.\n` });
		expect(JSON.parse(first.stdout)).toEqual([
			{ path: "queries/export-me.yaml", action: "created" },
			{ path: "schedules/export-daily.yaml", action: "created" },
			{ path: "connections/fab-1.yaml", action: "created" },
		]);
		const path = join(folder, "queries/export-me.yaml");
		expect(parse(await readFile(path, "utf8"))).toMatchObject({ kind: "query", name: "Export me" });
		const { ino, mtimeMs } = await stat(path);
		await writeFile(join(folder, "schedules/export-daily.yaml"), "kind: schedule\n");
		await writeQueryFile("new/queries/former.yaml", formatQueryFile("Former"));
		await writeQueryFile("new/README.md", "no YAML");
		await writeQueryFile("new/.github/ci.yml", "hidden: true");
		const second = await runQueryCommand("export", folder, "--format", "csv");
		expect(formatLines(second.stdout.replaceAll("\r", ""))).toEqual([
			"path,action",
			"queries/export-me.yaml,unchanged",
			"schedules/export-daily.yaml,updated",
			"connections/fab-1.yaml,unchanged",
			"queries/former.yaml,stale",
		]);
		expect(second.stderr).toContain("2 unchanged, 1 updated, 1 stale");
		expect(await stat(path)).toMatchObject({ ino, mtimeMs });
		expect(await readFile(join(folder, "queries/former.yaml"), "utf8")).toBe(formatQueryFile("Former"));
		expect((await readdir(join(folder, "schedules"))).sort()).toEqual(["export-daily.yaml"]);
		const applied = await runQueryCommand("apply", join(folder, "schedules"), "--format", "ndjson");
		expect(JSON.parse(applied.stdout)).toMatchObject({ action: "unchanged", kind: "schedule" });
	});

	it("writes through no link", async () => {
		const outside = await mkdtemp(join(tmpdir(), "weft-outside-"));
		await writeFile(join(outside, "kept.yaml"), "kept");
		await mkdir(join(dir, "a/queries"), { recursive: true });
		await symlink(join(outside, "kept.yaml"), join(dir, "a/queries/export-me.yaml"));
		expect(await runQueryCommand("export", join(dir, "a"))).toMatchObject({ code: 0 });
		expect(await readFile(join(outside, "kept.yaml"), "utf8")).toBe("kept");
		expect(parse(await readFile(join(dir, "a/queries/export-me.yaml"), "utf8"))).toMatchObject({ kind: "query" });
		await mkdir(join(dir, "b"));
		await symlink(outside, join(dir, "b/queries"));
		expect(await runQueryCommand("export", join(dir, "b"))).toMatchObject({
			code: 2,
			stderr: `weft: ${join(dir, "b/queries")} is a link. Replace it with a folder.\n`,
		});
		expect(await readdir(outside)).toEqual(["kept.yaml"]);
		await rm(outside, { recursive: true });
	});

	it.each([
		["a way up", ["queries/ok.yaml", "queries/../../evil.yaml"]],
		["a root", ["/tmp/weft-evil.yaml"]],
		["a backslash", ["queries\\..\\evil.yaml"]],
		["another name", ["queries/.bashrc"]],
		["a path twice", ["queries/ok.yaml", "queries/ok.yaml"]],
	])("writes nothing where the service answers %s", async (_what, paths) => {
		const files = paths.map((path) => ({ path, content: "kind: query\n" }));
		const server = createServer((_request, response) =>
			response.setHeader("content-type", "application/json").end(JSON.stringify({ files })),
		);
		await once(server.listen(0, "127.0.0.1"), "listening");
		const WEFT_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		const environment = { WEFT_URL, WEFT_TOKEN: "x" };
		const ended = await cli.run(["query", "export", join(dir, "in")], { environment });
		server.close();
		expect(ended).toMatchObject({ code: 4, stdout: "", stderr: expect.stringMatching(/^weft: Nothing was written/) });
		expect(await readdir(dir)).toEqual([]);
	});
});

describe("weft query validate", () => {
	it("lists correct files, and names file and line of each error", async () => {
		await writeQueryFile("b/tenants.yaml", formatQueryFile("Valid"));
		await writeQueryFile("a/domains.yml", formatQueryFile("Valid too"));
		const right = await runQueryCommand("validate", dir, "--format", "json");
		expect(right).toMatchObject({ code: 0, stderr: "" });
		expect(JSON.parse(right.stdout)).toEqual([
			{ path: "a/domains.yml", errors: [] },
			{ path: "b/tenants.yaml", errors: [] },
		]);
		const wrong = await writeQueryFile("b/wrong.yaml", formatQueryFile("Wrong", "is_public: maybe\ncolour: red\n"));
		const { code, stdout, stderr } = await runQueryCommand("validate", dir, "--format", "junit");
		expect(code).toBe(2);
		expect(formatLines(stderr)).toEqual([
			expect.stringMatching(new RegExp(`^${wrong}:10: is_public: `)),
			`${wrong}:11: There is no key "colour".`,
			"weft: There are 2 errors.",
		]);
		expect(stdout).toContain('<testcase classname="query validate" name="a/domains.yml" time="0"/>');
		expect(stdout).toMatch(/name="b\/wrong.yaml" time="0"><failure message="10: is_public/);
		expect(await getNames()).not.toContain("Valid");
	});

	it("ends with 2 for folders and files that cannot be sent", async () => {
		expect(await runQueryCommand("validate", join(dir, "no"))).toMatchObject({
			code: 2,
			stderr: expect.stringMatching("ENOENT"),
		});
		expect(await runQueryCommand("validate", dir)).toMatchObject({
			code: 2,
			stderr: `weft: There is no .yaml or .yml file below ${dir}.\n`,
		});
		const long = await writeQueryFile("long.yaml", "#".repeat(APPLY_LIMITS.fileLength + 1));
		const huge = await writeQueryFile("huge.yaml", "#".repeat(4 * APPLY_LIMITS.fileLength + 1));
		const binary = await writeQueryFile("binary.yaml", Uint8Array.of(0xff, 0xfe));
		const { code, stderr } = await runQueryCommand("validate", dir);
		expect(code).toBe(2);
		expect(formatLines(stderr)).toEqual([
			`${binary}:1: Must be text in UTF-8.`,
			`${huge}:1: Must have at most 1,048,576 characters.`,
			`${long}:1: Must have at most 1,048,576 characters.`,
			"weft: There are 3 errors.",
		]);
	});

	it("ends with 2 for files that are too large together, or too many", async () => {
		for (let i = 0; i <= 32; i++) await writeQueryFile(`${i}.yaml`, "#".repeat(APPLY_LIMITS.fileLength));
		expect(await runQueryCommand("validate", dir)).toMatchObject({
			code: 2,
			stderr: `weft: The files below ${dir} have more than 32 MiB together.\n`,
		});
		await rm(dir, { recursive: true });
		for (let i = 0; i <= APPLY_LIMITS.files; i++) await writeQueryFile(`${i}.yaml`, "");
		expect(await runQueryCommand("validate", dir)).toMatchObject({
			code: 2,
			stderr: expect.stringContaining("At most 5000"),
		});
	});

	it("follows no link", async () => {
		const outside = await mkdtemp(join(tmpdir(), "weft-outside-"));
		await writeFile(join(outside, "secret.yaml"), "password: planted");
		await writeQueryFile("tenants.yaml", formatQueryFile("Linked"));
		await symlink(outside, join(dir, "folder"));
		await symlink(join(outside, "secret.yaml"), join(dir, "file.yaml"));
		const { code, stdout, stderr } = await runQueryCommand("validate", dir, "--format", "ndjson");
		expect(code).toBe(0);
		expect(formatLines(stdout)).toHaveLength(1);
		expect(formatLines(stderr).sort()).toEqual([
			`${join(dir, "file.yaml")} is a link and is not read.`,
			`${join(dir, "folder")} is a link and is not read.`,
		]);
		await rm(outside, { recursive: true });
	});
});

describe("weft query apply", () => {
	it("prints the plan in every format, and brings the service there", async () => {
		await writeQueryFile("tenants.yaml", formatQueryFile("Applied"));
		const planned = await runQueryCommand("apply", dir, "--dry-run", "--format", "json");
		expect(planned).toMatchObject({ code: 0, stderr: "1 created. Nothing was changed (dry run).\n" });
		const plan = [{ path: "tenants.yaml", kind: "query", name: "Applied", action: "created" }];
		expect(JSON.parse(planned.stdout)).toEqual(plan);
		const dry = async (format: string) => (await runQueryCommand("apply", dir, "--dry-run", "--format", format)).stdout;
		expect(JSON.parse(await dry("ndjson"))).toEqual(plan[0]);
		expect(parse(await dry("yaml"))).toEqual(plan);
		expect(await dry("csv")).toBe("path,kind,name,action\r\ntenants.yaml,query,Applied,created\r\n");
		expect(await dry("table")).toMatch(/^path +kind +name +action\ntenants.yaml +query +Applied +created\n$/);
		expect(await dry("junit")).toContain('<testcase classname="query apply" name="tenants.yaml" time="0"/>');
		expect(await getNames()).not.toContain("Applied");
		expect(await runQueryCommand("apply", dir, "--format", "json")).toMatchObject({ code: 0, stdout: planned.stdout });
		expect(await getNames()).toContain("Applied");
		expect((await runQueryCommand("apply", dir)).stderr).toBe("1 unchanged.\n");
	});

	it("makes a change plan and a calendar entry, which an export writes to plans and calendar", async () => {
		const olga = await cli.t.user("olga", ["Operator"]);
		await signIn(cli, olga, "--profile", "olga");
		const runAsOlga = (...args: string[]) => runQueryCommand(...args, "--profile", "olga");
		await addConnection(olga, "fab-olga");
		await writeQueryFile("queries/planned.yaml", formatQueryFile("Planned", "enable_time_machine: true\n"));
		await writeQueryFile(
			"plans/of-cli.yaml",
			"kind: change_plan\nname: Of the command line\nitems: [{ query: Planned }]\n",
		);
		await writeQueryFile(
			"calendar/night.yaml",
			`kind: calendar_entry
entry_kind: maintenance
title: Night of the command line
controller_connections: [fab-olga]
starts_at: 2026-03-14T21:00:00Z
ends_at: 2026-03-14T23:00:00Z
`,
		);
		expect(await runAsOlga("validate", dir)).toMatchObject({ code: 0 });
		expect(await runAsOlga("apply", dir)).toMatchObject({ code: 0, stderr: "3 created.\n" });
		const folder = join(dir, "exported");
		expect((await runAsOlga("export", folder)).code).toBe(0);
		expect(await readdir(join(folder, "plans"))).toEqual(["of-the-command-line.yaml"]);
		expect(await readdir(join(folder, "calendar"))).toEqual(["night-of-the-command-line.yaml"]);
		const again = await runAsOlga("apply", folder);
		expect(again.stderr).toMatch(/^4 unchanged\.\n$/);
	});

	it("changes nothing where a file is wrong", async () => {
		await writeQueryFile("a.yaml", formatQueryFile("Unapplied"));
		const wrong = await writeQueryFile("b.yaml", "kind: group\n");
		expect(await runQueryCommand("apply", dir)).toMatchObject({
			code: 2,
			stdout: "",
			stderr:
				`${wrong}:1: Unknown kind. Kinds: query, schedule, check, connection, change_plan, calendar_entry.\n` +
				"weft: There is 1 error. Nothing was changed.\n",
		});
		expect(await getNames()).not.toContain("Unapplied");
	});

	it("deletes with --prune only, and ends with 3 without the right to change", async () => {
		const vera = await cli.t.user("vera", ["Editor"]);
		await signIn(cli, vera, "--profile", "vera");
		const as = (...args: string[]) => runQueryCommand("apply", dir, "--profile", "vera", "--format", "ndjson", ...args);
		await writeQueryFile("one.yaml", formatQueryFile("One"));
		const two = await writeQueryFile("two.yaml", formatQueryFile("Two"));
		expect(await as()).toMatchObject({ code: 0 });
		await rm(two);
		expect((await as()).stdout).not.toContain("deleted");
		await writeQueryFile("one.yaml", formatQueryFile("One", "description: changed\n"));
		await cli.t.setGroups(vera, ["Viewer"]);
		expect(await as("--prune")).toMatchObject({
			code: 3,
			stdout: "",
			stderr: expect.stringContaining("change_savedquery"),
		});
		await cli.t.setGroups(vera, ["Editor"]);
		const pruned = await as("--prune");
		expect(formatLines(pruned.stdout).map((line) => JSON.parse(line))).toEqual([
			{ path: "one.yaml", kind: "query", name: "One", action: "updated" },
			{ path: "queries/two.yaml", kind: "query", name: "Two", action: "deleted" },
		]);
	});
});
