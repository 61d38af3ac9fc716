/** The thread that judges change windows. */
import { parentPort } from "node:worker_threads";
import { serveTasks } from "../../../core/workers/serve.ts";
import { judgeTasks } from "./tasks.ts";

serveTasks(parentPort, judgeTasks);
