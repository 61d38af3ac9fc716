/** Files of the service's package that are no programs: migrations, pages, package.json. */
import { existsSync } from "node:fs";

/**
 * The URL of a file or folder of the package, such as `migrations/`. Sources, compiled files and
 * the bundle lie at different depths, so the folder that holds `package.json` is looked for.
 * @throws Error if no folder above this file holds one
 */
export function getPackageFile(path: string): URL {
	let folder = new URL("./", import.meta.url);
	for (let last = ""; folder.href !== last; folder = new URL("../", folder)) {
		if (existsSync(new URL("package.json", folder))) return new URL(path, folder);
		last = folder.href;
	}
	throw new Error(`No folder above ${import.meta.url} holds a package.json.`);
}
