/**
 * What the demo remembers beside the service's data, in `demo.json`: the logins, and every change
 * of the simulated fabrics, so that these come up as the service saw them last.
 */
import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DemoLogin } from "@weft/contracts";
import { eraseDataFolder } from "@weft/server";

/** A change of a fabric, at a moment in milliseconds since 1970. */
export type FabricChange =
	| {
			readonly kind: "drift";
			readonly at: number;
			readonly fabric: number;
			readonly steps: number;
			readonly rate: number;
	  }
	| {
			readonly kind: "write";
			readonly at: number;
			readonly fabric: number;
			/** Name of the fabric's user who writes. */
			readonly user: string;
			readonly dn: string;
			readonly body: object;
	  }
	| {
			readonly kind: "state";
			readonly at: number;
			readonly fabric: number;
			/** Objects that the fabric itself changes, such as the state of a port. */
			readonly objects: readonly object[];
	  };

interface Remembered {
	/** Of the file's form. A demo with another one starts anew. */
	readonly form: number;
	/** `making` until the data is complete: a demo that was ended before starts anew. */
	state: "making" | "ready";
	readonly logins: readonly DemoLogin[];
	readonly changes: FabricChange[];
	/** The newest job of the automation server; 0: none. */
	lastJob: number;
	/** Changes that the story has launched. */
	launches: number;
}

export interface Memory {
	readonly data: Remembered;
	/** Folder of the service's data. */
	readonly serviceFolder: string;
	/** Whether the data of an earlier demo is used. */
	readonly isResumed: boolean;
	/** Writes the file. Calls are carried out one after the other. */
	save(): Promise<void>;
}

const FORM = 3;
const PASSWORD_BYTES = 12;

/** Reads the memory in a folder, or begins a new one. Throws if another process uses the data. */
export async function openMemory(folder: string, reset: boolean, people: readonly Omit<DemoLogin, "password">[]) {
	const file = join(folder, "demo.json");
	const serviceFolder = join(folder, "service");
	const known = reset ? null : await readMemory(file);
	if (known === null) {
		await eraseDataFolder(serviceFolder);
		await rm(file, { force: true });
	}
	const data: Remembered = known ?? {
		form: FORM,
		state: "making",
		logins: people.map((person) => ({ ...person, password: randomBytes(PASSWORD_BYTES).toString("base64url") })),
		changes: [],
		lastJob: 0,
		launches: 0,
	};
	await mkdir(folder, { recursive: true });
	let written = Promise.resolve();
	const memory: Memory = {
		data,
		serviceFolder,
		isResumed: known !== null,
		save() {
			written = written.then(() => replaceFile(file, `${JSON.stringify(data, null, "\t")}\n`));
			return written;
		},
	};
	// The memory of a demo that runs is its own to write: whether one runs is known only later.
	if (known === null) await memory.save();
	return memory;
}

/** Null where there is no complete memory. */
async function readMemory(file: string): Promise<Remembered | null> {
	try {
		const found = JSON.parse(await readFile(file, "utf8")) as Remembered;
		return found.form === FORM && found.state === "ready" ? found : null;
	} catch {
		return null;
	}
}

async function replaceFile(file: string, text: string): Promise<void> {
	await rm(`${file}.new`, { force: true });
	await writeFile(`${file}.new`, text, { mode: 0o600 });
	await rename(`${file}.new`, file);
}
