/** A worker whose lease ends because the store takes no writes tries to give the attempt back. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readProgram } from "../../src/areas/queries/flow/index.ts";
import { startAllRuns } from "../../src/areas/runs/pipelines/start-runs.ts";
import type { ControllerPage, ControllerQuery, ControllerTarget } from "../../src/integrations/apic/port.ts";
import { refuseWrites } from "../support/failing-store.ts";
import { startTestApp, type TestApp, type TestUser, waitUntil, waitUntilAfter } from "../support/harness.ts";
import { addUnusedConnection, createPipelineProcess } from "../support/pipeline-process.ts";

const never = new AbortController().signal;
const RENEW_MS = 3_000;
const FLOW = { nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant" } }], edges: [] };

let t: TestApp;
let ada: TestUser;
let connection: { id: string; name: string };
let reads = 0;
let hasStopped = false;
let lost = 0;
/** Answers nothing until the worker gives the run up. */
const driver = {
	async *pages(_target: ControllerTarget, { signal }: ControllerQuery): AsyncGenerator<ControllerPage> {
		reads++;
		await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
		hasStopped = true;
		signal?.throwIfAborted();
		yield* [];
	},
	count: async () => 1,
};

beforeAll(async () => {
	t = await startTestApp();
	ada = await t.user("ada");
	connection = await addUnusedConnection(ada);
});
afterAll(() => t.close());

/** A run that a worker executes while the store refuses to write it. */
async function loseLease() {
	const program = readProgram({ flow_data: FLOW, post_processors: [], variables: [], variable_values: null });
	const owner = { userId: ada.id, isAdmin: false };
	const [job] = await t.deps.store.transaction((tx) =>
		startAllRuns(t.app.context, tx, [{ owner, program, connection, query: null }]),
	);
	const id = job?.id ?? "";
	reads = 0;
	hasStopped = false;
	let outcome: string | null = null;
	const worker = createPipelineProcess(t, { driver });
	const running = worker.execute(id, never).then(
		() => "given back",
		(error: Error) => error.message,
	);
	void running.then((text) => {
		outcome = text;
	});
	await waitUntil("the worker reads", () => reads === 1);
	const store = await refuseWrites(t.pool, { table: "pipeline_jobs", event: "update", as: `store_away_${++lost}` });
	return { id, running, store, getOutcome: () => outcome };
}
const countAttempts = async (id: string): Promise<number> =>
	(await t.pool.query("select attempts from pipeline_jobs where id = $1", [id])).rows[0].attempts;

describe("a worker that lost its lease while the store took no writes", () => {
	it("gives the attempt back once the store takes writes again", async () => {
		const { id, store, running } = await loseLease();
		await waitUntilAfter(t.clock, RENEW_MS, "the lease is lost", () => hasStopped);
		expect(await countAttempts(id)).toBe(1);
		await store.stop();
		await waitUntilAfter(t.clock, RENEW_MS, "the attempt is given back", async () => (await countAttempts(id)) === 0);
		expect(await running).toBe("given back");
	});

	it("gives up after 20 further tries, and the attempt counts", async () => {
		const { id, store, running, getOutcome } = await loseLease();
		await waitUntilAfter(t.clock, RENEW_MS, "the worker gives up", () => getOutcome() !== null);
		expect(await running).toMatch(/refused: store_away/);
		await store.stop();
		expect(await countAttempts(id)).toBe(1);
	});
});
