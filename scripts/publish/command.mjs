/** Commands of other programs, whose output a script needs. */
import { spawnSync } from "node:child_process";

/** Standard output of a command. @throws Error if it fails or cannot be started */
export function runCommand(command, args, cwd) {
	const { status, stdout, stderr, error } = spawnSync(command, args, {
		cwd,
		encoding: "utf8",
		maxBuffer: 64 * 2 ** 20,
	});
	if (error) throw new Error(`${command} cannot be started (${error.code}).`);
	if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${stderr.slice(-4_000)}`);
	return stdout;
}

export const printMessage = (text) => process.stderr.write(`weft: ${text}\n`);
