/** The thread that inspects large answers. */
import { parentPort } from "node:worker_threads";
import { serveTasks } from "../../../core/workers/serve.ts";
import { controllerTasks } from "./tasks.ts";

serveTasks(parentPort, controllerTasks);
