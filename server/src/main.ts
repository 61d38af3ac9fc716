/** Starts the service and ends it on SIGTERM, SIGINT, or when it cannot go on. */
import { type Config, readConfig } from "./config.ts";
import type { Service } from "./service.ts";
import { startStore } from "./start-store.ts";

/** A stop that takes longer ends the process. */
const HARD_STOP_MS = 30_000;

/** Why the start ended early. */
class Stopped extends Error {}

async function main(): Promise<void> {
	const config = readConfig(process.env);
	const starting = new AbortController();
	let service: Service | null = null;

	const end = async (reason: string, code: number): Promise<void> => {
		setTimeout(() => process.exit(1), HARD_STOP_MS).unref();
		if (service === null) return starting.abort(new Stopped(reason));
		await service.stop(reason);
		process.exit(code);
	};
	for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void end(signal, 0));
	// Loading the service takes longer than the store needs to answer.
	const [startedStore, { startService }] = await Promise.all([
		startStore(config, starting.signal),
		import("./service.ts"),
	]);
	service = await startService(config, { signal: starting.signal, startedStore });
	if (starting.signal.aborted) return end("a signal during the start", 0);
	void service.lost.then((why) => {
		process.stderr.write(`${why}\n`);
		return end("the store was lost", 1);
	});
	announceReady(service, config);
}

/** Prints the line that says the service is ready. A first password is shown only here. */
function announceReady({ url, firstPassword }: Service, { roles, admin }: Config): void {
	const login = firstPassword === null ? "" : ` - sign in as ${admin.username} with the password ${firstPassword}`;
	process.stdout.write(`Weft is ready ${url === null ? `as ${[...roles].join(",")}` : `at ${url}`}${login}\n`);
}

main().catch((error: unknown) => {
	if (error instanceof Stopped) process.exit(0);
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exit(1);
});
