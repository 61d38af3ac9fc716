/** The thread that applies post-processors. */
import { parentPort } from "node:worker_threads";
import { serveTasks } from "../../../../core/workers/serve.ts";
import { pipelineTasks } from "./tasks.ts";

serveTasks(parentPort, pipelineTasks);
