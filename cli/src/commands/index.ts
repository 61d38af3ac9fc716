/** Every command of the program. */
import type { Register } from "../frame.ts";
import { registerCompletion } from "./completion.ts";
import { registerConnection } from "./connection.ts";
import { registerLogin } from "./login.ts";
import { registerQuery } from "./query.ts";
import { registerStatus } from "./status.ts";

const COMMANDS: readonly Register[] = [
	registerLogin,
	registerStatus,
	registerConnection,
	registerQuery,
	registerCompletion,
];

export const registerAll: Register = (program, run) => {
	for (const register of COMMANDS) register(program, run);
};
