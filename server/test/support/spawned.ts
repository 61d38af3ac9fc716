/** A program as a process with text on its streams. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

export interface Ended {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

export interface Started {
	readonly child: ChildProcess;
	/** Text that the process has written so far. */
	readonly output: { stdout: string; stderr: string };
	readonly ended: Promise<Ended>;
}

export interface SpawnOptions {
	readonly cwd?: string | undefined;
	readonly stdin?: string | undefined;
	/** Beside the environment of the tests without its `WEFT_` variables. */
	readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

export function startProgram(command: string, args: readonly string[], options: SpawnOptions = {}): Started {
	const { cwd, stdin = "", environment } = options;
	const inherited = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith("WEFT_")));
	const child = spawn(command, args, { cwd, env: { ...inherited, ...environment } });
	const output = { stdout: "", stderr: "" };
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		output.stdout += text;
	});
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		output.stderr += text;
	});
	child.stdin.end(stdin);
	const ended = once(child, "close").then(([code]) => ({ code: code as number | null, ...output }));
	return { child, output, ended };
}

/** Waits until the standard output of a program matches. Rejects if the program ends before. */
export async function waitForOutput(
	{ child, output, ended }: Pick<Started, "child" | "output"> & { readonly ended: Promise<unknown> },
	pattern: RegExp,
): Promise<RegExpExecArray> {
	const matched = new Promise<RegExpExecArray>((resolve) => {
		const look = () => {
			const match = pattern.exec(output.stdout);
			if (match === null) return;
			child.stdout?.off("data", look);
			resolve(match);
		};
		child.stdout?.on("data", look);
		look();
	});
	const tooEarly = ended.then(() => {
		throw new Error(`The program ended with ${child.exitCode ?? child.signalCode}: ${output.stdout}${output.stderr}`);
	});
	return Promise.race([matched, tooEarly]);
}
