/** `npm run demo` as a process, for tests. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { DEMO_DIST, type RunningProcess, runBuiltProgram } from "./process.ts";

export interface DemoLogin {
	readonly role: string;
	readonly username: string;
	readonly password: string;
}

/** A folder for the demo's data, which is removed after the tests of the file. */
export function useDemo() {
	let folder: string;
	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "weft demo "));
	});
	afterAll(() => rm(folder, { recursive: true, force: true }));

	const start = (args: string[]): RunningProcess =>
		runBuiltProgram("main", folder, { WEFT_PORT: "0" }, args, DEMO_DIST);
	const getMemoryPath = () => join(folder, "demo.json");
	return {
		start,
		/** The file in which the demo keeps its logins. */
		getMemoryPath,
		readLogins: async (): Promise<DemoLogin[]> => JSON.parse(await readFile(getMemoryPath(), "utf8")).logins,
		/** Runs a demo that ends after its story. Returns its output. */
		async runStory(...args: string[]): Promise<string> {
			const { ended, output } = start(["--exit", ...args]);
			expect(await ended, output.stderr).toBe(0);
			expect(output.stderr).toBe("");
			return output.stdout;
		},
	};
}

/** The line of the demo's last comparison, with the number of its new bridge domain. */
export const findBridgeDomainLine = (number: number): RegExp =>
	new RegExp(` 2 added, 0 deleted, 0 modified\\n {5}\\+ uni/tn-Retail-01/BD-bd-demo-${number} {2}\\(by automation\\)`);
