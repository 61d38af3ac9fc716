/** The service, or a command of it, as a real process of the build. */
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readConfig } from "../../src/config.ts";
import { type Service, startService as startInProcess } from "../../src/service.ts";
import { TEST_PASSWORD } from "./harness.ts";
import { startProgram, waitForOutput } from "./spawned.ts";

/** The build of the demo, for `runBuiltProgram`. */
export const DEMO_DIST = fileURLToPath(new URL("../../../demo/dist", import.meta.url));
/** The simulators run on this host. */
export const LOOPBACK_TARGETS = {
	WEFT_CONTROLLER_TARGETS: "127.0.0.0/8,::1/128",
	WEFT_AUTOMATION_TARGETS: "127.0.0.0/8,::1/128",
};
const BUNDLE = fileURLToPath(new URL("../../bundle", import.meta.url));

const getBuiltPath = (folder: string, name: string): string => {
	const path = join(folder, `${name}.js`);
	if (!existsSync(path)) throw new Error(`${path} is missing: run npm run build`);
	return path;
};

export interface RunningProcess {
	readonly child: ChildProcess;
	/** Text that the process has written so far. */
	readonly output: { stdout: string; stderr: string };
	/** Its exit code, or the signal that ended it. */
	readonly ended: Promise<number | string>;
}

/** The environment of a program on a data folder, with no settings of Weft but the given ones. */
export function buildEnvironment(
	dataDir: string,
	settings: Readonly<Record<string, string>> = {},
): Record<string, string | undefined> {
	const inherited = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith("WEFT_")));
	return { ...inherited, ...LOOPBACK_TARGETS, WEFT_DATA_DIR: dataDir, WEFT_LOG_LEVEL: "warn", ...settings };
}

/**
 * Runs a part of the build on a data folder, with nothing of Weft's settings but the given ones.
 * @param dist the folder of the build, where it is not this version's
 */
export function runBuiltProgram(
	name: "main" | "admin",
	dataDir: string,
	environment: Record<string, string> = {},
	args: string[] = [],
	dist: string = BUNDLE,
): RunningProcess {
	const started = startProgram(process.execPath, [getBuiltPath(dist, name), ...args], {
		environment: buildEnvironment(dataDir, environment),
	});
	const { child, output } = started;
	return { child, output, ended: started.ended.then(({ code }) => code ?? child.signalCode ?? "") };
}

export interface ServiceClient {
	readonly url: string;
	call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
	/** The body of an answer. Rejects where the service refuses. */
	// biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of it
	ask(method: string, path: string, body?: unknown): Promise<any>;
	/** The header with which it calls. */
	authorization(): string;
}

export interface RunningService extends RunningProcess, ServiceClient {}

export type LocalService = ServiceClient & Pick<Service, "stop">;

/** Settings of a test's service beside its folder: a free port, no throttle, and a first user. */
const SERVICE_SETTINGS = { WEFT_PORT: "0", WEFT_THROTTLE: "off", WEFT_ADMIN_PASSWORD: TEST_PASSWORD };

/** Starts the service on a free port and signs in as its first user; `dist`: as there. */
export async function startService(
	dataDir: string,
	environment: Record<string, string> = {},
	dist: string = BUNDLE,
): Promise<RunningService> {
	const running = runBuiltProgram("main", dataDir, { ...SERVICE_SETTINGS, ...environment }, [], dist);
	const [url] = await waitForOutput(running, /http:\S+/);
	return { ...running, ...(await signIn(url)) };
}

/**
 * Starts the service in this process, on a free port, and signs in as its first user. It costs a
 * third less than a process. Its log goes to standard error of the tests.
 */
export async function startLocalService(
	dataDir: string,
	settings: Readonly<Record<string, string>> = {},
): Promise<LocalService> {
	const service = await startInProcess(readConfig(buildEnvironment(dataDir, { ...SERVICE_SETTINGS, ...settings })));
	return { ...(await signIn(service.url ?? "")), stop: service.stop };
}

/** Signs in as the first user. */
async function signIn(url: string): Promise<ServiceClient> {
	let token = "";
	const call = async (method: string, path: string, body?: unknown) => {
		const response = await fetch(url + path, {
			method,
			headers: {
				...(token === "" ? {} : { authorization: `Bearer ${token}` }),
				...(body === undefined ? {} : { "content-type": "application/json" }),
			},
			...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
		});
		const text = await response.text();
		return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
	};
	const login = await call("POST", "/api/auth/login/", { username: "admin", password: TEST_PASSWORD });
	token = (login.body as { access: string }).access;
	return {
		url,
		call,
		async ask(method, path, body) {
			const answer = await call(method, path, body);
			if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
			return answer.body;
		},
		authorization: () => `Bearer ${token}`,
	};
}
