/** `npm run demo [-- --exit]`: simulated fabrics, service, and a query from run to comparison. */
import { createServer } from "node:net";
import { startController } from "@weft/lab";
import { createClient } from "@weft/sdk";
import { readConfig, startService } from "@weft/server";
import { createStory } from "./story.ts";

const USERNAME = "demo";
const PASSWORD = "weft-demo-fabric";
const SEED = 7;

async function main(): Promise<void> {
	const exit = process.argv.includes("--exit");
	const began = performance.now();
	say("\n  Weft: a query, two moments, and what changed between them\n");

	const lab = await startController({ size: "small", seed: SEED });
	const second = await startController({ size: "small", seed: SEED, fabric: 2 });
	const service = await startService(
		readConfig({
			WEFT_LOG_LEVEL: "error",
			WEFT_DATA_DIR: "data/demo",
			// The simulated fabric runs on this host.
			WEFT_CONTROLLER_TARGETS: "127.0.0.0/8,::1/128",
			WEFT_PORT: (await isFree(8080)) ? "8080" : "0",
			...process.env,
			WEFT_ADMIN_USERNAME: USERNAME,
			WEFT_ADMIN_PASSWORD: PASSWORD,
		}),
	);
	let ending: Promise<void> | null = null;
	const end = (): Promise<void> => {
		ending ??= service.stop("the demo ends").then(async () => void (await Promise.all([lab.close(), second.close()])));
		return ending;
	};
	for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void end().then(() => process.exit(0)));

	try {
		const client = createClient({ baseUrl: service.url ?? "" });
		await client.signIn(USERNAME, PASSWORD);
		const story = createStory({ client, lab, second, say });
		await story.tell();
		say(`  Finished in ${((performance.now() - began) / 1000).toFixed(1)} s.\n`);
	} catch (error) {
		await end();
		throw error;
	}
	if (exit) {
		await end();
		process.exit(0);
	}
	say(`  Open      ${service.url}/\n  API       ${service.url}/api/docs/\n  Login     ${USERNAME} / ${PASSWORD}`);
	say(`  Fabric    ${lab.url}  (${lab.username} / ${lab.password})\n\n  Ctrl-C ends it.\n`);
}

function say(line: string): void {
	process.stdout.write(`${line}\n`);
}

/** Whether the usual port can be taken; where not, the demo takes any other. */
function isFree(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const probe = createServer()
			.once("error", () => resolve(false))
			.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
	});
}

main().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exit(1);
});
