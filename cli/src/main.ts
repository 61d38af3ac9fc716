/** The program `weft`. */
import { createCredentials, getCredentialsPath } from "./credentials.ts";
import { openNetwork } from "./network.ts";
import { endOnBrokenPipe, launchProgram, processClock, processInput, processSink } from "./process.ts";
import { runProgram } from "./program.ts";

endOnBrokenPipe(process.stdout);
const clock = processClock();
const network = await openNetwork(process.env);
process.exitCode = await runProgram(process.argv.slice(2), {
	environment: process.env,
	clock,
	credentials: createCredentials(getCredentialsPath(process.env), clock),
	input: processInput(process.stdin, process.stderr),
	stdout: processSink(process.stdout),
	stderr: processSink(process.stderr),
	fetch: network.fetch,
	openSocket: network.openSocket,
	launch: launchProgram,
	onSignal: (handler) => {
		process.on("SIGINT", handler);
		process.on("SIGTERM", handler);
	},
	exit: (code) => process.exit(code),
});
