/** `npm run demo [-- --exit] [-- --reset]`: simulators, service, data, and a story about them. */
import { createServer } from "node:net";
import { resolve } from "node:path";
import { startModelSource } from "@weft/lab";
import { readConfig, startService } from "@weft/server";
import { findServer, startJobs } from "./automation.ts";
import { createDemoClock } from "./clock.ts";
import { startFabrics } from "./fabrics.ts";
import { openMemory } from "./memory.ts";
import { type Options, readOptions, UsageError } from "./options.ts";
import { createPeople, getPassword, PEOPLE } from "./people.ts";
import { findQueries } from "./queries.ts";
import { makeData } from "./seed.ts";
import { tellStory } from "./story.ts";

const MODEL_CLASSES = 2_000;
const LOOPBACK = "127.0.0.0/8,::1/128";
/** Settings that a user may choose; the demo would not work with others. */
const CHOOSABLE = ["WEFT_HOST", "WEFT_PORT", "WEFT_BASE_PATH", "WEFT_LOG_LEVEL", "WEFT_WEBHOOK_TARGETS"];

type Closer = () => Promise<unknown>;

async function main(options: Options): Promise<void> {
	const began = performance.now();
	printLine("\n  Weft: two fabrics, a week of history, and a change\n");
	const closers: Closer[] = [];
	let ending: Promise<void> | null = null;
	const end = (): Promise<void> => {
		ending ??= (async () => {
			for (const close of closers.splice(0).reverse()) await close();
		})();
		return ending;
	};
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void end().then(() => process.exit(0)));

	try {
		const demo = await startDemo(options, closers);
		await tellStory({ ...demo, say: printLine });
		printLine(`  Finished in ${((performance.now() - began) / 1000).toFixed(1)} s.\n`);
		if (!options.exit) return printAccess(demo);
	} catch (error) {
		// A story that is interrupted fails because the service ends.
		const interrupted = ending !== null;
		await end();
		if (!interrupted) throw error;
	}
	await end();
	process.exit(0);
}

/** Starts everything, and makes the data where there is none. */
async function startDemo({ reset }: Options, closers: Closer[]) {
	const clock = createDemoClock();
	const memory = await openMemory(resolve(process.env.WEFT_DATA_DIR ?? "data/demo"), reset, PEOPLE);
	const { logins } = memory.data;
	const fabrics = await startFabrics(clock, memory);
	closers.push(() => fabrics.close());
	const automation = await startJobs(clock, memory, fabrics);
	closers.push(() => automation.close());
	const source = await startModelSource({ classes: MODEL_CLASSES, dnFormats: 2_000 });
	closers.push(() => source.close());
	const chosen = CHOOSABLE.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
	const [admin] = PEOPLE;
	const service = await startService(
		readConfig({
			WEFT_LOG_LEVEL: "error",
			WEFT_PORT: (await isFree(8080)) ? "8080" : "0",
			...Object.fromEntries(chosen),
			WEFT_DATA_DIR: memory.serviceFolder,
			WEFT_CONTROLLER_TARGETS: LOOPBACK,
			WEFT_AUTOMATION_TARGETS: LOOPBACK,
			WEFT_MODEL_SOURCE_URL: source.url,
			WEFT_THROTTLE: "off",
			WEFT_ADMIN_USERNAME: admin.username,
			WEFT_ADMIN_PASSWORD: getPassword(logins, admin.username),
		}),
		{ clock, demoLogins: logins },
	);
	closers.push(() => service.stop("the demo ends"));
	const url = service.url ?? "";
	const people = createPeople(url, logins, clock);
	const known = memory.isResumed
		? await findQueries(await people.as("ada"), fabrics.controllers)
		: await makeData({ people, fabrics, automation, clock, memory, say: printLine });
	if (memory.isResumed) await findServer(await people.as("ada"), automation.server);
	return { people, fabrics, known, memory, url };
}

function printAccess({ url, memory }: Awaited<ReturnType<typeof startDemo>>): void {
	printLine(`  Open      ${url}/\n  API       ${url}/api/docs/\n`);
	for (const { role, username, password } of memory.data.logins) {
		printLine(`  ${role.padEnd(9)} ${username} / ${password}`);
	}
	printLine("\n  Ctrl-C ends it; the next start goes on with the same data, with --reset it starts anew.\n");
}

function printLine(line: string): void {
	process.stdout.write(`${line}\n`);
}

/** Whether the usual port can be taken; where not, the demo takes any other. */
function isFree(port: number): Promise<boolean> {
	return new Promise((done) => {
		const probe = createServer()
			.once("error", () => done(false))
			.listen(port, "127.0.0.1", () => probe.close(() => done(true)));
	});
}

async function runDemo(): Promise<void> {
	await main(readOptions(process.argv.slice(2)));
}

runDemo().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exit(error instanceof UsageError ? 2 : 1);
});
