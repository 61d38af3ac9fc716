/** The thread that checks rows. */
import { parentPort } from "node:worker_threads";
import { serveTasks } from "../../../../core/workers/serve.ts";
import { automationTasks } from "./tasks.ts";

serveTasks(parentPort, automationTasks);
