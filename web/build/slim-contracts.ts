/**
 * The browser's part of @weft/contracts: methods, paths and constants without schemas. Types come
 * from the package at compile time, so the client is fully typed without shipping validation. Each
 * export is a module, so that a page loads only the routes it calls.
 */
import type { Plugin } from "vite";

const ID = "\0weft-contracts";

export function slimContracts(): Plugin {
	return {
		name: "weft-slim-contracts",
		enforce: "pre",
		resolveId: (source) => (source === "@weft/contracts" ? ID : source.startsWith(`${ID}/`) ? source : null),
		async load(id) {
			if (id !== ID && !id.startsWith(`${ID}/`)) return null;
			const contracts: Record<string, unknown> = await import("@weft/contracts");
			if (id === ID)
				return Object.entries(contracts)
					.filter(([, value]) => slim(value) !== undefined)
					.map(([name]) => `export { ${name} } from ${JSON.stringify(`${ID}/${name}`)};`)
					.join("\n");
			const name = id.slice(ID.length + 1);
			const text = JSON.stringify(JSON.stringify(slim(contracts[name])));
			return { code: `export const ${name} = /* @__PURE__ */ JSON.parse(${text});`, moduleSideEffects: false };
		},
	};
}

/** A value without its schemas and functions; undefined where nothing is left. */
function slim(value: unknown): unknown {
	if (typeof value === "function") return undefined;
	if (typeof value !== "object" || value === null) return value;
	if ("_zod" in value) return undefined;
	if (Array.isArray(value)) return value.every((item) => typeof item !== "object") ? value : undefined;
	if (isRoute(value)) {
		const { id, method, path, auth } = value;
		return { id, method, path, auth };
	}
	if (isChannel(value)) {
		const { path, final } = value;
		return { path, frames: Object.fromEntries(Object.keys(value.frames).map((type) => [type, true])), final };
	}
	const fields = Object.entries(value).flatMap(([key, field]) => {
		const kept = slim(field);
		return kept === undefined ? [] : [[key, kept] as const];
	});
	return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

interface RouteLike {
	id: string;
	method: string;
	path: string;
	auth: string;
}
const isRoute = (value: object): value is RouteLike => "method" in value && "path" in value && "auth" in value;
const isChannel = (value: object): value is { path: string; frames: object; final: readonly string[] } =>
	"frames" in value && "path" in value;
