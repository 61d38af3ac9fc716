/** Paths of exported files. They follow from the names, so that each export gives the same. */
import { createHash } from "node:crypto";
import type { FileKind } from "@weft/contracts";
import { buildSlug } from "@weft/contracts/slug";

const FOLDERS: Readonly<Record<FileKind, string>> = {
	query: "queries",
	schedule: "schedules",
	check: "checks",
	connection: "connections",
	change_plan: "plans",
	calendar_entry: "calendar",
};
const DIGEST_LENGTH = 8;

/**
 * Gives out paths, each once. The first object with a slug gets the plain path, others with the
 * same slug get a digest of their name.
 */
export function createPaths() {
	const used = new Set<string>();
	return (kind: FileKind, name: string): string => {
		const slug = buildSlug(name);
		const digest = createHash("sha256").update(name).digest("hex").slice(0, DIGEST_LENGTH);
		let path = `${FOLDERS[kind]}/${slug}.yaml`;
		for (let number = 1; used.has(path); number++) {
			path = `${FOLDERS[kind]}/${slug}-${digest}${number === 1 ? "" : `-${number}`}.yaml`;
		}
		used.add(path);
		return path;
	};
}
