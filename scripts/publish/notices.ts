/** Adds the licences of the packages that a bundle contains. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** Adds the project's own licence, a file that npm takes from the package's folder only. */
export function bundleLicence(): Plugin {
	return {
		name: "weft-bundle-licence",
		generateBundle() {
			const source = readFileSync(join(import.meta.dirname, "../../LICENSE"), "utf8");
			this.emitFile({ type: "asset", fileName: "LICENSE", source });
		},
	};
}

const PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/**
 * Writes `THIRD-PARTY.txt` beside the bundle.
 * @param others packages whose files are in the bundle but are no modules, such as fonts
 * @throws Error if a package neither has a licence file nor states its licence
 */
export function bundleNotices(others: readonly string[] = []): Plugin {
	return {
		name: "weft-bundle-notices",
		generateBundle(_options, bundle) {
			const modules = Object.values(bundle).flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
			const modulesFolder = join(import.meta.dirname, "../../node_modules");
			const folders = new Map(others.map((name) => [name, join(modulesFolder, name)]));
			for (const id of modules) {
				const [, folder, name] = PACKAGE.exec(id.replaceAll("\\", "/")) ?? [];
				if (folder !== undefined && name !== undefined) folders.set(name, folder);
			}
			const source = [...folders]
				.sort(([one], [other]) => (one < other ? -1 : 1))
				.map(([name, folder]) => `${name} ${getVersion(folder)}\n\n${getLicence(name, folder)}\n`)
				.join(`\n${"-".repeat(80)}\n\n`);
			this.emitFile({ type: "asset", fileName: "THIRD-PARTY.txt", source });
		},
	};
}

interface Manifest {
	readonly version: string;
	readonly license?: string;
	readonly author?: string | { readonly name: string };
}

const getManifest = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

const getVersion = (folder: string): string => getManifest(folder).version;

function getLicence(name: string, folder: string): string {
	const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry));
	if (file !== undefined) return readFileSync(join(folder, file), "utf8").trim();
	const { license, author } = getManifest(folder);
	if (license === undefined) throw new Error(`The package ${name} has no licence.`);
	const by = typeof author === "object" ? author.name : author;
	return `${license}, stated without its text${by === undefined ? "" : ` by ${by}`}`;
}
