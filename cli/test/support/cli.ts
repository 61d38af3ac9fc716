/** The built command line as a process, against the whole service and a simulated controller. */
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RunningController, startController } from "@weft/lab";
import { afterAll, afterEach, beforeAll } from "vitest";
import { systemClock } from "../../../server/src/adapters/system/clock.ts";
import type { ControllerDriver } from "../../../server/src/ports/controller.ts";
import { addConnection } from "../../../server/test/support/canvases.ts";
import { startTestApp, type TestApp, type TestOptions, type TestUser } from "../../../server/test/support/harness.ts";
import { eagerDriver } from "../../../server/test/support/runs.ts";
import { type Ended, type Started, startProgram } from "../../../server/test/support/spawned.ts";

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
	start(args: readonly string[], options?: StartOptions): Started;
	/** Runs a command to its end, as Ada. */
	weft(...args: string[]): Promise<Ended>;
	/** Runs a command that reads the text. */
	pipe(stdin: string, ...args: string[]): Promise<Ended>;
}

export interface StartOptions {
	readonly stdin?: string;
	readonly environment?: Readonly<Record<string, string>>;
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
		weft: (...args) => cli.start(args).ended,
		pipe: (stdin, ...args) => cli.start(args, { stdin }).ended,
	} as Cli;
	beforeAll(async () => {
		cli.home = await mkdtemp(join(tmpdir(), "weft-cli-"));
		const controllers = options.driver ?? eagerDriver();
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
