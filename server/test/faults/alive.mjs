/** Loaded into the processes of the fault tests: at SIGUSR2 says on standard error how many bytes are alive after a collection of garbage. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
process.on("SIGUSR2", () => {
	collect();
	const { heapUsed, external } = process.memoryUsage();
	process.stderr.write(`alive ${heapUsed + external}\n`);
});
