/**
 * kill -9 at different moments of a group execution: it goes on by itself to one end, in which
 * each connection has run once and has all its rows.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, expect, it } from "vitest";
import { waitUntil } from "../support/harness.ts";
import { type RunningService, startService } from "../support/process.ts";

const ROOT = "/api/queries/group-executions/";
const LONG_MS = 60_000;
/** Condition of the kill. */
const MOMENTS: readonly [string, (group: string) => Promise<boolean>][] = [
	["as soon as it is started", async () => true],
	["when the controllers are asked", async () => labs.every((lab) => isAsked(lab))],
	["when one has answered", async (group) => (await listStatuses(group)).includes("completed")],
	["when all have answered", async (group) => (await callService("GET", `${ROOT}${group}/`)).status !== "running"],
];
let labs: RunningController[] = [];
let folder: string;
let service: RunningService;

beforeAll(async () => {
	labs = [await startController({ fabric: 1 }), await startController({ fabric: 2 })];
	folder = await mkdtemp(join(tmpdir(), "weft-groups-"));
	service = await startService(folder);
}, LONG_MS);
afterAll(async () => {
	service.child.kill("SIGTERM");
	await service.ended;
	for (const lab of labs) await lab.close();
	await rm(folder, { recursive: true, force: true });
}, LONG_MS);

const isAsked = (lab: RunningController) => lab.stats().last.some(({ target }) => target.includes("fvBD"));

/** The service is another process after each kill. */
const callService = (method: string, path: string, body?: unknown) => service.ask(method, path, body);

const listStatuses = async (group: string): Promise<string[]> =>
	(await callService("GET", `${ROOT}${group}/`)).runs.map(({ status }: { status: string }) => status);

it("ends once, with every connection's rows", async () => {
	const connections: string[] = [];
	for (const [at, { url, username, password }] of labs.entries()) {
		const fabric = { name: `fab-dc${at + 1}`, url, username, password };
		connections.push((await callService("POST", "/api/controller/connections/", fabric)).id);
	}
	const flow_data = { nodes: [{ id: "a", type: "classNode", data: { className: "fvBD" } }], edges: [] };
	const query = (await callService("POST", "/api/queries/saved-queries/", { name: "Bridge domains", flow_data })).id;
	const start = (key: string) =>
		callService("POST", ROOT, { saved_query_id: query, connection_ids: connections, idempotency_key: key });
	const ended = (id: string) =>
		waitUntil(
			"the group has ended",
			async () => {
				const group = await callService("GET", `${ROOT}${id}/`);
				return group.status === "running" ? null : group;
			},
			LONG_MS,
		);
	const getRows = async (id: string) => {
		const { count, partial } = await callService("GET", `${ROOT}${id}/results/?page_size=1`);
		expect(partial).toBeUndefined();
		return count;
	};
	const undisturbed = await ended((await start("undisturbed")).id);
	const expected = await getRows(undisturbed.id);
	expect(expected).toBeGreaterThan(0);
	// The second fabric answers later than the first one.
	labs[1]?.setFaults({ latency: { ms: 300 } });
	for (const [moment, isReached] of MOMENTS) {
		for (const lab of labs) lab.resetStats();
		const { id } = await start(moment);
		await waitUntil(moment, () => isReached(id), LONG_MS);
		service.child.kill("SIGKILL");
		await service.ended;
		service = await startService(folder);
		expect((await start(moment)).id).toBe(id);
		const group = await ended(id);
		expect(group, moment).toMatchObject({ status: "completed", total_rows: expected });
		expect(await listStatuses(id)).toEqual(["completed", "completed"]);
		expect(await getRows(id)).toBe(expected);
	}
	const groups = await callService("GET", ROOT);
	expect(groups.count).toBe(1 + MOMENTS.length);
	const runs = () => callService("GET", `/api/queries/execution-logs/?query=${query}`);
	const all = groups.count * connections.length;
	await waitUntil("the ends are recorded", async () => (await runs()).count >= all, LONG_MS);
	expect((await runs()).count).toBe(all);
}, 300_000);
