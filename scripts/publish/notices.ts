/** Adds the licences of the packages that a bundle contains. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
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

/** Writes `THIRD-PARTY.txt` beside the bundle. @throws Error if a package has no licence file */
export function bundleNotices(): Plugin {
	return {
		name: "weft-bundle-notices",
		generateBundle(_options, bundle) {
			const modules = Object.values(bundle).flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
			const folders = new Map<string, string>();
			for (const id of modules) {
				const [, folder, name] = PACKAGE.exec(id.replaceAll("\\", "/")) ?? [];
				if (folder !== undefined && name !== undefined) folders.set(name, folder);
			}
			const source = [...folders]
				.sort(([one], [other]) => (one < other ? -1 : 1))
				.map(([name, folder]) => `${name} ${versionOf(folder)}\n\n${licenceOf(name, folder)}\n`)
				.join(`\n${"-".repeat(80)}\n\n`);
			this.emitFile({ type: "asset", fileName: "THIRD-PARTY.txt", source });
		},
	};
}

const versionOf = (folder: string): string => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version;

function licenceOf(name: string, folder: string): string {
	const file = existsSync(folder)
		? readdirSync(folder).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry))
		: undefined;
	if (file === undefined) throw new Error(`The package ${name} has no licence file.`);
	return readFileSync(join(folder, file), "utf8").trim();
}
