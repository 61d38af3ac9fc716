/**
 * Kills processes at random moments under mixed load, restarts store and cache, empties the cache,
 * moves clocks, and lets upstream systems fail. Then proves that no acknowledged change is lost,
 * nothing ran twice, and nothing is stuck. `WEFT_FAULT_MINUTES` sets the duration,
 * `WEFT_FAULT_SEED` the random moments.
 */
import type { AutomationFaults, FaultSettings, SourceFaultSettings } from "@weft/lab";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { waitUntil } from "../support/harness.ts";
import { createCaller } from "./caller.ts";
import { createLoad, prepareSetting } from "./load.ts";
import { type Node, type Parts, startParts } from "./parts.ts";
import { countUnfinished, openInstants, verifyOutcome } from "./proof.ts";

const MINUTES = Number(process.env.WEFT_FAULT_MINUTES ?? 0.5);
const SEED = Number(process.env.WEFT_FAULT_SEED ?? 7);
const HOUR_MS = 3_600_000;
/** How long a part fails, or a clock is wrong. */
const SPELL_MS = 1_500;
/** An unanswered launch is looked up for two minutes before it is sent again. */
const PATIENCE_MS = 300_000;
const CONTROLLER_FAULTS: FaultSettings[] = [
	{ hang: { rate: 0.3 } },
	{ reset: { rate: 0.3 } },
	{ html_error: { rate: 0.3 } },
	{ token_expired: { rate: 0.1 } },
	{ busy: { rate: 0.3 } },
	{ latency: { ms: 400 } },
];
const AUTOMATION_FAULTS: AutomationFaults[] = [
	{ launch_500_created: { times: 2 } },
	{ launch_lost: { times: 2 } },
	{ launch_hang: { times: 1 } },
	{ launch_garbled: { times: 2 } },
	{ reset: { times: 5 } },
	{ html_error: { times: 5, status: 502 } },
	{ throttle: { times: 3, seconds: 1 } },
	{ database_down: {} },
];
const SOURCE_FAULTS: SourceFaultSettings[] = [
	{ reset: { rate: 0.2 } },
	{ server_error: { rate: 0.3 } },
	{ truncated_body: { rate: 0.2 } },
	{ latency: { ms: 100 } },
];

let parts: Parts;
beforeAll(async () => {
	parts = await startParts();
	if (!parts.hasCache) process.stderr.write("fault tests without Redis: redis-server is not installed\n");
}, 120_000);
afterAll(() => parts?.close(), 60_000);

const sleepMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const pickOne = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)] as T;

async function killNode(node: Node, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
	node.process.child.kill(signal);
	await node.process.ended;
	await parts.again(node);
}

/** What goes wrong; each ends with everything running again. */
const faults: Record<string, (random: () => number) => Promise<void>> = {
	"a process killed": (random) => killNode(pickOne(parts.nodes, random), "SIGKILL"),
	"a process stopped": (random) => killNode(pickOne(parts.nodes, random), "SIGTERM"),
	"the store killed": () => parts.killStore(),
	"the cache restarted": () => parts.killCache(),
	"the cache emptied": () => parts.emptyCache(),
	/** Whatever the worker holds when it dies, it holds until an hour from now. */
	async "the clocks an hour ahead, and back"(random) {
		await parts.setClock(HOUR_MS);
		await sleepMs(SPELL_MS);
		const worker = pickOne(
			parts.nodes.filter(({ roles }) => roles === "worker"),
			random,
		);
		worker.process.child.kill("SIGKILL");
		await worker.process.ended;
		await parts.setClock(0);
		await parts.again(worker);
	},
	async "the clocks an hour back, and forth"() {
		await parts.setClock(-HOUR_MS);
		await sleepMs(SPELL_MS);
		await parts.setClock(0);
	},
	async "the controller failing"(random) {
		parts.lab.controller.setFaults(pickOne(CONTROLLER_FAULTS, random));
		await sleepMs(SPELL_MS);
		parts.lab.controller.clearFaults();
	},
	async "the automation server failing"(random) {
		parts.lab.automation.setFaults(pickOne(AUTOMATION_FAULTS, random));
		await sleepMs(SPELL_MS);
		parts.lab.automation.clearFaults();
	},
	async "the model's site failing"(random) {
		parts.lab.modelSource.setFaults(pickOne(SOURCE_FAULTS, random));
		await sleepMs(SPELL_MS);
		parts.lab.modelSource.clearFaults();
	},
};

it("loses nothing, does nothing twice and leaves nothing stuck", { timeout: (MINUTES + 8) * 60_000 }, async () => {
	const { pool, lab } = parts;
	const caller = createCaller(parts.addresses);
	const load = createLoad(caller, pool, await prepareSetting(caller, lab));
	const done: Record<string, number> = {};
	const kinds = Object.keys(faults);
	const moments = fc.sample(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), {
		numRuns: 20_000,
		seed: SEED,
	});
	let at = 0;
	const random = () => moments[at++ % moments.length] as number;
	const end = Date.now() + MINUTES * 60_000;
	// Each kind at least once, however short the run is.
	for (let n = 0; n < kinds.length || Date.now() < end; n++) {
		const kind = (n < kinds.length ? kinds[n] : pickOne(kinds, random)) as string;
		await sleepMs(random() * SPELL_MS);
		await faults[kind]?.(random);
		done[kind] = (done[kind] ?? 0) + 1;
	}
	await load.stop();
	let left = {};
	await waitUntil(
		"everything has come to its end",
		async () => {
			left = await countUnfinished(pool, load.known);
			return Object.keys(left).length === 0;
		},
		PATIENCE_MS,
	).catch(async () =>
		expect({ left, instants: await openInstants(pool, load.known) }).toEqual({ left: {}, instants: [] }),
	);
	const { told, wrong } = await verifyOutcome({ caller, pool, lab, known: load.known });
	process.stderr.write(`faults: ${JSON.stringify({ ...done, ...load.counts(), ...told, ...wrong })}\n`);
	expect(told.acknowledged).toBeGreaterThan(20);
	expect(told["requests launched"]).toBeGreaterThan(0);
	expect(told["models imported"]).toBeGreaterThan(0);
	expect(wrong).toEqual(Object.fromEntries(Object.keys(wrong).map((name) => [name, 0])));

	// What the dead held is free again: no connection of theirs is left in the store.
	const { rows } = await pool.query(
		"select count(*)::int as n from pg_stat_activity where application_name like 'weft%'",
	);
	expect(rows[0].n).toBeLessThanOrEqual(parts.nodes.length * 15);
});
