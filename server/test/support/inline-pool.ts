/** Runs the tasks of a worker pool in this process, where tests count their work. */
import type { WorkerPool } from "../../src/core/workers/pool.ts";
import type { Tasks } from "../../src/core/workers/serve.ts";

export function createInlinePool<Served extends Tasks>(tasks: Served): WorkerPool<Served> {
	const run = async (name: string, input: unknown) => {
		const task = tasks[name] as ((input: unknown) => ReturnType<Served[string]>) | undefined;
		if (task === undefined) throw new Error(`There is no task ${name}`);
		return (await task(structuredClone(input))).value;
	};
	return { run: run as WorkerPool<Served>["run"], close: async () => undefined };
}
