/**
 * Names of classes: the packed list is unpacked when a name outside the tables is looked up.
 *
 * The list has the names that configurations, documents and clients show. The model has more than
 * twice as many, generated from its policies: a statistic for each counter and interval, relations,
 * tasks, resolved definitions. Nobody writes those names, so that no list of seen names has all of
 * them: they are known by the rule of their kind, in packages of the list.
 */
import { brotliDecompressSync } from "node:zlib";
import { PACKED_NAMES } from "./packed-names.ts";
import { UNLISTED_NAMES } from "./unlisted-names.ts";

/** Relations; statistics; tasks; resolved definitions; counters of a protocol. */
const GENERATED =
	/^[a-z][a-z0-9]*(R[st][A-Z]\w*|[A-Z]\w*(5min|15min|1h|1d|1w|1mo|1qtr|1year)|[A-Z]\w*(Task|Def|Stats))$/;
/** The root of a protocol or a component on a switch, at most one for a package. */
const ENTITY = /^[a-z][a-z0-9]*Entity$/;

const getPackage = (name: string): string => /^[a-z][a-z0-9]*/.exec(name)?.[0] ?? "";

export interface ClassNames {
	/** Whether a release of the controller has a class of this name. */
	has(name: string): boolean;
}

export function createClassNames(): ClassNames {
	let names: ReadonlySet<string> | null = null;
	let packages: ReadonlySet<string> | null = null;
	let tasks: readonly string[] | null = null;
	return {
		has(name) {
			if (!/^[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*$/.test(name)) return false;
			names ??= unpackNames();
			if (names.has(name) || ENTITY.test(name)) return true;
			packages ??= new Set([...names].map(getPackage));
			if (GENERATED.test(name)) return packages.has(getPackage(name));
			// A task is called after its class: vxlanCktEpClearEpLTask clears a vxlanCktEp.
			tasks ??= [...names].filter((known) => known.endsWith("LTask"));
			return tasks.some((task) => task.startsWith(name) && /^[A-Z]\w*[A-Z]\w*LTask$/.test(task.slice(name.length)));
		},
	};
}

/**
 * Each line holds the length of the beginning that it shares with the line before, as one digit of
 * base 36, and the rest of the name.
 */
function unpackNames(): ReadonlySet<string> {
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
