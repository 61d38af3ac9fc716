/**
 * The command line against the whole service and a simulated controller: as a function of this
 * process, and the built one as a process for what only a process has.
 */
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, afterEach, beforeAll } from "vitest";
import { systemClock } from "../../../server/src/core/system/clock.ts";
import type { ControllerDriver } from "../../../server/src/integrations/apic/port.ts";
import { addConnection } from "../../../server/test/support/canvases.ts";
import { startTestApp, type TestApp, type TestOptions, type TestUser } from "../../../server/test/support/harness.ts";
import { createEagerDriver } from "../../../server/test/support/runs.ts";
import { type Ended, type Started, startProgram } from "../../../server/test/support/spawned.ts";
import { createCredentials, getCredentialsPath } from "../../src/credentials.ts";
import { openNetwork } from "../../src/network.ts";
import type { Sink } from "../../src/output.ts";
import { launchProgram, processClock, processInput } from "../../src/process.ts";
import { runProgram } from "../../src/program.ts";

export const BIN = fileURLToPath(new URL("../../bundle/weft.js", import.meta.url));

export interface Cli {
	t: TestApp;
	lab: RunningController;
	/** A member of `Editor`, with the profile `default`. */
	ada: TestUser;
	/** Id of Ada's connection `fab-1` to the simulated controller. */
	connection: string;
	url: string;
	/** The folder of credentials. */
	home: string;
	/** Starts the built command line as a process. */
	start(args: readonly string[], options?: StartOptions): Started;
	/** Runs a command to its end in this process. */
	run(args: readonly string[], options?: RunOptions): Promise<Ended>;
	/** Runs a command to its end, as Ada. */
	weft(...args: string[]): Promise<Ended>;
	/** Runs a command that reads the text. */
	pipe(stdin: string, ...args: string[]): Promise<Ended>;
}

interface StartOptions {
	readonly stdin?: string;
	readonly environment?: Readonly<Record<string, string>>;
}

interface RunOptions extends StartOptions {
	/** Presses Ctrl-C when it resolves. The command then goes on to its end. */
	readonly interrupt?: Promise<void>;
}

export interface CliOptions {
	readonly driver?: ControllerDriver;
	/** Other adapters of the service. */
	deps?(): Promise<NonNullable<TestOptions["deps"]>>;
}

/** For one test file. The fields are set before its first test begins. */
export function useCli(options: CliOptions = {}): Cli {
	const cli = {
		start: (args, { environment, stdin } = {}) =>
			startProgram(process.execPath, [BIN, ...args], {
				environment: { XDG_CONFIG_HOME: cli.home, ...environment },
				stdin,
			}),
		run: (args, { environment, stdin, interrupt } = {}) =>
			runCommand(args, { environment: { XDG_CONFIG_HOME: cli.home, ...environment }, stdin: stdin ?? "" }, interrupt),
		weft: (...args) => cli.run(args),
		pipe: (stdin, ...args) => cli.run(args, { stdin }),
	} as Cli;
	beforeAll(async () => {
		cli.home = await mkdtemp(join(tmpdir(), "weft-cli-"));
		const controllers = options.driver ?? createEagerDriver();
		cli.lab = await startController({ size: "small" });
		cli.t = await startTestApp({ work: true, deps: { clock: systemClock, controllers, ...(await options.deps?.()) } });
		cli.url = `http://127.0.0.1:${(cli.t.app.server.server.address() as AddressInfo).port}`;
		cli.ada = await cli.t.user("ada", ["Editor"]);
		cli.connection = await addConnection(cli.ada.api, cli.lab, { name: "fab-1" });
		const { code, stderr } = await signIn(cli, cli.ada);
		if (code !== 0) throw new Error(stderr);
	});
	afterAll(async () => {
		await cli.t.close();
		await cli.lab.close();
		await rm(cli.home, { recursive: true });
	});
	afterEach(() => cli.lab.clearFaults());
	return cli;
}

export const signIn = (cli: Cli, user: TestUser, ...args: string[]): Promise<Ended> =>
	cli.pipe(`${user.password}\n`, "login", "--url", cli.url, "--username", user.username, "--password-stdin", ...args);

/** Runs a command as a process would, with streams that are no terminal. */
async function runCommand(
	args: readonly string[],
	{ environment: own, stdin }: Required<StartOptions>,
	interrupt: Promise<void> | undefined,
): Promise<Ended> {
	const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("WEFT_"));
	const environment = { ...Object.fromEntries(inherited), ...own };
	const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
	const createSink = (name: keyof typeof output): Sink => ({
		isTerminal: false,
		width: () => 80,
		async write(text) {
			output[name].push(Buffer.from(text as string));
		},
	});
	const questions = new PassThrough().on("data", (bytes: Buffer) => output.stderr.push(bytes));
	const clock = processClock();
	const code = await runProgram(args, {
		environment,
		clock,
		credentials: createCredentials(getCredentialsPath(environment), clock),
		input: processInput(Readable.from([Buffer.from(stdin)]), questions),
		stdout: createSink("stdout"),
		stderr: createSink("stderr"),
		...(await openNetwork(environment)),
		launch: launchProgram,
		onSignal: (handler) => void interrupt?.then(handler),
		exit: (ended) => {
			if (interrupt === undefined) throw new Error(`The command ended the process with ${ended}.`);
		},
	});
	return { code, stdout: Buffer.concat(output.stdout).toString(), stderr: Buffer.concat(output.stderr).toString() };
}
