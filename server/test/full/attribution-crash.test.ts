/** The process dies between a capture and its lookup of who changed it: the next one does it. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { type RunningController, startController } from "@weft/lab";
import { afterEach, expect, it } from "vitest";
import { buildClassNode, connectNodes, output, QUERIES } from "../support/canvases.ts";
import { createHarness } from "../support/embedded-postgres.ts";
import { waitUntil } from "../support/harness.ts";
import { type RunningService, startService } from "../support/process.ts";

const harness = createHarness();
const children: ChildProcess[] = [];
let lab: RunningController | undefined;
afterEach(async () => {
	for (const child of children.splice(0)) await killChild(child);
	await lab?.close();
	await harness.clean();
});

async function killChild(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const exit = once(child, "exit");
	child.kill("SIGKILL");
	await exit;
}

async function launchService(dataDir: string): Promise<RunningService> {
	const service = await startService(dataDir);
	children.push(service.child);
	return service;
}

it("looks up who changed it after a restart", { timeout: 240_000 }, async () => {
	const dataDir = await harness.folder();
	const simulator = await startController({ size: "small" });
	lab = simulator;
	const first = await launchService(dataDir);
	const { url, username, password } = simulator;
	const connection = await first.ask("POST", "/api/controller/connections/", { name: "fab", url, username, password });
	const flow_data = connectNodes(buildClassNode("fvBD"), output);
	const query = await first.ask("POST", QUERIES, { name: "Domains", flow_data, enable_time_machine: true });
	const captured = async (count: number): Promise<{ id: string }> => {
		await first.ask("POST", `${QUERIES}${query.id}/execute_background/`, { controller_connection_id: connection.id });
		return waitUntil("the snapshot is stored", async () => {
			const { snapshots } = await first.ask("GET", `/api/time-machine/snapshots/?saved_query_id=${query.id}`);
			return snapshots.length === count ? snapshots[0] : null;
		});
	};
	const from = await captured(1);
	simulator.setFaults({ hang: { match: "aaaModLR" } });
	expect(simulator.advance({ steps: 1, change_rate: 0.5 }).changed.length).toBeGreaterThan(0);
	const to = await captured(2);
	await waitUntil("the lookup has begun", () => simulator.stats().faults.hang);
	await killChild(first.child);

	simulator.clearFaults();
	const second = await launchService(dataDir);
	const compared = await waitUntil(
		"the lookup is stored",
		async () => {
			const body = { snapshot_from_id: from.id, snapshot_to_id: to.id, ignore_volatile: true };
			const answer = await second.ask("POST", "/api/time-machine/compare/", body);
			return answer.attribution === undefined ? null : answer;
		},
		180_000,
	);
	expect(compared.attribution).toMatchObject({ complete: true, error: null });
	expect(compared.diff.modified.length).toBeGreaterThan(0);
	const user = expect.stringMatching(/^(admin|operator|automation)$/);
	for (const { changed_by } of compared.diff.modified)
		expect(changed_by[0]).toMatchObject({ user, action: "modified", session: expect.any(String) });
});
