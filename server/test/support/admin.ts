/** A command of administration as a function of this process. */
import { runAdmin } from "../../src/admin-commands.ts";
import { buildEnvironment } from "./process.ts";

export interface AdminAnswer {
	/** The exit code. */
	readonly code: number;
	readonly stdout: string;
	readonly stderr: string;
}

/** Runs a command on a data folder, with nothing of Weft's settings but the given ones. */
export async function runAdminCommand(
	dataDir: string,
	args: readonly string[],
	settings: Readonly<Record<string, string>> = {},
): Promise<AdminAnswer> {
	const output = { stdout: "", stderr: "" };
	const code = await runAdmin(args, {
		environment: buildEnvironment(dataDir, settings),
		writeOutput(text) {
			output.stdout += text;
		},
		writeError(text) {
			output.stderr += text;
		},
	});
	return { code, ...output };
}
