/** Users share the threads of every pool: a flood of one leaves room for another. */
import { type RunningController, startController } from "@weft/lab";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelPool } from "../../src/areas/model/workers/work.ts";
import { getWorkShare, runInShare, type WorkShare } from "../../src/core/work-share.ts";
import type { WorkerPool } from "../../src/core/workers/pool.ts";
import type { Tasks } from "../../src/core/workers/serve.ts";
import {
	openAutomationPool,
	openCheckPool,
	openControllerPool,
	openModelPools,
	openPipelinePool,
	openQueryFilePool,
	openTimeMachinePool,
	type SharedThreads,
} from "../../src/open-pools.ts";
import { addConnection } from "../support/canvases.ts";
import { getChecks } from "../support/checks.ts";
import { startTestApp, type TestApp } from "../support/harness.ts";
import { createEagerDriver } from "../support/runs.ts";

/** Tasks of one user that wait before the other's. */
const FLOOD = 12;
/** With one thread the order is that of the queue. */
const ONE: SharedThreads = { size: 1, recordingSize: 1 };

interface Case {
	readonly name: string;
	open(): { close(): Promise<unknown>; run(): Promise<unknown> };
}

/** A case whose task ends at once, well or not. */
const buildCase = <Served extends Tasks>(
	name: string,
	openPool: () => WorkerPool<Served>,
	run: (pool: WorkerPool<Served>) => Promise<unknown>,
): Case => ({
	name,
	open() {
		const pool = openPool();
		return { close: () => pool.close(), run: () => run(pool).catch(() => undefined) };
	},
});

const openComparing = (): ModelPool => {
	const { comparing, importing, unpacking } = openModelPools(ONE);
	return {
		run: comparing.run,
		async close() {
			await Promise.all([comparing, importing, unpacking].map((pool) => pool.close()));
		},
	};
};

const CASES: readonly Case[] = [
	buildCase(
		"checks",
		() => openCheckPool(ONE),
		(pool) => pool.run("evaluate", { rules: [], sources: [] }),
	),
	buildCase(
		"post-processors",
		() => openPipelinePool(ONE),
		(pool) => pool.run("importRequests", { text: "" }),
	),
	buildCase(
		"query files",
		() => openQueryFilePool(ONE),
		(pool) => pool.run("read", []),
	),
	buildCase(
		"automation",
		() => openAutomationPool(ONE),
		(pool) => pool.run("matches", { pattern: "a", flags: "", texts: [] }),
	),
	buildCase("class models", openComparing, (pool) => pool.run("compare", { from: [], to: [] })),
	buildCase(
		"answers of controllers",
		() => openControllerPool(ONE),
		(pool) => pool.run("inspect", new Uint8Array(2)),
	),
	buildCase(
		"the Time Machine",
		() => openTimeMachinePool({ host: "127.0.0.1", port: 1 }, ONE),
		(pool) => pool.run("blame", { dn: "uni/tn-a", snapshots: [] }),
	),
];

describe("a pool that one user floods", () => {
	it.each(CASES)("serves another user next: $name", async ({ open }) => {
		const pool = open();
		const served: string[] = [];
		const run = (userId: number, name: string, lane: WorkShare["lane"]) =>
			runInShare({ userId, lane }, pool.run).then(() => void served.push(name));
		try {
			const flood = Array.from({ length: FLOOD }, () => run(1, "flood", "interactive"));
			await Promise.all([...flood, run(2, "other", "interactive"), run(2, "recording", "recording")]);
		} finally {
			await pool.close();
		}
		// The first task of the flood runs already when the other user comes.
		const interactive = served.filter((name) => name !== "recording");
		expect(interactive).toEqual(["flood", "other", ...Array.from({ length: FLOOD - 1 }, () => "flood")]);
		expect(served).toContain("recording");
	});
});

describe("work on the pools of the service", () => {
	let t: TestApp;
	let lab: RunningController;
	const shares: Record<string, WorkShare> = {};
	const recorded = <Pool extends { run(task: never, ...rest: never[]): Promise<unknown> }>(pool: Pool): Pool => ({
		...pool,
		run(task: never, ...rest: never[]) {
			shares[task] = getWorkShare();
			return pool.run(task, ...rest);
		},
	});
	beforeAll(async () => {
		lab = await startController({ size: "small" });
		t = await startTestApp({
			work: true,
			deps: {
				controllers: createEagerDriver(),
				checkPool: recorded(openCheckPool()),
				pipelinePool: recorded(openPipelinePool()),
				queryFilePool: recorded(openQueryFilePool()),
				automationPool: recorded(openAutomationPool()),
			},
		});
	});
	afterAll(async () => {
		await t.close();
		await lab.close();
	});

	it("is shared by the user of the request, and recording by the owner of the run", async () => {
		const ada = await t.user("ada", ["Editor"]);
		const interactive = { userId: ada.id, lane: "interactive" };
		const files = [{ path: "queries/a.yaml", content: "kind: query\n" }];
		await ada.api.post("/api/queries/validate-files/", { files });
		expect(shares.read).toEqual(interactive);
		await ada.api.post("/api/queries/import-requests/", { text: "moquery -c fvBD" });
		expect(shares.importRequests).toEqual(interactive);
		await ada.api.get("/api/queries/export-files/");
		expect(shares.write).toEqual(interactive);
		const connection = await addConnection(ada.api, lab, { name: "fab-dc1" });
		const checks = getChecks(ada.api, () => t);
		const query = await checks.query();
		const config = { operator: "ge", value: 0 };
		await checks.add({ saved_query: query, type: "row_count", config });
		await checks.run(query, connection);
		expect(shares.evaluate).toEqual({ userId: ada.id, lane: "recording" });
		const preview = await ada.api.post("/api/checks/preview/", { saved_query: query, type: "row_count", config });
		expect(preview.status, preview.text).toBe(200);
		expect(shares.evaluate).toEqual(interactive);
	});
});
