/** The thread that reads and writes files of queries. */
import { parentPort } from "node:worker_threads";
import { serveTasks } from "../../../core/workers/serve.ts";
import { queryFileTasks } from "./tasks.ts";

serveTasks(parentPort, queryFileTasks);
