/** A digest of the sources of a build, by which it is known whether they changed since. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";

/**
 * Returns the digest of the paths below `root` and the contents of all files at these places. A copy
 * of the tree has the same digest, wherever it is and whatever its files' times are.
 */
export function hashSources(root, places) {
	const hash = createHash("sha256");
	const visit = (path) => {
		if (statSync(path).isDirectory()) {
			for (const name of readdirSync(path).sort()) visit(join(path, name));
			return;
		}
		const content = readFileSync(path);
		hash.update(`${relative(root, path).split(sep).join("/")}:${content.length}\n`).update(content);
	};
	for (const place of places) visit(place);
	return hash.digest("hex");
}
