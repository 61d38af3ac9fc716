/** From arguments to an exit code. */
import { CommanderError } from "@commander-js/extra-typings";
import type { SocketFactory, WeftClient } from "@weft/sdk";
import type { Clock } from "./clock.ts";
import { registerAll } from "./commands/index.ts";
import { type Context, createId, type Input, type Launch } from "./context.ts";
import type { Credentials } from "./credentials.ts";
import { CliError, describeError, EXIT, type ExitCode } from "./errors.ts";
import { createProgram, type GlobalOptions, type Run } from "./frame.ts";
import { createOutput, replaceControls, replaceControlsInLines, type Sink } from "./output.ts";
import { openSession } from "./session.ts";
import { VERSION } from "./version.ts";

interface ProgramPorts {
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly clock: Clock;
	readonly credentials: Credentials;
	readonly input: Input;
	readonly stdout: Sink;
	readonly stderr: Sink;
	readonly fetch: typeof fetch;
	readonly openSocket: SocketFactory;
	readonly launch: Launch;
	/** Calls the handler at each Ctrl-C. */
	onSignal(handler: () => void): void;
	/** Ends the process at once. */
	exit(code: ExitCode): void;
}

/** Time for cancelling runs after Ctrl-C, in milliseconds. */
const CANCEL_MS = 10_000;

export async function runProgram(args: readonly string[], ports: ProgramPorts): Promise<ExitCode> {
	const program = createProgram(VERSION, ports.environment);
	const progress = createProgress(ports.stderr);
	const interrupts = watchInterrupts(ports);
	const run: Run =
		(handler) =>
		async (...given) => {
			const context = createContext(program.opts(), ports, progress, interrupts.add);
			await handler(context, ...given);
		};
	// Commands inherit both when they are registered.
	program.exitOverride().configureOutput({
		writeOut: (text) => void ports.stdout.write(text),
		writeErr: (text) => void ports.stderr.write(text),
	});
	registerAll(program, run);
	const code = await awaitEnd(() => program.parseAsync(args, { from: "user" }), ports.stderr, progress);
	return (await interrupts.settled()) ?? code;
}

async function awaitEnd(work: () => Promise<unknown>, stderr: Sink, progress: Progress): Promise<ExitCode> {
	try {
		await work();
		return EXIT.ok;
	} catch (error) {
		// Help and version end with 0; commander has printed its messages itself.
		if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.badInput;
		const described = describeError(error);
		progress.clear();
		const lines = error instanceof CliError ? error.lines : [];
		for (const line of lines) await stderr.write(`${replaceControls(line)}\n`);
		if (described.message !== "") await stderr.write(`weft: ${replaceControlsInLines(described.message)}\n`);
		return described.code;
	} finally {
		progress.clear();
	}
}

function createContext(
	{ format, quiet, url, profile, color }: GlobalOptions,
	ports: ProgramPorts,
	progress: Progress,
	onInterrupt: Context["onInterrupt"],
): Context {
	const { environment, stdout, stderr, credentials, clock } = ports;
	const hasColours = color && stdout.isTerminal && !environment.NO_COLOR;
	const settings = { url: url ?? (environment.WEFT_URL || undefined), token: environment.WEFT_TOKEN, profile };
	let client: Promise<WeftClient> | null = null;
	return {
		output: createOutput(format, stdout, hasColours),
		input: ports.input,
		settings,
		credentials,
		clock,
		fetch: ports.fetch,
		openSocket: ports.openSocket,
		launch: ports.launch,
		stepSummary: environment.GITHUB_STEP_SUMMARY || null,
		client() {
			client ??= openSession(settings, ports);
			return client;
		},
		note(line) {
			progress.clear();
			if (!quiet) void stderr.write(`${replaceControls(line)}\n`);
		},
		progress(line) {
			if (!quiet) progress.show(replaceControls(line));
		},
		onInterrupt,
		newId: createId,
	};
}

interface Progress {
	show(line: string): void;
	clear(): void;
}

/** One line that is replaced; nothing where standard error is no terminal. */
function createProgress(stderr: Sink): Progress {
	let isShown = false;
	return {
		show(line) {
			if (!stderr.isTerminal) return;
			isShown = true;
			void stderr.write(`\r\u001b[2K${line.slice(0, stderr.width() - 1)}`);
		},
		clear() {
			if (isShown) void stderr.write("\r\u001b[2K");
			isShown = false;
		},
	};
}

/** The first Ctrl-C runs the handlers, then ends the process; the second one ends it at once. */
function watchInterrupts({ onSignal, exit, clock }: Pick<ProgramPorts, "onSignal" | "exit" | "clock">) {
	const handlers: (() => Promise<void>)[] = [];
	let settled: Promise<unknown> | null = null;
	onSignal(() => {
		if (settled !== null || handlers.length === 0) return exit(EXIT.interrupted);
		const all = Promise.allSettled(handlers.map((handler) => handler()));
		settled = Promise.race([all, clock.sleep(CANCEL_MS)]).then(() => exit(EXIT.interrupted));
	});
	return {
		add: (handler: () => Promise<void>) => void handlers.push(handler),
		/** The exit code after Ctrl-C, once the handlers have ended; null without one. */
		async settled(): Promise<ExitCode | null> {
			if (settled === null) return null;
			await settled;
			return EXIT.interrupted;
		},
	};
}
