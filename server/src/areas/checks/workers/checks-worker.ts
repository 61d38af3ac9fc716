/** The thread that evaluates checks. */
import { parentPort } from "node:worker_threads";
import { serveTasks } from "../../../core/workers/serve.ts";
import { checkTasks } from "./tasks.ts";

serveTasks(parentPort, checkTasks);
