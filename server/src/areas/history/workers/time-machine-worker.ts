/**
 * Entry of a worker thread that does the Time Machine's heavy work. It opens its own connection to
 * the store, so the rows that it reads never pass through the thread that answers requests.
 */
import { constants, setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { serveTasks } from "../../../core/workers/serve.ts";
import { createPostgresStore } from "../../../storage/postgres/store.ts";
import { createTimeMachineTasks } from "./tasks.ts";
import type { TimeMachineThread } from "./work.ts";

const { connection, background } = workerData as TimeMachineThread;
const { PRIORITY_LOW, PRIORITY_BELOW_NORMAL } = constants.priority;
// Quick requests must not wait for large ones. Only Linux gives each thread its own priority;
// elsewhere this would lower the whole process.
if (process.platform === "linux") setPriority(background ? PRIORITY_LOW : PRIORITY_BELOW_NORMAL);

const discardMessage = () => {};
const store = createPostgresStore({
	connection,
	poolSize: 1,
	// Errors are returned to the caller of the task, which logs them.
	log: { debug: discardMessage, info: discardMessage, warn: discardMessage, error: discardMessage },
	checkSchema: async () => {},
});

serveTasks(parentPort, createTimeMachineTasks(store.db));
