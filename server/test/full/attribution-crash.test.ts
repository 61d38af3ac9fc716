/** The process dies between a capture and its lookup of who changed it: the next one does it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type RunningController, startController } from "@weft/lab";
import { afterEach, expect, it } from "vitest";
import { chainNodes, classNode, output, QUERIES } from "../support/canvases.ts";
import { createHarness } from "../support/embedded-postgres.ts";
import { waitUntil } from "../support/harness.ts";

const MAIN = fileURLToPath(new URL("../../bundle/main.js", import.meta.url));
const PASSWORD = "correct horse battery";
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

async function startService(dataDir: string) {
	const child = spawn(process.execPath, [MAIN], {
		env: {
			...process.env,
			WEFT_DATA_DIR: dataDir,
			WEFT_PORT: "0",
			WEFT_THROTTLE: "off",
			WEFT_LOG_LEVEL: "silent",
			WEFT_ADMIN_PASSWORD: PASSWORD,
			WEFT_CONTROLLER_TARGETS: "127.0.0.0/8",
		},
		stdio: ["ignore", "pipe", "inherit"],
	});
	children.push(child);
	const [line] = await once(createInterface({ input: child.stdout }), "line");
	const base = /http:\S+?(?=\/?(?:\s|$))/.exec(line)?.[0];
	let token = "";
	async function callApi(method: string, path: string, body?: object) {
		const response = await fetch(`${base}${path}`, {
			method,
			headers: { "content-type": "application/json", ...(token === "" ? {} : { authorization: `Bearer ${token}` }) },
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		const text = await response.text();
		expect(response.ok, text).toBe(true);
		return JSON.parse(text);
	}
	token = (await callApi("POST", "/api/auth/login/", { username: "admin", password: PASSWORD })).access;
	return {
		child,
		post: (path: string, body: object) => callApi("POST", path, body),
		get: (path: string) => callApi("GET", path),
	};
}

it("looks up who changed it after a restart", { timeout: 240_000 }, async () => {
	const dataDir = await harness.folder();
	const simulator = await startController({ size: "small" });
	lab = simulator;
	const first = await startService(dataDir);
	const { url, username, password } = simulator;
	const connection = await first.post("/api/controller/connections/", { name: "fab", url, username, password });
	const flow_data = chainNodes(classNode("fvBD"), output);
	const query = await first.post(QUERIES, { name: "Domains", flow_data, enable_time_machine: true });
	const captured = async (count: number): Promise<{ id: string }> => {
		await first.post(`${QUERIES}${query.id}/execute_background/`, { controller_connection_id: connection.id });
		return waitUntil("the snapshot is stored", async () => {
			const { snapshots } = await first.get(`/api/time-machine/snapshots/?saved_query_id=${query.id}`);
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
	const second = await startService(dataDir);
	const compared = await waitUntil(
		"the lookup is stored",
		async () => {
			const body = { snapshot_from_id: from.id, snapshot_to_id: to.id, ignore_volatile: true };
			const answer = await second.post("/api/time-machine/compare/", body);
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
