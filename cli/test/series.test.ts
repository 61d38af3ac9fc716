/** `weft snapshot series`: numbers of snapshots over time. */
import type { SeriesAnswer } from "@weft/contracts";
import { beforeAll, describe, expect, it } from "vitest";
import { buildClassNode, connectNodes, output, QUERIES } from "../../server/test/support/canvases.ts";
import { waitUntil } from "../../server/test/support/harness.ts";
import { useCli } from "./support/cli.ts";

const cli = useCli();
beforeAll(async () => {
	const fields = { name: "Seen", flow_data: connectNodes(buildClassNode("fvBD"), output), enable_time_machine: true };
	expect((await cli.ada.api.post(QUERIES, fields)).status).toBe(201);
	await captureChanged();
	await captureChanged();
});

const showSeries = (...args: string[]) => cli.weft("snapshot", "series", "Seen", ...args);

async function captureChanged(): Promise<void> {
	cli.lab.advance({ steps: 5, change_rate: 0.5 });
	const { code, stderr } = await cli.weft("snapshot", "capture", "Seen", "--connection", "fab-1");
	expect(code, stderr).toBe(0);
}

async function readSeries(...args: string[]): Promise<SeriesAnswer> {
	const { code, stdout, stderr } = await showSeries("--format", "json", ...args);
	expect(code, stderr).toBe(0);
	return JSON.parse(stdout);
}

describe("weft snapshot series", () => {
	it("prints the number of rows of each snapshot as a table, JSON, YAML and CSV", async () => {
		const answer = await readSeries("--connection", "fab-1");
		const points = answer.groups[0]?.points ?? [];
		expect(answer).toMatchObject({ controller_connection: { name: "fab-1" }, snapshots: 2, computing: false });
		expect(points).toHaveLength(2);
		const table = await showSeries();
		expect(table.stdout.trimEnd().split("\n").slice(1)).toEqual(points.map(([at, value]) => `${at}  ${value}`));
		expect((await showSeries("--format", "csv")).stdout).toBe(
			`at,value\r\n${points.map(([at, value]) => `${at},${value}\r\n`).join("")}`,
		);
		expect((await showSeries("--format", "yaml")).stdout).toContain("total_groups: 1\n");
	});

	it("computes a value of a field by group, and says how many groups there are when it prints fewer", async () => {
		const of = ["--value", "distinct", "--field", "fvBD.dn", "--group-by", "fvBD.name", "--step", "day"];
		const answer = await readSeries(...of, "--groups", "100");
		expect(answer.total_groups).toBeGreaterThan(1);
		const { stdout, stderr } = await showSeries(...of, "--groups", "1");
		expect(stdout).toMatch(/^at +group +value\n.+\n$/);
		expect(stderr).toContain(`These are 1 of ${answer.total_groups} groups. Raise --groups to see more.`);
	});

	it("takes the snapshots of a time", async () => {
		expect(await readSeries("--from", "1 day ago")).toMatchObject({ snapshots: 2 });
		expect(await readSeries("--to", "1 day ago")).toMatchObject({ snapshots: 0, groups: [] });
	});

	it("prints the exports of the service as they come, whatever the format is", async () => {
		const csv = await showSeries("--export", "csv", "--format", "json");
		expect(csv.stdout).toMatch(/^time,count\r\n.+,\d+\r\n.+,\d+\r\n$/);
		const metrics = await showSeries("--export", "openmetrics");
		expect(metrics.stdout).toMatch(
			/^# TYPE weft_series gauge\n[\s\S]*query="Seen",connection="fab-1"[\s\S]*\n# EOF\n$/,
		);
	});

	it("waits while numbers are being computed", async () => {
		const setComputing = (until: string | null) =>
			cli.t.pool.query("update snapshot_series_definitions set computing_until = $1", [until]);
		await readSeries();
		await setComputing("2099-01-01T00:00Z");
		await captureChanged();
		const read = () => cli.t.pool.query("select max(last_used_at) as used from snapshot_series_definitions");
		const before = String((await read()).rows[0].used.getTime());
		const answer = readSeries();
		await waitUntil("it has asked", async () => String((await read()).rows[0].used.getTime()) !== before);
		await setComputing(null);
		expect(await answer).toMatchObject({ computing: false, pending: 0, snapshots: 3 });
	});

	it("ends with 2 where a field is missing, and for a wrong time, value, count or name", async () => {
		const refusals = [
			[["--value", "sum"], "field: Needs a field"],
			[["--from", "whenever"], "--from whenever: Must be a time"],
			[["--value", "median"], "Allowed choices are count, sum"],
			[["--groups", "101"], "--groups 101: Must be a whole number from 1 to 100."],
			[["--connection", "fab-9"], 'Did you mean "fab-1"?'],
		] as const;
		for (const [args, message] of refusals)
			expect(await showSeries(...args)).toMatchObject({
				code: 2,
				stdout: "",
				stderr: expect.stringContaining(message),
			});
	});
});
