/** What the queue of background work does when the machine's clock is put right. */
import type pg from "pg";
import { expect, it, vi } from "vitest";
import { startPgBoss } from "../../src/storage/jobs/pg-boss.ts";
import { startTestApp, waitUntil } from "../support/harness.ts";

const QUEUE = "test.due_later";
const HOUR_MS = 3_600_000;

it("takes a task that falls due after the clock was put back while its workers asked for one", async () => {
	const t = await startTestApp();
	const jobs = await startPgBoss({ connection: t.pool.options as pg.ClientConfig, log: t.deps.logger });
	const handled: unknown[] = [];
	const due = new Date(Date.now() + 1_000);
	let wall = Date.now();
	// Each look at the clock finds it put back by one more hour.
	const putBack = vi.spyOn(Date, "now").mockImplementation(() => {
		wall -= HOUR_MS;
		return wall;
	});
	try {
		await jobs.work([{ name: QUEUE, concurrency: 2, handler: async (data) => void handled.push(data) }]);
		await t.deps.store.transaction((tx) => jobs.enqueue(tx, QUEUE, { n: 1 }, { runAfter: due }));
		await waitUntil("the task has been handled", () => handled.length > 0);
		expect(handled).toEqual([{ n: 1 }]);
	} finally {
		putBack.mockRestore();
		await jobs.stop(2_000);
		await t.close();
	}
});
