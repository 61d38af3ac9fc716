/**
 * kill -9 at different moments of an evaluation: each transition is recorded once, and its owner is
 * notified of it once.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, expect, it } from "vitest";
import { RUNS } from "../support/canvases.ts";
import { CHECKS } from "../support/checks.ts";
import { waitUntil } from "../support/harness.ts";
import { type RunningService, startService } from "../support/process.ts";

/** Condition of the kill, for a run and the check of one connection. */
const MOMENTS: readonly [string, (run: string, check: string) => Promise<boolean>][] = [
	["as soon as it is started", async () => true],
	["when the controller is asked", async () => lab.stats().last.some(({ target }) => target.includes("vzTaboo"))],
	[
		"when it has ended",
		async (run) => !["pending", "running"].includes((await callService("GET", `${RUNS}${run}/`)).status),
	],
	["when its end is recorded", async (run, check) => (await getEntry(check)).last_run === run],
];
/** The moments again, so that they hit problems of both kinds and their ends. */
const KILLS = [...MOMENTS, ...MOMENTS, ...MOMENTS.slice(0, 1)];
/** What the runs find, in turn: another state each time, of which the owner is notified. */
const FINDINGS = ["ok", "failing", "ok", "error"] as const;
const LONG_MS = 60_000;
let lab: RunningController;
let folder: string;
let service: RunningService;

beforeAll(async () => {
	lab = await startController({ size: "small" });
	folder = await mkdtemp(join(tmpdir(), "weft-checks-"));
	service = await startService(folder);
}, LONG_MS);
afterAll(async () => {
	service.child.kill("SIGTERM");
	await service.ended;
	await lab.close();
	await rm(folder, { recursive: true, force: true });
}, LONG_MS);

/** The service is another process after each kill. */
const callService = (method: string, path: string, body?: unknown) => service.ask(method, path, body);

const getEntry = async (id: string) => (await callService("GET", `${CHECKS}${id}/`)).states[0];

/** Adds or removes the objects that the query finds. */
async function changeFabric(method: "POST" | "DELETE"): Promise<void> {
	const send = (how: string, path: string, content?: object, cookie = "") =>
		fetch(`${lab.url}/api/${path}.json`, {
			method: how,
			headers: { cookie },
			...(content === undefined ? {} : { body: JSON.stringify(content) }),
		});
	const { username: name, password: pwd } = lab;
	const login = await send("POST", "aaaLogin", { aaaUser: { attributes: { name, pwd } } });
	for (const name of ["one", "two"]) {
		const body = method === "POST" ? { vzTaboo: { attributes: { name } } } : undefined;
		const cookie = login.headers.get("set-cookie")?.split(";")[0];
		const answer = await send(method, `mo/uni/tn-common/taboo-${name}`, body, cookie);
		expect(answer.status, await answer.text()).toBe(200);
	}
}

it("loses no transition and tells none twice", async () => {
	await changeFabric("POST");
	const { url, username, password } = lab;
	const fabric = { name: "fab-dc1", url, username, password, verify_ssl: false };
	const connection = (await callService("POST", "/api/controller/connections/", fabric)).id;
	const flow_data = { nodes: [{ id: "a", type: "classNode", data: { className: "vzTaboo" } }], edges: [] };
	const saved = { name: "Taboos", flow_data, enable_time_machine: true };
	const query = (await callService("POST", "/api/queries/saved-queries/", saved)).id;
	const add = async (fields: object) =>
		(await callService("POST", CHECKS, { saved_query: query, controller_connection_ids: [connection], ...fields })).id;
	const single = await add({ name: "None", type: "no_rows" });
	const across = await add({ name: "Unique", type: "unique", config: { fields: ["class"] } });
	const { runs: first } = await callService("POST", `${CHECKS}${single}/evaluate/`);
	await waitUntil("the run is evaluated", async () => (await getEntry(single)).last_run === first[0], LONG_MS);
	const { snapshot_id } = await callService("GET", `${RUNS}${first[0]}/`);
	const pinned = await add({
		name: "Pinned",
		type: "unchanged",
		config: { baseline: { kind: "snapshot", snapshot_id } },
	});
	// Otherwise one notification would tell of both checks.
	await callService("POST", `${CHECKS}${pinned}/mute/`, { until: "2999-01-01T00:00:00Z" });
	await waitUntil("the runs are compared", async () => (await getEntry(across)).last_run === first[0], LONG_MS);
	const expected: string[] = ["failing"];
	for (const [i, [moment, isReached]] of KILLS.entries()) {
		const finding = FINDINGS[i % FINDINGS.length] ?? "ok";
		if (finding === "error") lab.setFaults({ error: { match: "vzTaboo" } });
		else await changeFabric(finding === "ok" ? "DELETE" : "POST");
		lab.resetStats();
		const { runs } = await callService("POST", `${CHECKS}${single}/evaluate/`);
		await waitUntil(moment, () => isReached(runs[0], single), LONG_MS);
		service.child.kill("SIGKILL");
		await service.ended;
		service = await startService(folder);
		for (const id of [single, across, pinned]) {
			await waitUntil("the run is evaluated", async () => (await getEntry(id)).last_run === runs[0], LONG_MS);
		}
		lab.clearFaults();
		expected.unshift(finding);
	}
	const { results: notices } = await callService("GET", "/api/notifications/notifications/?page_size=200");
	const listStates = async (id: string) =>
		(await callService("GET", `${CHECKS}${id}/events/`)).results.map(({ to_state }: { to_state: string }) => to_state);
	for (const [id, name] of [
		[single, "None"],
		[across, "Unique"],
	]) {
		expect(await listStates(id)).toEqual(expected);
		const about = notices.filter(({ title }: { title: string }) => title.startsWith(`Check "${name}"`));
		expect(about).toHaveLength(expected.length);
	}
	// Its baseline has the objects.
	const compared = expected.slice(0, -1).map((state) => ({ ok: "failing", failing: "ok" })[state] ?? state);
	expect(await listStates(pinned)).toEqual(compared);
}, 900_000);
