/** Programs that benchmarks start: each prints one line when it is ready. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

interface Program {
	readonly process: ChildProcess;
	/** The first line of its standard output. */
	readonly line: string;
	/** Asks it to end, and resolves when it has. */
	stop(): Promise<void>;
}

interface ProgramOptions {
	readonly args?: readonly string[];
	/** Settings beside the environment of this process. */
	readonly env?: Readonly<Record<string, string>>;
	/** The whole of its standard input, which stays open where absent. */
	readonly input?: string;
}

/**
 * Starts a program of a build and waits until it is ready. Rejects if it ends before.
 * @param file the program relative to `dist` of the benchmarks
 */
export async function startProgram(
	file: string,
	{ args = [], env = {}, input }: ProgramOptions = {},
): Promise<Program> {
	const child = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url)), ...args], {
		env: { ...process.env, ...env },
		stdio: ["pipe", "pipe", "inherit"],
	});
	if (input !== undefined) child.stdin.end(input);
	const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
	const line = await Promise.race([
		new Promise<string>((resolve) => createInterface({ input: child.stdout }).once("line", resolve)),
		ended.then((code) => {
			throw new Error(`${file} ended with ${code} before it was ready`);
		}),
	]);
	return {
		process: child,
		line,
		async stop() {
			child.kill("SIGTERM");
			await ended;
		},
	};
}
