/**
 * The thread that does the Time Machine's heavy work. It has a connection to the store of its own: rows that it reads never pass through the thread
 * that answers requests.
 */
import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import type pg from "pg";
import { createPostgresStore } from "./adapters/postgres/store.ts";
import { createTimeMachineTasks } from "./features/time-machine/workers/tasks.ts";
import { createPause, noPause } from "./platform/workers/pause.ts";
import { serveTasks } from "./platform/workers/serve.ts";

export interface TimeMachineThread {
	readonly connection: pg.ClientConfig;
	/** Does what nobody waits for. */
	readonly background: boolean;
}

const given = workerData as TimeMachineThread;
const { PRIORITY_LOW, PRIORITY_BELOW_NORMAL } = constants.priority;
// What is quick to answer need not wait for what is large. On Linux a thread has a priority of its own; elsewhere this would be the process's.
if (process.platform === "linux") setPriority(given.background ? PRIORITY_LOW : PRIORITY_BELOW_NORMAL);

const silent = () => {};
const store = createPostgresStore({
	connection: given.connection,
	poolSize: 1,
	// What fails here is told to who asked.
	log: { debug: silent, info: silent, warn: silent, error: silent },
	checkSchema: async () => {},
});

// Windows sleeps for 15 ms at the least.
const pause = process.platform === "win32" ? noPause : createPause();
serveTasks(parentPort, createTimeMachineTasks(store.db, pause));
