/**
 * Rows are objects of the controller, `{Class: {attributes: {…}, children?: […]}}`, or flat objects
 * after a post-processor. Both can be read by dotted path.
 */
import { isRecord } from "./json.ts";

export type Row = Record<string, unknown>;
export interface ManagedObject {
	className: string;
	attributes: Record<string, unknown>;
	children: Row[];
}

/** Undefined for a flat row. */
export function readManagedObject(row: Row): ManagedObject | undefined {
	const keys = Object.keys(row);
	const [className] = keys;
	if (className === undefined || keys.length !== 1) return undefined;
	const body = row[className];
	if (!isRecord(body) || !isRecord(body.attributes)) return undefined;
	return {
		className,
		attributes: body.attributes,
		children: Array.isArray(body.children) ? body.children.filter(isRecord) : [],
	};
}

/**
 * The attributes of an object of a class, or the fields of a flat row. Faster than
 * `readManagedObject`, which evaluations of many rules over many rows notice.
 */
export function listAttributes(row: Row): Record<string, unknown> {
	let only: unknown;
	for (const key in row) {
		if (only !== undefined) return row;
		only = row[key] ?? null;
	}
	return isRecord(only) && isRecord(only.attributes) ? only.attributes : row;
}

export function getDn(row: Row): string | undefined {
	const dn = readManagedObject(row)?.attributes.dn ?? row.dn;
	return typeof dn === "string" && dn !== "" ? dn : undefined;
}

export const getAttribute =
	(row: Row) =>
	(property: string): string | undefined => {
		const attributes = readManagedObject(row)?.attributes ?? row;
		const value = Object.hasOwn(attributes, property) ? attributes[property] : undefined;
		return typeof value === "string" ? value : undefined;
	};

/**
 * The values at a dotted path, in order; several where it passes through `children` or a list. On
 * an object of a class: `name`, `attributes.name`, `fvBD.name`, `class`,
 * `children.fvRsCtx.tnFvCtxName`. On a flat row: its own key first, dots and all, then step by
 * step.
 */
export function readValuesAt(row: Row, path: string): unknown[] {
	const object = readManagedObject(row);
	if (!object) return walkPath(row, path);
	if (path === "class") return [object.className];
	const steps = path.split(".");
	const [first = "", ...rest] = steps;
	if (first === "children" || (first === object.className && rest[0] === "children")) {
		return findDescendants(object, first === "children" ? rest : rest.slice(1));
	}
	const named = first === object.className || first === "attributes" ? rest : steps;
	const own = named[0] === "attributes" ? named.slice(1) : named;
	return own.length === 0 ? [] : walkPath(object.attributes, own.join("."));
}

function findDescendants(object: ManagedObject, steps: string[]): unknown[] {
	const [className, ...rest] = steps;
	if (className === undefined) return [];
	return object.children.flatMap((child) => {
		const inner = readManagedObject(child);
		if (!inner || (inner.className !== className && className !== "*")) return [];
		return rest.length === 0 ? [child] : readValuesAt(child, rest.join("."));
	});
}

/**
 * The row with each value at a path through `children` replaced. Undefined for a path that does not
 * lead to children, or without such a value.
 */
export function changeBelow(row: Row, path: string, change: (value: unknown) => unknown): Row | undefined {
	const object = readManagedObject(row);
	const [first = "", ...rest] = path.split(".");
	const steps = first === object?.className && rest[0] === "children" ? rest.slice(1) : rest;
	if (object === undefined || (first !== "children" && steps === rest)) return undefined;
	const [className, ...below] = steps;
	const named = below[0] === "attributes" ? below.slice(1) : below;
	if (className === undefined || named.length === 0) return undefined;
	let found = false;
	const body = row[object.className] as { readonly children?: unknown };
	const children = (Array.isArray(body.children) ? body.children : []).map((child: unknown) => {
		const inner = isRecord(child) ? readManagedObject(child) : undefined;
		if (inner === undefined || (inner.className !== className && className !== "*")) return child;
		const changed = changeChild(child as Row, inner, named, change);
		found ||= changed !== undefined;
		return changed ?? child;
	});
	return found ? { [object.className]: { ...body, children } } : undefined;
}

function changeChild(
	child: Row,
	{ className, attributes }: ManagedObject,
	named: readonly string[],
	change: (value: unknown) => unknown,
): Row | undefined {
	if (named[0] === "children") return changeBelow(child, named.join("."), change);
	const name = named.join(".");
	if (!Object.hasOwn(attributes, name)) return undefined;
	const value = attributes[name];
	const changed = Array.isArray(value) ? value.map(change) : change(value);
	return { [className]: { ...(child[className] as object), attributes: { ...attributes, [name]: changed } } };
}

function walkPath(value: unknown, path: string): unknown[] {
	if (Array.isArray(value)) return value.flatMap((entry) => walkPath(entry, path));
	if (!isRecord(value)) return [];
	if (Object.hasOwn(value, path)) return wrapInList(value[path]);
	const dot = path.indexOf(".");
	const key = dot < 0 ? path : path.slice(0, dot);
	return dot >= 0 && Object.hasOwn(value, key) ? walkPath(value[key], path.slice(dot + 1)) : [];
}

const wrapInList = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);
