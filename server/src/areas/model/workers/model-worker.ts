/** The thread that does the model's heavy work. */
import { parentPort } from "node:worker_threads";
import { serveTasks } from "../../../core/workers/serve.ts";
import { createModelTasks } from "./tasks.ts";

serveTasks(parentPort, createModelTasks());
