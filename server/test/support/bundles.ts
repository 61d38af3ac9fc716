/** Builds the published packages, whose bundles tests run, if their sources are newer. */
import { execFileSync } from "node:child_process";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const SOURCES = ["contracts/src", "sdk", "cli", "server", "scripts/publish"];
const BUNDLES = { sdk: "sdk/bundle/index.js", cli: "cli/bundle/weft.js", server: "server/bundle/main.js" };

export async function buildBundles(): Promise<void> {
	const changed = Math.max(...(await Promise.all(SOURCES.map(findNewestIn))));
	for (const [name, file] of Object.entries(BUNDLES)) {
		const built = await stat(join(root, file)).then(
			({ mtimeMs }) => mtimeMs,
			() => 0,
		);
		if (built > changed) continue;
		const vite = join(root, "node_modules/vite/bin/vite.js");
		execFileSync(process.execPath, [vite, "build", name, "--logLevel", "warn"], { cwd: root, stdio: "inherit" });
	}
}

/** When a file of the folder was changed last, in milliseconds since 1970; of sources only. */
async function findNewestIn(folder: string): Promise<number> {
	const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
	const files = entries
		.filter((entry) => entry.isFile() && !/[\\/](node_modules|dist|bundle|test)([\\/]|$)/.test(entry.parentPath))
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((path) => !path.endsWith(".tsbuildinfo"));
	return Math.max(...(await Promise.all(files.map(async (path) => (await stat(path)).mtimeMs))));
}
