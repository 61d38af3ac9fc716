/** `npm run admin -- COMMAND` as a process. */
import { runAdmin } from "./admin-commands.ts";

/** After this the process ends, whatever is still open. */
const END_MS = 5_000;

process.exitCode = await runAdmin(process.argv.slice(2), {
	environment: process.env,
	writeOutput: (text) => process.stdout.write(text),
	writeError: (text) => process.stderr.write(text),
});
setTimeout(() => process.exit(), END_MS).unref();
