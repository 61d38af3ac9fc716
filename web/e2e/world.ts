/** The environment of browser tests: service process, simulated fabric, and some history. */
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type RunningAutomation, startAutomation, startController, startModelSource } from "@weft/lab";
import { startProgram, waitForOutput } from "../../server/test/support/spawned.ts";

export const USERNAME = "ada.lovelace";
export const PASSWORD = "correct horse battery";

const main = fileURLToPath(new URL("../../server/bundle/main.js", import.meta.url));
const page = fileURLToPath(new URL("../dist/index.html", import.meta.url));

export interface World {
	readonly url: string;
	/** The password that the service printed at its first start; null where one was given. */
	readonly printedPassword: string | null;
	readonly lab: Awaited<ReturnType<typeof startController>>;
	readonly modelSource: Awaited<ReturnType<typeof startModelSource>>;
	readonly automation: RunningAutomation;
	/** Stops the service's process: the kernel accepts its connections, and nothing answers. */
	hang(): void;
	/** Continues the process that was stopped. */
	resume(): void;
	/** Ends the service, and starts it again on its data; the address stays if its port is given. */
	restart(): Promise<void>;
	close(): Promise<void>;
}

/** Why there can be none, with what to do about it; null when there can. */
export function findMissingBuild(): string | null {
	if (!existsSync(main) || !existsSync(page)) return "the build is missing; npm run build makes it.";
	return null;
}

/** @param environment settings of the service; undefined leaves out one that is given by default */
export async function startWorld(environment: Record<string, string | undefined> = {}): Promise<World> {
	const dataDir = await mkdtemp(join(tmpdir(), "weft-web-"));
	const lab = await startController({ size: "small", seed: 7 });
	const modelSource = await startModelSource({ classes: 300, dnFormats: 500 });
	const automation = await startAutomation();
	const settings = {
		WEFT_MODEL_SOURCE_URL: modelSource.url,
		WEFT_WEBHOOK_TARGETS: "127.0.0.0/8",
		// The second network is that of the simulated members, which tests offer but never ask.
		WEFT_CONTROLLER_TARGETS: "127.0.0.0/8,192.168.10.0/24",
		WEFT_AUTOMATION_TARGETS: "127.0.0.0/8",
		...environment,
	};
	const { url, printedPassword, ...first } = await startService(dataDir, settings);
	let { child } = first;
	const end = async () => {
		const ended = new Promise((resolve) => child.once("close", resolve));
		child.kill("SIGCONT");
		child.kill("SIGTERM");
		await ended;
	};
	return {
		url,
		printedPassword,
		lab,
		modelSource,
		automation,
		hang: () => void child.kill("SIGSTOP"),
		resume: () => void child.kill("SIGCONT"),
		async restart() {
			await end();
			child = (await startService(dataDir, settings)).child;
		},
		async close() {
			await end();
			await lab.close();
			await modelSource.close();
			await automation.close();
			await rm(dataDir, { recursive: true, force: true });
		},
	};
}

async function startService(
	dataDir: string,
	environment: Record<string, string | undefined>,
): Promise<{ child: ChildProcess; url: string; printedPassword: string | null }> {
	const program = startProgram(process.execPath, [main], {
		environment: {
			WEFT_DATA_DIR: dataDir,
			WEFT_LOG_LEVEL: "error",
			WEFT_PORT: "0",
			WEFT_THROTTLE: "off",
			WEFT_ADMIN_USERNAME: USERNAME,
			WEFT_ADMIN_PASSWORD: PASSWORD,
			...environment,
		},
	});
	const { child, output } = program;
	const [url] = await waitForOutput(program, /http:\S+(?=.*\n)/);
	return { child, url, printedPassword: / with the password (\S+)/.exec(output.stdout)?.[1] ?? null };
}
