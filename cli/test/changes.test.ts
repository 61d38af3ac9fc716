/** `weft changes`: what changed on the fabrics, and who changed it. */
import type { FeedEntry } from "@weft/contracts";
import { beforeAll, describe, expect, it } from "vitest";
import { buildClassNode, connectNodes, output, QUERIES } from "../../server/test/support/canvases.ts";
import { waitUntil } from "../../server/test/support/harness.ts";
import { useCli } from "./support/cli.ts";

const cli = useCli();
beforeAll(async () => {
	const fields = { name: "Fed", flow_data: connectNodes(buildClassNode("fvBD"), output), enable_time_machine: true };
	expect((await cli.ada.api.post(QUERIES, fields)).status).toBe(201);
	await cli.weft("snapshot", "capture", "Fed", "--connection", "fab-1");
	cli.lab.advance({ steps: 5, change_rate: 0.5 });
	await cli.weft("snapshot", "capture", "Fed", "--connection", "fab-1");
	await waitUntil("the changes are in the feed", async () => (await listChanges()).length > 1);
});

async function listChanges(...args: string[]): Promise<FeedEntry[]> {
	const { code, stdout, stderr } = await cli.weft("changes", "--format", "json", ...args);
	expect(code, stderr).toBe(0);
	return JSON.parse(stdout);
}

describe("weft changes", () => {
	it("prints changes in each format, and fewer with filters", async () => {
		const all = await listChanges();
		expect(all.every(({ connection }) => connection.name === "fab-1")).toBe(true);
		const [first] = all;
		const of = all.filter(({ dn }) => dn === first?.dn);
		expect(await listChanges("--connection", "fab-1", "--query", "Fed", "--search", first?.dn ?? "")).toEqual(of);
		expect(await listChanges("--class", "fvTenant")).toEqual([]);
		expect(await listChanges("--since", "2099-01-01T00:00Z")).toEqual([]);
		expect(await listChanges("--since", "10 years ago", "--until", "9 years ago")).toEqual([]);
		const table = (await cli.weft("changes", "--class", "fvBD")).stdout;
		expect(table).toContain(first?.dn);
		expect((await cli.weft("changes", "--format", "csv")).stdout).toMatch(/^at,connection,change,severity,class,dn,/);
	});

	it("says how many attributes of a change are not listed", async () => {
		const modified = (await listChanges()).find(({ change }) => change === "modified");
		const { db } = cli.t.app.context.store;
		const omitted = (count: number) =>
			db
				.updateTable("object_changes")
				.set({ attributes_omitted: count })
				.where("id", "=", modified?.id ?? 0)
				.execute();
		const { stdout: whole } = await cli.weft("changes", "--change", "modified");
		expect(whole).not.toContain("more attribute");
		await omitted(3);
		expect((await cli.weft("changes", "--change", "modified")).stdout).toContain("; and 3 more attributes");
		await omitted(1);
		expect((await cli.weft("changes", "--change", "modified")).stdout).toContain("; and 1 more attribute ");
		await omitted(0);
	});

	it("says how many there are when it prints fewer", async () => {
		const total = (await listChanges()).length;
		const { stdout, stderr } = await cli.weft("changes", "--limit", "1", "--format", "json");
		expect(JSON.parse(stdout)).toHaveLength(1);
		expect(stderr).toContain(`These are 1 of ${total} changes. Raise --limit to see more.`);
	});

	it("ends with 2 for a text that is no time, and for an unknown connection", async () => {
		expect(await cli.weft("changes", "--since", "whenever")).toMatchObject({ code: 2 });
		expect(await cli.weft("changes", "--connection", "fab-9")).toMatchObject({
			code: 2,
			stderr: expect.stringContaining('Did you mean "fab-1"?'),
		});
	});
});
