/**
 * Documents from a folder: `fv/Tenant.json` or `fvTenant.json`, at any depth; below `611/` or
 * `model-doc-611/` for that version alone.
 */
import { readdir, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { ModelSourceError, type OpenSource, splitClassName } from "./port.ts";

const MAX_BYTES = 256 * 1024 * 1024;
/** Stands for documents that lie below no version's folder: they are everybody's. */
const ANY = "";

export async function openFolder(path: string, chain: readonly string[]): Promise<OpenSource> {
	const files = await readdir(path, { recursive: true }).catch((error: Error) => {
		throw new ModelSourceError(`The folder ${path} cannot be read: ${error.message}`);
	});
	const byKey = new Map<string, Map<string, string>>();
	for (const file of files) {
		const found = getClass(file.split(sep));
		if (found === null) continue;
		const names = byKey.get(found.key) ?? new Map<string, string>();
		byKey.set(found.key, names.set(found.name, file));
	}
	const known = [...new Set([...chain, ANY])].flatMap((key) => [...(byKey.get(key)?.keys() ?? [])]);
	if (known.length === 0) {
		throw new ModelSourceError(
			`The folder ${path} holds no class documents (such as fv/Tenant.json) of ${chain.join(" or ")}.`,
		);
	}

	return {
		seeds: [...new Set(known)],
		async fetch(className, signal) {
			const attempted: string[] = [];
			for (const key of chain) {
				signal.throwIfAborted();
				attempted.push(key);
				const file = byKey.get(key)?.get(className) ?? byKey.get(ANY)?.get(className);
				if (file === undefined) continue;
				const attempt = { attempted, status: null, retries: 0 };
				try {
					const body = await readFile(join(path, file), { signal });
					if (body.length > MAX_BYTES) return { ...attempt, kind: "failed", message: "the file is too large" };
					return { ...attempt, kind: "found", key, body, encoding: "identity" };
				} catch (error) {
					signal.throwIfAborted();
					return { ...attempt, kind: "failed", message: `${file} cannot be read: ${(error as Error).message}` };
				}
			}
			return { attempted, status: null, retries: 0, kind: "missing" };
		},
		close: async () => {},
	};
}

/** Which class and version a file is of; null for files that are no documents. */
function getClass(parts: readonly string[]): { key: string; name: string } | null {
	const short = parts.at(-1)?.match(/^(\w+)\.json$/)?.[1];
	if (short === undefined) return null;
	const whole = splitClassName(short) !== null ? short : `${parts.at(-2) ?? ""}${short}`;
	if (splitClassName(whole) === null) return null;
	const key = parts
		.map((part) => /^(?:model-doc-)?(\d\w*|latest)$/.exec(part)?.[1])
		.find((found) => found !== undefined);
	return { key: key ?? ANY, name: whole };
}
