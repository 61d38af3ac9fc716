/** The packages that npm would publish. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const execute = promisify(execFile);
export const root = fileURLToPath(new URL("../../..", import.meta.url));
export const npm = process.platform === "win32" ? "npm.cmd" : "npm";
/** Settings for an npm that installs a packed package. */
export const NPM_SETTINGS = {
	npm_config_audit: "false",
	npm_config_fund: "false",
	npm_config_ignore_scripts: "true",
	npm_config_prefer_offline: "true",
	npm_config_loglevel: "error",
	npm_config_update_notifier: "false",
};

/** Packs a workspace into a folder. */
export async function packWorkspace(workspace: string, folder: string): Promise<{ tarball: string; files: string[] }> {
	const { stdout } = await execute(npm, ["pack", "--json", "--pack-destination", folder], {
		cwd: join(root, workspace),
	});
	const [packed] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
	const name = packed?.filename.replace("@", "").replace("/", "-") ?? "";
	return { tarball: join(folder, name), files: packed?.files.map(({ path }) => path) ?? [] };
}
