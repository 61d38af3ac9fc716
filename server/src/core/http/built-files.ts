/** Files of a build that the service sends: read whole, and how a browser may store them. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** Contents by path below the folder, with slashes; empty where there is no such folder. */
export async function readBuild(folder: string): Promise<Map<string, Buffer>> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
	const contents = new Map<string, Buffer>();
	for (const entry of entries) {
		if (!entry.isFile()) continue;
		const path = join(entry.parentPath, entry.name);
		contents.set(relative(folder, path).split(sep).join("/"), await readFile(path));
	}
	return contents;
}

export const computeEtag = (content: Buffer): string =>
	`"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;

/** Content types by the end of a name. */
export const BUILT_TYPES: Readonly<Record<string, string>> = {
	".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
	".woff2": "font/woff2",
	".png": "image/png",
};

/** Files in assets/ have a hash of their content in their name, so that they never change. */
export const getCaching = (path: string): string =>
	path.startsWith("assets/") ? "public, max-age=31536000, immutable" : "no-cache";
