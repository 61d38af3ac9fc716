/** The ports of a command on the real process. */
import { once } from "node:events";
import { constants } from "node:os";
import { type Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "./clock.ts";
import type { Input, Launch } from "./context.ts";
import { buildInputError, CliError, EXIT } from "./errors.ts";
import type { Sink } from "./output.ts";

export const processClock = (): Clock => ({
	now: () => Date.now(),
	sleep: async (ms, signal) => {
		await sleep(ms, undefined, { signal }).catch((error: unknown) => {
			if (signal?.aborted !== true) throw error;
		});
	},
});

export function processSink(stream: Writable & { isTTY?: boolean; columns?: number }): Sink {
	return {
		isTerminal: stream.isTTY === true,
		width: () => stream.columns ?? 80,
		async write(text) {
			if (text.length > 0 && !stream.write(text)) await once(stream, "drain");
		},
	};
}

/** The program that opens an address in the browser; null where there is no desktop. */
function findOpener(
	platform: NodeJS.Platform,
	{ DISPLAY, WAYLAND_DISPLAY }: NodeJS.ProcessEnv,
): readonly [string, ...string[]] | null {
	if (platform === "darwin") return ["open"];
	if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
	return DISPLAY || WAYLAND_DISPLAY ? ["xdg-open"] : null;
}

/** A reader such as `head` that has read enough ends the program, as it ends others. */
export function endOnBrokenPipe(stream: Writable): void {
	stream.on("error", (error: NodeJS.ErrnoException) => {
		if (error.code === "EPIPE") process.exit(0);
		throw error;
	});
}

export function processInput(stdin: Readable & { isTTY?: boolean }, stderr: Writable): Input {
	return {
		async readAll(maxBytes) {
			const chunks: Buffer[] = [];
			let length = 0;
			for await (const chunk of stdin) {
				const bytes = Buffer.from(chunk);
				length += bytes.length;
				if (length > maxBytes) throw buildInputError(`Standard input has more than ${maxBytes} bytes.`);
				chunks.push(bytes);
			}
			return Buffer.concat(chunks);
		},
		async openPage(url, hint) {
			stderr.write(`Sign in on this page:\n${url}\n${hint}\n`);
			const opener = stdin.isTTY === true ? findOpener(process.platform, process.env) : null;
			if (opener === null) return;
			const { spawn } = await import("node:child_process");
			const [command, ...args] = opener;
			// Without an opener the user opens the address.
			spawn(command, [...args, url], { stdio: "ignore", detached: true })
				.on("error", () => {})
				.unref();
		},
		async ask(question, isSecret) {
			if (stdin.isTTY !== true) return null;
			const { createInterface } = await import("node:readline");
			const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
			// Turns the terminal's own echo off: from here on readline writes the echo. A question before
			// that would let the first keys of a secret be shown.
			const lines = createInterface({ input: stdin, output: isSecret ? silent : stderr, terminal: true });
			if (isSecret) stderr.write(question);
			try {
				return await new Promise((resolve, reject) => {
					lines.once("SIGINT", () => reject(new CliError(EXIT.interrupted)));
					// Ctrl-D.
					lines.once("close", () => resolve(null));
					lines.question(question, resolve);
				});
			} finally {
				lines.close();
				if (isSecret) stderr.write("\n");
			}
		},
	};
}

/** Standard output has the answer of the command only: the program writes to standard error. */
export const launchProgram: Launch = async (program, args) => {
	const { spawn } = await import("node:child_process");
	const child = spawn(program, args, { stdio: ["inherit", 2, 2] });
	return new Promise((resolve) => {
		child.once("error", (error: NodeJS.ErrnoException) =>
			resolve({ code: 127, problem: `It cannot be started (${error.code}).` }),
		);
		child.once("close", (code, signal) => {
			if (signal === null) resolve({ code: code ?? 1, problem: null });
			else resolve({ code: 128 + constants.signals[signal], problem: `It was ended by ${signal}.` });
		});
	});
};
