/** What a command works with: options, output, progress, and the service, each behind a port. */
import { randomUUID } from "node:crypto";
import type { SocketFactory, WeftClient } from "@weft/sdk";
import type { Clock } from "./clock.ts";
import type { Credentials } from "./credentials.ts";
import type { Output } from "./output.ts";
import type { SessionSettings } from "./session.ts";

/** Where a command reads and what it asks the user. */
export interface Input {
	/** Everything on standard input, at most `maxBytes`. @throws CliError above that */
	readAll(maxBytes: number): Promise<Buffer>;
	/** Null where no user can answer. The typed text is not shown if it is a secret. */
	ask(question: string, isSecret: boolean): Promise<string | null>;
	/** Shows an address and a hint, also with `--quiet`. Opens it where the user has a browser. */
	openPage(url: string, hint: string): Promise<void>;
}

/** A program of the user that has ended. */
export interface EndedProgram {
	/** Exit code as a shell reports it: 127 if it could not be started, 128 and more for a signal. */
	readonly code: number;
	/** Why it could not be started, or the signal that ended it; null otherwise. */
	readonly problem: string | null;
}

/** Runs a program to its end, which reads standard input and writes to standard error. */
export type Launch = (program: string, args: readonly string[]) => Promise<EndedProgram>;

export interface Context {
	readonly output: Output;
	readonly input: Input;
	/** Prints a line on standard error, unless `--quiet` is given. */
	note(line: string): void;
	/** Replaces the last line of progress on a terminal; prints nothing elsewhere. */
	progress(line: string): void;
	readonly settings: SessionSettings;
	readonly credentials: Credentials;
	readonly clock: Clock;
	readonly fetch: typeof fetch;
	/** Path of the file that GITHUB_STEP_SUMMARY names; null without one. */
	readonly stepSummary: string | null;
	/** The signed-in client, opened at its first use. */
	client(): Promise<WeftClient>;
	readonly openSocket: SocketFactory;
	readonly launch: Launch;
	/** Ends what the command has started on the server when the user presses Ctrl-C. */
	onInterrupt(handler: () => Promise<void>): void;
	newId(): string;
}

export const createId = (): string => randomUUID();
