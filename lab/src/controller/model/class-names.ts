/** Names of classes: the packed list is unpacked when a name outside the tables is looked up. */
import { brotliDecompressSync } from "node:zlib";
import { PACKED_NAMES } from "./packed-names.ts";
import { UNLISTED_NAMES } from "./unlisted-names.ts";

export interface ClassNames {
	/** Whether a release of the controller has a class of this name. */
	has(name: string): boolean;
}

export function createClassNames(): ClassNames {
	let names: ReadonlySet<string> | null = null;
	return {
		has(name) {
			if (!/^[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*$/.test(name)) return false;
			names ??= unpack();
			return names.has(name);
		},
	};
}

/**
 * Each line holds the length of the beginning that it shares with the line before, as one digit of
 * base 36, and the rest of the name.
 */
function unpack(): ReadonlySet<string> {
	const found = new Set<string>(UNLISTED_NAMES);
	let before = "";
	for (const line of brotliDecompressSync(Buffer.from(PACKED_NAMES.join(""), "base64"))
		.toString("utf8")
		.split("\n")) {
		before = before.slice(0, Number.parseInt(line[0] ?? "0", 36)) + line.slice(1);
		found.add(before);
	}
	return found;
}
