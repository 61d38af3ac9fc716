/**
 * kill -9 in each state of a change window: the window goes on where it was, each of its steps
 * happens once, and its verdict is the one without a kill.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, expect, it } from "vitest";
import { waitUntil } from "../support/harness.ts";
import { type RunningService, startService } from "../support/process.ts";
import { PLANS, WINDOWS } from "../support/windows.ts";

const LONG_MS = 90_000;
const TENANT = "uni/tn-crash";
let lab: RunningController;
let folder: string;
let service: RunningService;
let connection: string;
let plan: string;
let serial = 0;

/** The service is another process after each kill. */
const callService = (method: string, path: string, body?: unknown) => service.ask(method, path, body);
const readWindow = (id: string) => callService("GET", `${WINDOWS}${id}/`);
const moveWindow = (id: string, move: string) => callService("POST", `${WINDOWS}${id}/${move}/`, {});
const writeObject = (dn: string, data: object) =>
	callService("POST", "/api/controller/connections/execute_query/", {
		connection_id: connection,
		query_path: `/api/mo/${dn}.json`,
		method: "POST",
		data,
	});

async function restartKilledService(): Promise<void> {
	service.child.kill("SIGKILL");
	await service.ended;
	service = await startService(folder);
}

beforeAll(async () => {
	lab = await startController({ size: "small" });
	folder = await mkdtemp(join(tmpdir(), "weft-windows-"));
	service = await startService(folder);
	const { url, username, password } = lab;
	const fabric = { name: "fab-dc1", url, username, password, verify_ssl: false };
	connection = (await callService("POST", "/api/controller/connections/", fabric)).id;
	const flow_data = { nodes: [{ id: "a", type: "classNode", data: { className: "fvBD" } }], edges: [] };
	const saved = { name: "Bridge domains", flow_data, enable_time_machine: true };
	const query = (await callService("POST", "/api/queries/saved-queries/", saved)).id;
	const settle = { delay_s: 0, interval_s: 2, stable_rounds: 1, timeout_s: 100 };
	plan = (await callService("POST", PLANS, { name: "Bridge domains", items: [{ query }], settle })).id;
	await writeObject(TENANT, { fvTenant: { attributes: { dn: TENANT, name: "crash" } } });
}, LONG_MS);
afterAll(async () => {
	service.child.kill("SIGTERM");
	await service.ended;
	await lab.close();
	await rm(folder, { recursive: true, force: true });
}, LONG_MS);

const waitForState = (id: string, state: string) =>
	waitUntil(
		`the change window is ${state}`,
		async () => {
			const window = await readWindow(id);
			return window.state === state ? window : null;
		},
		LONG_MS,
	);
/** Whether the controller was asked for what the query reads since the last step. */
const isAsked = async () => lab.stats().last.some(({ target }) => target.includes("fvBD"));
const hasEnded = async (id: string) => {
	const { state, phases } = await readWindow(id);
	const phase = state === "checking_before" || state === "open" ? phases.before : phases.after;
	return state === "judged" || (phase?.ended_at ?? null) !== null;
};

const hasSettled = async (id: string) => {
	const { connections } = await readWindow(id);
	return connections.every(({ items }: { items: { settled: boolean }[] }) => items.every(({ settled }) => settled));
};

/** When the service is killed: in a state, and how far its round is. */
type Kill = readonly [state: string, moment: "at once" | "asked" | "ended"];
const KILLS: readonly (readonly [string, readonly Kill[]])[] = [
	[
		"before the start, and at once in each state after it",
		[
			["planned", "at once"],
			["checking_before", "at once"],
			["open", "at once"],
			["settling", "at once"],
			["judged", "at once"],
			["closed", "at once"],
		],
	],
	[
		"while the controller is asked",
		[
			["checking_before", "asked"],
			["settling", "asked"],
		],
	],
	[
		"when the runs of a round have ended",
		[
			["checking_before", "ended"],
			["settling", "ended"],
		],
	],
];

async function killService(id: string, moment: Kill[1]): Promise<void> {
	if (moment === "asked") await waitUntil("the controller is asked", isAsked, LONG_MS);
	if (moment === "ended") await waitUntil("a round has ended", () => hasEnded(id), LONG_MS);
	await restartKilledService();
}

/** Takes a window through its states. Returns its verdict, steps, findings and report. */
async function runWindow(kills: readonly Kill[]) {
	serial++;
	const made = { title: `Window ${serial}`, plan, connection_ids: [connection] };
	const { id } = await callService("POST", WINDOWS, made);
	const killInState = async (state: string) => {
		for (const [at, moment] of kills) if (at === state) await killService(id, moment);
		lab.resetStats();
	};
	const dn = `${TENANT}/BD-expected-${serial}`;
	await callService("PUT", `${WINDOWS}${id}/expectations/`, { expectations: [{ change: "added", dn }] });
	await moveWindow(id, "submit");
	await killInState("planned");
	await moveWindow(id, "start");
	await killInState("checking_before");
	await waitForState(id, "open");
	await killInState("open");
	for (const one of [`expected-${serial}`, `stray-${serial}`])
		await writeObject(`${TENANT}/BD-${one}`, { fvBD: { attributes: { dn: `${TENANT}/BD-${one}`, name: one } } });
	lab.resetStats();
	await moveWindow(id, "finish");
	await killInState("settling");
	// What fails would be looked at until the time is over.
	await waitUntil("all items have settled", () => hasSettled(id), LONG_MS);
	await callService("POST", `${WINDOWS}${id}/finish/`, { now: true });
	await waitForState(id, "judged");
	await killInState("judged");
	await moveWindow(id, "sign");
	await killInState("closed");
	const window = await waitForState(id, "closed");
	const { results: events } = await callService("GET", `${WINDOWS}${id}/events/`);
	const { results: findings } = await callService("GET", `${WINDOWS}${id}/findings/`);
	const report = await service.call("GET", `${WINDOWS}${id}/report/?format=json`);
	const withoutName = (text: string) => text.replaceAll(`-${serial}`, "");
	return {
		verdict: window.verdict,
		reasons: window.verdict_reasons,
		verdicts: window.verdicts.length,
		steps: events
			.filter(({ event }: { event: string }) => event !== "round")
			.map(({ event, to_state }: { event: string; to_state: string }) => [event, to_state]),
		findings: findings.map((one: { class: string; dn: string }) => [one.class, withoutName(one.dn)]),
		signed: (report.body as { verdict: string }).verdict,
	};
}

it(
	"has the same verdict and the same steps after each kill",
	async () => {
		const undisturbed = await runWindow([]);
		expect(undisturbed).toMatchObject({
			verdict: "failed",
			reasons: ["undeclared:1"],
			verdicts: 1,
			findings: [
				["undeclared", `${TENANT}/BD-stray`],
				["expected", `${TENANT}/BD-expected`],
			],
			signed: "failed",
		});
		for (const [moment, kills] of KILLS) {
			const disturbed = await runWindow(kills);
			expect(disturbed, moment).toEqual(undisturbed);
		}
		// Each verdict was announced once, whatever was killed.
		const { results } = await callService("GET", "/api/notifications/notifications/?page_size=200");
		const titles = results
			.map(({ title }: { title: string }) => title)
			.filter((title: string) => /: failed$/.test(title));
		const expected = Array.from({ length: serial }, (_, at) => `The change window "Window ${at + 1}": failed`);
		expect(titles.sort()).toEqual(expected);
	},
	6 * LONG_MS,
);
