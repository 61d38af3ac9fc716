/**
 * Rows and values out of objects: those of a query's run, and those that differ between two
 * snapshots.
 */
import type { CellError, InputRow, SnapshotChange } from "@weft/contracts";

type Json = Record<string, unknown>;
const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * `{Class: {attributes}}` as a controller answers it; null for a flat row, which a post-processor
 * has made.
 */
function parseManagedObject(row: Json): { readonly className: string; readonly attributes: Json } | null {
	const [className, ...more] = Object.keys(row);
	if (className === undefined || more.length > 0) return null;
	const body = row[className];
	return isJson(body) && isJson(body.attributes) ? { className, attributes: body.attributes } : null;
}

/**
 * The attribute that `path` names, with or without the class; undefined where the object has none.
 */
export function attributeAt(object: unknown, path: string): unknown {
	if (!isJson(object)) return undefined;
	const found = parseManagedObject(object);
	const own = (of: Json, name: string) => (Object.hasOwn(of, name) ? of[name] : undefined);
	if (found === null) return own(object, path);
	const prefix = `${found.className}.`;
	return own(found.attributes, path.startsWith(prefix) ? path.slice(prefix.length) : path);
}

const getList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The objects of a run, in its order. */
export const listObjectsOfRun = (document: unknown): readonly unknown[] =>
	getList(isJson(document) ? document.imdata : undefined);

/** The objects of a comparison: by kind of change, each by its name. */
export function listObjectsOfComparison(document: unknown, changes: readonly SnapshotChange[]): unknown[] {
	const diff = isJson(document) && isJson(document.diff) ? document.diff : {};
	const shown = { added: "object", modified: "after", deleted: "object" } as const;
	return changes.flatMap((change) =>
		getList(diff[change]).flatMap((entry) => (isJson(entry) ? [entry[shown[change]]] : [])),
	);
}

interface TakenRows {
	readonly rows: readonly InputRow[];
	readonly problems: readonly CellError[];
}

/**
 * A row for each object. A column whose attribute no object has is a problem; where only some lack
 * it their cells stay empty.
 */
export function buildRowsOfObjects(
	objects: readonly unknown[],
	mapping: readonly (readonly [column: string, attribute: string])[],
	sheet: string | null,
): TakenRows {
	const met = new Set<string>();
	const rows = objects.map((object) => {
		const row: InputRow = {};
		for (const [column, attribute] of mapping) {
			const value = attributeAt(object, attribute);
			if (value === undefined) continue;
			met.add(column);
			Object.defineProperty(row, column, { value, enumerable: true, configurable: true, writable: true });
		}
		return row;
	});
	const missed = objects.length === 0 ? [] : mapping.filter(([column]) => !met.has(column));
	const problems = missed.map(([column, attribute]) => {
		const message = `None of the ${objects.length} objects has the attribute "${attribute}".`;
		return { row: null, column, value: null, message, sheet };
	});
	return { rows, problems };
}

/**
 * The values of one attribute over all objects, each once, in their order; null when there are more
 * than `max`.
 */
export function listValuesOfObjects(objects: readonly unknown[], attribute: string, max: number): string[] | null {
	const values = new Set<string>();
	for (const object of objects) {
		for (const value of [attributeAt(object, attribute)].flat()) {
			if (typeof value !== "string" && typeof value !== "number") continue;
			values.add(String(value));
			if (values.size > max) return null;
		}
	}
	return [...values];
}
