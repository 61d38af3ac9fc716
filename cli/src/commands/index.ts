/** Every command of the program. */
import type { Register } from "../frame.ts";
import { registerAutomation } from "./automation.ts";
import { registerCompletion } from "./completion.ts";
import { registerConnection } from "./connection.ts";
import { registerLogin } from "./login.ts";
import { registerMcp } from "./mcp.ts";
import { registerModel } from "./model.ts";
import { registerQuery } from "./query.ts";
import { registerQueryFiles } from "./query-files.ts";
import { registerQueryImport } from "./query-import.ts";
import { registerSchedule } from "./schedule.ts";
import { registerSnapshot } from "./snapshot.ts";
import { registerSnapshotCompare } from "./snapshot-compare.ts";
import { registerStatus } from "./status.ts";
import { registerToken } from "./token.ts";

const COMMANDS: readonly Register[] = [
	registerLogin,
	registerStatus,
	registerConnection,
	registerQuery,
	registerQueryFiles,
	registerQueryImport,
	registerSnapshot,
	registerSnapshotCompare,
	registerSchedule,
	registerModel,
	registerAutomation,
	registerToken,
	registerMcp,
	registerCompletion,
];

export const registerAll: Register = (program, run) => {
	for (const register of COMMANDS) register(program, run);
};
