/**
 * The simulated publishing site: class documents (`jsonmeta`) for each version key, as the vendor
 * of Cisco ACI publishes them. Documents are generated on request; a folder of real documents takes
 * precedence.
 */
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createFaults, FaultError, type FaultSetting } from "../controller/faults.ts";
import { createStats, type StatsReport } from "../controller/stats.ts";
import { createLibrary, type DocumentOptions } from "./document.ts";
import { SOURCE_FAULTS, type SourceFault } from "./faults.ts";
import { buildGraph, qualifyName, splitClassName } from "./graph.ts";
import { createListener } from "./listener.ts";

export interface ModelSourceOptions {
	/** 0 takes any free port. */
	readonly port?: number;
	readonly host?: string;
	readonly seed?: number;
	/** How many classes are published; default 2,000. 0: the real documents alone. */
	readonly classes?: number;
	/** Properties of a made-up class; default 20. */
	readonly properties?: number;
	/** Forms of DN of annotations and of tags; default 60,000. */
	readonly dnFormats?: number;
	/** Version keys, the newest first. */
	readonly keys?: readonly string[];
	/** Folder of real documents (`fvTenant.json`), served under every key before generated ones. */
	readonly documents?: string;
}

export type SourceFaultSettings = { readonly [name in SourceFault]?: FaultSetting | boolean };

export interface RunningModelSource {
	readonly url: string;
	readonly keys: readonly string[];
	/** The class from which all others are found. */
	readonly root: string;
	/** Every class that has a document under a key. */
	published(key: string): string[];
	/** A document as it is served; null where there is none. */
	document(key: string, name: string): string | null;
	/** @throws FaultError naming the known faults for an unknown one */
	setFaults(settings: SourceFaultSettings): void;
	clearFaults(): void;
	stats(): StatsReport;
	resetStats(): void;
	close(): Promise<void>;
}

/** Documents that are kept ready; the others are made again. */
const KEPT = 40_000;
const SMALLEST = 20;

export async function startModelSource(options: ModelSourceOptions = {}): Promise<RunningModelSource> {
	const { seed = 1, classes = 2_000, host = "127.0.0.1", keys = ["611", "601", "521"] } = options;
	const faults = createFaults(seed, SOURCE_FAULTS);
	const stats = createStats();
	const graph = buildGraph(classes === 0 ? 0 : Math.max(SMALLEST, classes), seed);
	const library = createLibrary(graph);
	const real = options.documents === undefined ? new Map<string, string>() : await readDocuments(options.documents);

	function findDocument(key: string, name: string): string | null {
		const age = keys.indexOf(key);
		if (age < 0) return null;
		const known = real.get(name);
		if (known !== undefined) return known;
		if (classes === 0) return null;
		const made = library.document(name, settings(age));
		return made === null ? null : JSON.stringify(made, null, 4);
	}
	const settings = (age: number): DocumentOptions => ({
		seed,
		properties: options.properties ?? 20,
		dnFormats: options.dnFormats ?? 60_000,
		age,
	});

	/** The compact index of all classes, which the site has beside the documents. */
	function buildIndex(key: string): string | null {
		if (!keys.includes(key)) return null;
		const entries = [...graph.nodes.values()].map((node) => [
			node.name,
			{
				contains: Object.fromEntries(node.children.map((child) => [child, ""])),
				identifiedBy: node.naming,
				isAbstract: node.abstract,
				isConfigurable: node.configurable,
				isContextRoot: node.contextRoot,
				rnFormat: node.rn,
			},
		]);
		return JSON.stringify({ classes: Object.fromEntries(entries) });
	}

	const report = () => stats.report({ sessions: 0, objects: graph.nodes.size + real.size, faults: faults.fired() });
	const listener = createListener({ document: findDocument, index: buildIndex, faults, stats, report, kept: KEPT });
	const server = createServer({ keepAliveTimeout: 65_000 }, listener);
	await new Promise<void>((resolve, reject) => {
		server.once("error", reject);
		server.listen(options.port ?? 0, host, resolve);
	});
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
		keys,
		root: graph.root,
		published: (key) =>
			[...new Set([...real.keys(), ...(classes === 0 ? [] : graph.nodes.keys())])].filter(
				(name) => real.has(name) || library.isPublished(name, Math.max(0, keys.indexOf(key))),
			),
		document: findDocument,
		setFaults: (given) => faults.set(given),
		clearFaults: () => faults.clear(),
		stats: report,
		resetStats: () => stats.reset(),
		async close() {
			const closed = new Promise<void>((resolve) => server.close(() => resolve()));
			server.closeAllConnections();
			await closed;
		},
	};
}

async function readDocuments(folder: string): Promise<Map<string, string>> {
	const found = new Map<string, string>();
	for (const file of await readdir(folder)) {
		const name = file.replace(/\.json$/, "");
		if (file === name || splitClassName(name) === null) continue;
		const text = await readFile(join(folder, file), "utf8");
		if (!text.includes(`"${qualifyName(name)}"`))
			throw new FaultError(`${join(folder, file)} is no document of ${name}`);
		found.set(name, text);
	}
	return found;
}
