/**
 * Members of a controller's cluster that fail and come back at random while runs read from it:
 * every completed run has exactly the objects that are there, every failed one says why, and none
 * is stuck. `WEFT_FAULT_MINUTES` and `WEFT_FAULT_SEED` as for the other faults.
 */
import { type FaultSettings, type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createControllerDriver } from "../../src/integrations/apic/index.ts";
import { buildClassNode, listDns, type Row, RUNS, waitForRun } from "../support/canvases.ts";
import { startTestApp, type TestApp, type TestUser, waitUntil } from "../support/harness.ts";

const MINUTES = Number(process.env.WEFT_FAULT_MINUTES ?? 0.3);
const SEED = Number(process.env.WEFT_FAULT_SEED ?? 1);
const RUNNERS = 4;
const OBJECTS = 2_500;
/** The longest that a run may take: each member's retries, one after another. */
const STUCK_MS = 120_000;

/** Faults of a member that refuses or breaks off. */
const BREAKING: readonly FaultSettings[] = [
	{ down: true },
	{ reset: { rate: 0.5 } },
	{ truncated_body: { rate: 0.3 } },
	{ html_error: { status: 503 } },
	{ latency: { ms: 200 } },
	{ token_expired: { rate: 0.2 } },
];
/** Faults of a member whose answers are wrong. */
const WRONG: readonly FaultSettings[] = [{ partial_cluster: { part: 0.4 } }, { standby: true }, { other_fabric: true }];

let t: TestApp;
let lab: RunningController;
let ada: TestUser;
let connection: string;
let expected: string[];
beforeAll(async () => {
	lab = await startController({ members: 3 });
	lab.load(
		Array.from({ length: OBJECTS }, (_, at) => ({
			fvAEPg: { attributes: { dn: `uni/tn-many/ap-a/epg-e${String(at).padStart(5, "0")}`, name: `e${at}` } },
		})),
	);
	t = await startTestApp({ work: true, deps: { controllers: createControllerDriver({ clock: { now: Date.now } }) } });
	ada = await t.user("ada", ["Editor"]);
	const [url, ...alternate_urls] = lab.members.map((member) => member.url);
	const body = { name: "Cluster", url, alternate_urls, username: lab.username, password: lab.password };
	const made = await ada.api.post("/api/controller/connections/", body);
	expect(made.body, made.text).toMatchObject({ fabric_id: expect.any(String) });
	connection = made.body.id;
	expected = await readRunDns(await startRun());
	expect(expected.length).toBeGreaterThan(OBJECTS);
	expect(new Set(expected).size).toBe(expected.length);
});
afterAll(async () => {
	await t.close();
	await lab.close();
});

async function startRun(): Promise<string> {
	const flow_data = { nodes: [buildClassNode("fvAEPg")], edges: [] };
	const { status, body, text } = await ada.api.post(RUNS, { flow_data, controller_connection_id: connection });
	expect(status, text).toBe(201);
	return body.id;
}

/** The dns of a completed run's rows, in order. @throws the run's error if it failed */
async function readRunDns(id: string): Promise<string[]> {
	const job = await waitForRun(ada.api, id, STUCK_MS);
	if (job.status !== "completed") throw new Error(job.errors[0].message);
	const { text } = await ada.api.get(`${RUNS}${id}/results/?export=ndjson`);
	return listDns(
		text
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line) as Row),
	);
}

/** A small generator of numbers from 0 to 1, of which the same seed gives the same. */
function createRandom(seed: number): () => number {
	let state = seed >>> 0 || 1;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

it("give exact results or a clear failure while they fail and come back", {
	timeout: MINUTES * 60_000 + 300_000,
}, async () => {
	const random = createRandom(SEED);
	const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
	const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
	const end = Date.now() + MINUTES * 60_000;
	const counts = { faults: 0, completed: 0, failed: 0, wrong: 0 };
	const reasons = new Set<string>();

	async function disturbMember(member: RunningController["members"][number]): Promise<void> {
		while (Date.now() < end) {
			await pause(500 + random() * 2_500);
			const isWrong = random() < 0.4;
			await member.setFaults(one(isWrong ? WRONG : BREAKING));
			counts.faults += 1;
			await pause(500 + random() * 2_000);
			// A member that answered wrongly restarts before it answers rightly.
			if (isWrong) {
				await member.setFaults({ down: true });
				await pause(1_000);
			}
			await member.clearFaults();
		}
	}

	async function runLoad(): Promise<void> {
		while (Date.now() < end) {
			try {
				const dns = await readRunDns(await startRun());
				const isExact = dns.length === expected.length && dns.every((dn, at) => dn === expected[at]);
				counts[isExact ? "completed" : "wrong"] += 1;
			} catch (error) {
				counts.failed += 1;
				reasons.add(error instanceof Error ? error.message.replace(/:\d+/g, "") : String(error));
			}
		}
	}

	await Promise.all([...lab.members.map(disturbMember), ...Array.from({ length: RUNNERS }, runLoad)]);
	process.stdout.write(`members: seed ${SEED}, ${JSON.stringify(counts)}\n`);
	expect(counts.wrong).toBe(0);
	expect(counts.completed).toBeGreaterThan(0);
	for (const reason of reasons)
		expect(reason).toMatch(/No member of the cluster can answer|refused the (request|session)/);
	expect(await readRunDns(await startRun())).toEqual(expected);
	await waitUntil("all members are in use", async () => {
		const { body } = await ada.api.get(`/api/controller/connections/${connection}/`);
		return body.members.every(({ state }: { state: string }) => state === "ok");
	});
});
