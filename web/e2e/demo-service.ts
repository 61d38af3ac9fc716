/** A fresh demo as a process, in a folder of its own. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startProgram, waitForOutput } from "../../server/test/support/spawned.ts";

const main = fileURLToPath(new URL("../../demo/dist/main.js", import.meta.url));
/** Upper bound for a demo on a busy machine, in milliseconds. */
export const DEMO_MS = 600_000;

export interface Demo {
	readonly url: string;
	/** Ends the process, and deletes its data. */
	close(): Promise<void>;
}

/** Starts a demo, and waits for its data. Rejects if the demo ends before. */
export async function startDemo(): Promise<Demo> {
	const folder = await mkdtemp(join(tmpdir(), "weft-web-demo-"));
	const program = startProgram(process.execPath, [main], { environment: { WEFT_DATA_DIR: folder, WEFT_PORT: "0" } });
	const { child } = program;
	const close = async () => {
		if (child.exitCode === null) {
			child.kill("SIGTERM");
			await once(child, "close");
		}
		await rm(folder, { recursive: true, force: true });
	};
	try {
		const [, url = ""] = await waitForOutput(program, /Open +(http:\S+?)\/\n/);
		return { url, close };
	} catch (error) {
		await close();
		throw error;
	}
}
