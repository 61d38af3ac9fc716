/** `weft snapshot`: capturing, comparing by id, label and time, and timelines. */
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { addConnection, buildClassNode, connectNodes, output, QUERIES } from "../../server/test/support/canvases.ts";
import { waitUntil } from "../../server/test/support/harness.ts";
import { useCli } from "./support/cli.ts";

const cli = useCli();
const runSnapshotCommand = (...args: string[]) => cli.weft("snapshot", ...args);
let first: { id: string; saved_query_id: string };
let second: { id: string; has_changes: boolean };
beforeAll(async () => {
	const fields = {
		name: "Domains",
		flow_data: connectNodes(buildClassNode("fvBD"), output),
		enable_time_machine: true,
	};
	expect((await cli.ada.api.post(QUERIES, fields)).status).toBe(201);
	expect((await cli.ada.api.post(QUERIES, { ...fields, name: "Off", enable_time_machine: false })).status).toBe(201);
	first = await captureSnapshot("--label", "before");
	cli.lab.advance({ steps: 5, change_rate: 0.5 });
	second = await captureSnapshot("--annotation", "after the change");
	await waitUntil("it is stored who changed it", async () => {
		const body = { snapshot_from_id: first.id, snapshot_to_id: second.id };
		return (await cli.ada.api.post("/api/time-machine/compare/?format=summary", body)).body.attribution;
	});
});

async function captureSnapshot(...args: string[]) {
	const done = await runSnapshotCommand("capture", "Domains", "--connection", "fab-1", "--format", "json", ...args);
	expect(done, done.stderr).toMatchObject({ code: 0 });
	return JSON.parse(done.stdout)[0];
}
const byTime = ["--query", "Domains", "--connection", "fab-1", "--from", "before"];

describe("weft snapshot capture", () => {
	it("stores the result of a run, and finds the latest snapshot where nothing changed", async () => {
		expect(first).toMatchObject({ label: "before", origin: "run", controller_connection_name: "fab-1" });
		expect(second).toMatchObject({ annotation: "after the change", has_changes: true });
		const same = await runSnapshotCommand("capture", "Domains", "--connection", "fab-1", "--format", "json");
		expect(JSON.parse(same.stdout)).toMatchObject([{ id: second.id }]);
		expect(same.stderr).toContain("nothing changed");
	});

	it("ends with 2 where snapshots are off, and with 5 for a failed run", async () => {
		expect(await runSnapshotCommand("capture", "Off", "--connection", "fab-1")).toMatchObject({
			code: 2,
			stderr: expect.stringContaining("Snapshots are off"),
		});
		cli.lab.setFaults({ error: { match: "fvBD" } });
		expect(await runSnapshotCommand("capture", "Domains", "--connection", "fab-1")).toMatchObject({ code: 5 });
	});
});

describe("weft snapshot list and show", () => {
	it("print the snapshots of a query, and one with its rows", async () => {
		const list = await runSnapshotCommand("list", "Domains", "--connection", "fab-1", "--format", "json");
		expect(JSON.parse(list.stdout).map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
		expect(list.stderr).toBe("");
		const one = await runSnapshotCommand("list", "Domains", "--limit", "1", "--format", "json");
		expect(JSON.parse(one.stdout)).toHaveLength(1);
		expect(one.stderr).toBe("These are 1 of 2 snapshots. Raise --limit to see more.\n");
		const { body } = await cli.ada.api.get(`/api/time-machine/snapshots/${first.id}/`);
		const json = await runSnapshotCommand("show", "before", "--format", "json");
		expect(JSON.parse(json.stdout)).toEqual(body);
		expect(parse((await runSnapshotCommand("show", first.id, "--format", "yaml")).stdout)).toEqual(body);
		expect((await runSnapshotCommand("show", "before", "--query", "Domains")).stdout).toMatch(/^label +before$/m);
	});

	it("end with 2 for what there is not", async () => {
		expect(await runSnapshotCommand("show", "befor")).toMatchObject({
			code: 2,
			stderr: 'weft: There is no snapshot with the label "befor". Did you mean "before"?\n',
		});
		expect(await runSnapshotCommand("show", "01890000-0000-7000-8000-000000000000")).toMatchObject({ code: 2 });
		expect(await runSnapshotCommand("list", "Domains", "--limit", "0")).toMatchObject({ code: 2 });
		expect(await runSnapshotCommand("list", "Domains", "--date", "tomorrow")).toMatchObject({ code: 2 });
	});
});

describe("weft snapshot compare", () => {
	it("says who changed it with --attribution, in text and in JSON", async () => {
		const text = await runSnapshotCommand("compare", ...byTime, "--attribution");
		expect(text, text.stderr).toMatchObject({ code: 0 });
		expect(text.stdout).toMatch(/^~ uni\/.*\n(?: {4}\w+: .*\n)* {4}by: (admin|operator|automation) modified it at 2/m);
		const json = await runSnapshotCommand("compare", ...byTime, "--attribution", "--format", "json");
		const { attribution, diff } = JSON.parse(json.stdout);
		expect(attribution).toMatchObject({ complete: true, error: null });
		expect(diff.modified[0].changed_by[0]).toMatchObject({ action: "modified", session: expect.any(String) });
	});

	it("compares by id, label and time, in every format", async () => {
		const compare = (query: string) =>
			cli.ada.api.post(`/api/time-machine/compare/${query}`, { snapshot_from_id: first.id, snapshot_to_id: second.id });
		const { body, text } = await compare("");
		expect(body.identical).toBe(false);
		const json = await runSnapshotCommand("compare", first.id, second.id, "--format", "json");
		expect(json).toMatchObject({ code: 0, stdout: text });
		expect(parse((await runSnapshotCommand("compare", ...byTime, "--format", "yaml")).stdout)).toEqual(body);
		const lines = await runSnapshotCommand("compare", ...byTime, "--format", "ndjson");
		expect(lines.stdout).toBe((await compare("?format=ndjson")).text);
		const csv = await runSnapshotCommand("compare", ...byTime, "--to", second.id, "--format", "csv");
		expect(csv.stdout).toBe((await compare("?format=csv")).text);
		const table = await runSnapshotCommand("compare", ...byTime, "--to", "in 1 hour");
		expect(table).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[+~-] uni\/tn-/m) });
		expect(table.stdout).toMatch(/\nfvBD: \d+ added, \d+ deleted, \d+ modified\n$/);
		const junit = await runSnapshotCommand("compare", ...byTime, "--format", "junit");
		expect(junit.stdout).toContain('<testcase classname="snapshot compare" name="fvBD" time="0"><failure');
	});

	it("leaves out the ids of each fabric between two connections, unless --ids is given", async () => {
		const connection = { name: "fab-twin", url: cli.lab.url, username: "admin", password: "password" };
		const { body: twin } = await cli.ada.api.post("/api/controller/connections/", connection);
		const capture = async (id: string, pcTag: string) => {
			const row = { fvBD: { attributes: { dn: "uni/tn-a/BD-web", pcTag, arpFlood: id === twin.id ? "yes" : "no" } } };
			const body = { query_name: `Twin ${pcTag}`, controller_connection_id: id, result_data: { imdata: [row] } };
			return (await cli.ada.api.post("/api/time-machine/capture/", body)).body.snapshot_id;
		};
		const { body: stored } = await cli.ada.api.get(`/api/time-machine/snapshots/${first.id}/`);
		const sides = [await capture(stored.controller_connection_id, "1"), await capture(twin.id, "2")];
		const plain = await runSnapshotCommand("compare", ...sides);
		expect(plain.stdout).toMatch(/arpFlood: no → yes/);
		expect(plain.stdout).not.toContain("pcTag");
		expect(plain.stdout).toContain("Ids that each fabric hands out by itself are not compared; --ids does.");
		const withIds = await runSnapshotCommand("compare", ...sides, "--ids");
		expect(withIds.stdout).toMatch(/pcTag: 1 → 2/);
		const json = JSON.parse((await runSnapshotCommand("compare", ...sides, "--format", "json")).stdout);
		expect(json.ignored.identity).toBe(true);
	});

	it("looks for a label among the snapshots of the side's connection only", async () => {
		await addConnection(cli.ada.api, cli.lab, { name: "fab-2" });
		const both = ["--connection", "fab-1", "--connection", "fab-2"];
		const captured = await runSnapshotCommand("capture", "Domains", ...both, "--label", "both", "--format", "json");
		expect(captured, captured.stderr).toMatchObject({ code: 0 });
		const compare = async (...args: string[]) => {
			const done = await runSnapshotCommand("compare", "--query", "Domains", ...args, "--format", "json");
			expect(done, done.stderr).toMatchObject({ code: 0 });
			const { snapshot_from: from, snapshot_to: to } = JSON.parse(done.stdout);
			return [from.controller_connection_name, to.controller_connection_name];
		};
		expect(await compare("--connection", "fab-1", "--from", "both")).toEqual(["fab-1", "fab-1"]);
		expect(await compare("--connection", "fab-2", "--from", "both", "--to", "both")).toEqual(["fab-2", "fab-2"]);
		const toFirst = ["--connection", "fab-2", "--to-connection", "fab-1"];
		expect(await compare("both", "both", "--connection", "fab-1")).toEqual(["fab-1", "fab-1"]);
		expect(await compare("both", "both", ...toFirst)).toEqual(["fab-2", "fab-1"]);
		expect(await compare(...toFirst, "--from", "both", "--to", "both")).toEqual(["fab-2", "fab-1"]);
	});

	it("keeps the given order, and says so where the second snapshot is older", async () => {
		const compare = (a: string, b: string) => runSnapshotCommand("compare", a, b, "--format", "json");
		const [forth, back] = [await compare(first.id, second.id), await compare(second.id, first.id)];
		expect(forth.stderr).toBe("");
		expect(back.stderr).toContain("The second snapshot is older than the first: changes are shown backwards.");
		const [{ diff: there }, { diff: again }] = [JSON.parse(forth.stdout), JSON.parse(back.stdout)];
		const dns = (list: { dn: string }[]) => list.map(({ dn }) => dn);
		expect(dns(again.deleted)).toEqual(dns(there.added));
	});

	it("ends with 1 for differences with --exit-code, and with 0 without differences", async () => {
		expect(await runSnapshotCommand("compare", ...byTime, "--exit-code")).toMatchObject({ code: 1, stderr: "" });
		const same = await runSnapshotCommand("compare", second.id, second.id, "--exit-code");
		expect(same).toMatchObject({ code: 0, stdout: expect.stringContaining("No differences.") });
		const { body } = await cli.ada.api.post("/api/time-machine/compare/", {
			snapshot_from_id: first.id,
			snapshot_to_id: second.id,
		});
		const changed: { attribute_changes: { key: string }[] }[] = body.diff.modified;
		const keys = [...new Set(changed.flatMap((entry) => entry.attribute_changes.map(({ key }) => key)))];
		const ignored = keys.flatMap((key) => ["--ignore", key]);
		const less = await runSnapshotCommand("compare", ...byTime, ...ignored, "--format", "json", "--ignore-volatile");
		expect(JSON.parse(less.stdout)).toMatchObject({ diff: { modified: [] }, ignored: { volatile: true } });
	});

	it("matches by name with --match name", async () => {
		const named = await runSnapshotCommand("compare", ...byTime, "--match", "name", "--format", "ndjson");
		const lines = named.stdout.split("\n").filter(Boolean);
		expect(lines.length).toBeGreaterThan(0);
		for (const line of lines) expect(JSON.parse(line)).toHaveProperty("key");
		expect(await runSnapshotCommand("compare", ...byTime, "--match", "id")).toMatchObject({
			code: 2,
			stderr: expect.stringMatching(/dn, name/),
		});
	});

	it("leaves out what the query's drift rules ignore with --rules, also for the exit code", async () => {
		const { saved_query_id: id } = first;
		const set = (drift_rules: object) => cli.ada.api.patch(`${QUERIES}${id}/`, { drift_rules });
		expect((await set({ ignore_classes: ["*"] })).status).toBe(200);
		const none = await runSnapshotCommand("compare", ...byTime, "--rules", "--exit-code");
		expect(none).toMatchObject({ code: 0, stdout: expect.stringMatching(/left out/) });
		expect(await runSnapshotCommand("compare", ...byTime, "--exit-code")).toMatchObject({ code: 1 });
		expect((await set({ ignore_volatile: false })).status).toBe(200);
		expect(await runSnapshotCommand("compare", ...byTime, "--rules", "--exit-code")).toMatchObject({ code: 1 });
	});

	it("ends with 2 for sides that are missing or unknown", async () => {
		const all = [
			["compare"],
			["compare", first.id],
			["compare", "--query", "Domains"],
			["compare", "--query", "Domains", "--from", "the day of the fire"],
			["compare", first.id, second.id, "--from", "yesterday"],
			["compare", "--query", "Domains", "--from", "2 years ago", "--connection", "fab-1"],
		];
		const ended = await Promise.all(all.map((args) => runSnapshotCommand(...args)));
		expect(ended.map(({ code }) => code)).toEqual(all.map(() => 2));
		for (const { stdout, stderr } of ended) expect([stdout, stderr]).toEqual(["", expect.stringMatching(/^weft: \S/)]);
	});
});

describe("weft snapshot timeline", () => {
	it("shows an object over the snapshots of a query", async () => {
		const { body } = await cli.ada.api.get(`/api/time-machine/snapshots/${first.id}/`);
		const [row] = body.result_data.imdata;
		const { dn } = row.fvBD.attributes;
		const json = await runSnapshotCommand("timeline", "Domains", dn, "--connection", "fab-1", "--format", "json");
		expect(JSON.parse(json.stdout)).toMatchObject({ dn, snapshot_count: 2 });
		const points = await runSnapshotCommand("timeline", "Domains", dn, "--from", "1 hour ago", "--format", "ndjson");
		expect(JSON.parse(points.stdout.split("\n")[0] ?? "")).toMatchObject({ snapshot_id: first.id, present: true });
		expect(await runSnapshotCommand("timeline", "Domains", "uni/tn-none")).toMatchObject({ code: 2 });
		expect(await runSnapshotCommand("timeline", "Domains", dn, "--from", "soonish")).toMatchObject({ code: 2 });
	});
});
