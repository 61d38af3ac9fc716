/** Runs a PostgreSQL program as the chosen user, with an environment of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { type Account, explainNoRight } from "./account.ts";

interface RunOptions {
	account: Account | undefined;
	/** Entered before the user is changed, so that it may lie in a closed folder. */
	cwd: string;
	/** Standard output and error: a file descriptor, or "pipe". */
	output: number | "pipe";
	/** Its own process group and session: a terminal's Ctrl-C does not reach it. */
	detached?: boolean;
	env?: Record<string, string>;
}

/** Resolves once the program runs. Throws a sentence for the operator when it cannot be started. */
export async function launchProgram(program: string, args: string[], options: RunOptions): Promise<ChildProcess> {
	const { account, output, detached = false } = options;
	const child = spawn(program, args, {
		cwd: options.cwd,
		// Nothing of PGDATA, PGOPTIONS, LD_LIBRARY_PATH … passes; Windows needs its own variables. TZ
		// spares initdb the search through all time zones.
		env: { ...(process.platform === "win32" && process.env), LC_ALL: "C", TZ: "UTC", ...options.env },
		stdio: ["ignore", output, output],
		detached,
		windowsHide: true,
		// libuv takes signed numbers.
		...(account && { uid: account.uid | 0, gid: account.gid | 0 }),
	});
	try {
		await once(child, "spawn");
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (account && code === "EPERM") throw explainNoRight(account);
		const hint = existsSync(program)
			? "; it needs a system with glibc and a file system that allows programs to run. Set WEFT_DATABASE_URL to a PostgreSQL of your own"
			: "";
		throw new Error(`cannot run ${program} (${code})${hint}`);
	}
	return child;
}

/**
 * Runs the program to its end. Throws with the end of its output when it fails or takes longer than
 * two minutes.
 */
export async function runToEnd(program: string, args: string[], options: Omit<RunOptions, "output">): Promise<void> {
	const child = await launchProgram(program, args, { ...options, output: "pipe" });
	let output = "";
	for (const stream of [child.stdout, child.stderr]) {
		stream?.setEncoding("utf8").on("data", (text: string) => {
			output = (output + text).slice(-4000);
		});
	}
	const timer = setTimeout(() => child.kill("SIGKILL"), 120_000);
	const [code, signal] = (await once(child, "close")) as [number | null, string | null];
	clearTimeout(timer);
	if (code !== 0) throw new Error(`${program} failed (${signal ?? `exit code ${code}`}): ${output.trim()}`);
}
