/**
 * A service that is killed in the middle of a run: the next start goes on with it, and nothing is
 * lost or there twice.
 */
import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, expect, it } from "vitest";
import { waitUntil } from "../support/harness.ts";
import { type RunningService, startService } from "../support/process.ts";

const PATH = "/api/queries/pipeline-executions/";
let lab: RunningController;
let folder: string;
const children = new Set<ChildProcess>();

beforeAll(async () => {
	lab = await startController({ size: "medium" });
	folder = await mkdtemp(join(tmpdir(), "weft-crash-"));
});
afterAll(async () => {
	for (const child of children) await killChild(child, "SIGTERM");
	await lab.close();
	await rm(folder, { recursive: true, force: true });
});

async function killChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
	children.delete(child);
	const gone = new Promise((resolve) => child.once("exit", resolve));
	child.kill(signal);
	await gone;
}

async function launchService(): Promise<RunningService> {
	const service = await startService(folder);
	children.add(service.child);
	return service;
}

const getDn = (row: Record<string, { attributes: { dn: string } }>): string =>
	Object.values(row)[0]?.attributes.dn ?? "";

it("kill -9 in the middle of runs: they go on from their last complete stage, and end with exactly the rows there are", async () => {
	const first = await launchService();
	const { url, username, password } = lab;
	const connection = await first.ask("POST", "/api/controller/connections/", {
		name: "lab",
		url,
		username,
		password,
		verify_ssl: false,
	});
	const start = async (flow_data: unknown): Promise<string> =>
		(await first.ask("POST", PATH, { flow_data, controller_connection_id: connection.id })).id;
	// Later pages and later stages are slow, so that some rows are stored and others are not when the
	// process dies.
	lab.setFaults({ latency: { ms: 1_500, match: "fvRsPathAtt.*page=([2-9]|..)|l1PhysIf" } });
	const large = await start({ nodes: [{ id: "a", type: "classNode", data: { className: "fvRsPathAtt" } }], edges: [] });
	const staged = await start({
		nodes: [
			{ id: "first", type: "classNode", data: { className: "fabricNode" } },
			{ id: "second", type: "classNode", data: { className: "l1PhysIf" } },
		],
		edges: [
			{
				id: "e",
				source: "first",
				target: "second",
				data: { edgeType: "pipeline", injectAs: "dn_scope", extractField: "dn" },
			},
		],
	});
	const asked = (pattern: RegExp) => lab.stats().last.some(({ target }) => pattern.test(target));
	await waitUntil("pages were read", () => asked(/fvRsPathAtt.*page=2/));
	await waitUntil(
		"a stage is complete",
		async () => (await first.ask("GET", `${PATH}${staged}/`)).completed_stages === 1,
	);
	expect((await first.ask("GET", `${PATH}${large}/`)).status).toBe("running");
	await killChild(first.child, "SIGKILL");

	lab.clearFaults();
	lab.resetStats();
	const second = await launchService();
	for (const [id, className, stages] of [
		[large, "fvRsPathAtt", 1],
		[staged, "l1PhysIf", 2],
	] as const) {
		const over = async () => {
			const found = await second.ask("GET", `${PATH}${id}/`);
			return found.status === "running" ? null : found;
		};
		const job = await waitUntil("the run has ended", over, 60_000);
		expect(job).toMatchObject({ status: "completed", completed_stages: stages, errors: [] });
		const rows = await second.ask("GET", `${PATH}${id}/results/?export=json`);
		const direct = await second.ask("POST", "/api/controller/connections/execute_query/", {
			connection_id: connection.id,
			method: "GET",
			query_path: `/api/class/${className}.json`,
		});
		expect(rows).toHaveLength(job.total_rows);
		expect(rows.map(getDn).sort()).toEqual(direct.data.imdata.map(getDn).sort());
	}
	expect(asked(/fabricNode\.json/)).toBe(false);
}, 180_000);
