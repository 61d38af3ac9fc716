/** Tasks that are due at the same instant run once each, with four schedulers in one process. */
import { type RunningController, startController } from "@weft/lab";
import type pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildApp } from "../../src/app.ts";
import { createIds } from "../../src/core/system/ids.ts";
import { startPgBoss } from "../../src/storage/jobs/pg-boss.ts";
import { expectOnceEach, readRow, seedTasks, waitForRuns } from "../support/due-tasks.ts";
import { startTestApp } from "../support/harness.ts";

const TASKS = 24;
const NODES = 4;

let lab: RunningController;
beforeAll(async () => {
	lab = await startController({ size: "small" });
});
afterAll(() => lab.close());

it("runs each of 24 tasks once with four schedulers on one store", async () => {
	const t = await startTestApp({ work: true });
	const others: { close(): Promise<void> }[] = [];
	try {
		const ada = await t.user("ada", ["Editor"]);
		await seedTasks(t, ada, lab, { count: TASKS, at: new Date(t.clock.now() + 30_000) });
		for (let node = 1; node < NODES; node++) {
			const jobs = await startPgBoss({ connection: t.pool.options as pg.ClientConfig, log: t.deps.logger });
			const app = await buildApp({ ...t.deps, jobs, ids: createIds(t.clock) });
			await app.work();
			others.push({
				close: async () => {
					await app.close();
					await jobs.stop(2_000);
				},
			});
		}
		await t.clock.advance(29_000);
		expect(await readRow(t, "select count(*)::int as n from scheduled_runs")).toEqual({ n: 0 });
		await t.clock.advance(2_000);
		await waitForRuns(t, TASKS);
		await expectOnceEach(t, TASKS);
	} finally {
		await Promise.all(others.map((node) => node.close()));
		await t.close();
	}
});
