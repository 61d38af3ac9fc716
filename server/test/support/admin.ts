/** A command of administration as a function of this process. */
import { runAdmin } from "../../src/admin-commands.ts";
import { LOOPBACK_TARGETS } from "./process.ts";

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
	const inherited = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith("WEFT_")));
	const output = { stdout: "", stderr: "" };
	const code = await runAdmin(args, {
		environment: { ...inherited, ...LOOPBACK_TARGETS, WEFT_DATA_DIR: dataDir, WEFT_LOG_LEVEL: "warn", ...settings },
		writeOutput(text) {
			output.stdout += text;
		},
		writeError(text) {
			output.stderr += text;
		},
	});
	return { code, ...output };
}
