/**
 * Compares two models: classes and their properties. Only entries whose bytes differ are parsed.
 */
import type { ClassChange } from "@weft/contracts";
import { flag } from "./flags.ts";
import type { Model } from "./model.ts";

type Fields = ClassChange["fields"];
type PropertyChanges = ClassChange["properties"];

/** Where the documents were taken from is no change of the class. */
const IGNORED = new Set(["name", "source_version"]);

/** By name. A class that is only named counts as absent. */
export function compareModels(from: Model, to: Model): ClassChange[] {
	const changes: ClassChange[] = [];
	let [before, after] = [findNext(from, -1), findNext(to, -1)];
	while (before < from.count || after < to.count) {
		const left = before < from.count ? from.name(before) : null;
		const right = after < to.count ? to.name(after) : null;
		if (right === null || (left !== null && left < right)) {
			changes.push(buildClassChange(from, before, "removed"));
			before = findNext(from, before);
		} else if (left === null || right < left) {
			changes.push(buildClassChange(to, after, "added"));
			after = findNext(to, after);
		} else {
			const change = getChange(from, before, to, after);
			if (change !== null) changes.push(change);
			before = findNext(from, before);
			after = findNext(to, after);
		}
	}
	return changes;
}

function findNext(model: Model, id: number): number {
	let next = id + 1;
	while (next < model.count && !model.is(next, flag.published)) next++;
	return next;
}

const buildClassChange = (model: Model, id: number, change: "added" | "removed"): ClassChange => ({
	name: model.name(id),
	package: model.pkg(id),
	change,
	fields: [],
	properties: Array.from(model.properties(id), (definition) => ({
		property: model.propertyName(definition),
		change,
		fields: [],
	})),
});

function getChange(from: Model, before: number, to: Model, after: number): ClassChange | null {
	const fields = headChanges(from, before, to, after);
	const properties = listPropertyChanges(from, before, to, after);
	if (fields.length === 0 && properties.length === 0) return null;
	return { name: to.name(after), package: to.pkg(after), change: "changed", fields, properties };
}

function headChanges(from: Model, before: number, to: Model, after: number): Fields {
	const [left, right] = [from.head(before), to.head(after)];
	const found =
		left === null || right === null || left.equals(right) ? [] : diffFields(parseObject(left), parseObject(right));
	for (const [field, of] of [
		["contained_classes", (model: Model, id: number) => getNames(model, model.contains(id))],
		["containers", (model: Model, id: number) => getNames(model, model.containers(id))],
		["associations", listAssociations],
		["dn_formats", (model: Model, id: number) => model.dns(id, 0, model.dnCount(id))],
	] as const) {
		const change = listChange(field, of(from, before), of(to, after));
		if (change !== null) found.push(change);
	}
	return found;
}

const parseObject = (json: Buffer): Record<string, unknown> => JSON.parse(json.toString());
const getNames = (model: Model, ids: Uint32Array): string[] => Array.from(ids, (id) => model.name(id));

function listAssociations(model: Model, id: number): string[] {
	const [toVia, fromVia] = [model.toVia(id), model.fromVia(id)];
	return [
		...Array.from(model.to(id), (end, i) => `${model.name(toVia[i] ?? 0)} to ${model.name(end)}`),
		...Array.from(model.from(id), (end, i) => `${model.name(fromVia[i] ?? 0)} from ${model.name(end)}`),
	];
}

/** Lists only the items that one side lacks. Null if both sides have the same items. */
function listChange(field: string, from: readonly string[], to: readonly string[]): Fields[number] | null {
	const [left, right] = [new Set(from), new Set(to)];
	const gone = from.filter((item) => !right.has(item));
	const come = to.filter((item) => !left.has(item));
	return gone.length === 0 && come.length === 0 ? null : { field, from: gone, to: come };
}

function listPropertyChanges(from: Model, before: number, to: Model, after: number): PropertyChanges {
	const left = new Map(
		Array.from(from.properties(before), (definition) => [from.propertyName(definition), definition]),
	);
	const found: PropertyChanges = [];
	for (const definition of to.properties(after)) {
		const property = to.propertyName(definition);
		const known = left.get(property);
		left.delete(property);
		if (known === undefined) found.push({ property, change: "added", fields: [] });
		else {
			const [was, is] = [from.definitions.part(known), to.definitions.part(definition)];
			if (!was.equals(is)) {
				const fields = diffFields(parseObject(was), parseObject(is));
				if (fields.length > 0) found.push({ property, change: "changed", fields });
			}
		}
	}
	for (const property of left.keys()) found.push({ property, change: "removed", fields: [] });
	return found.sort((a, b) => (a.property < b.property ? -1 : 1));
}

function diffFields(from: Record<string, unknown>, to: Record<string, unknown>): Fields {
	const fields = new Set([...Object.keys(from), ...Object.keys(to)]);
	return [...fields]
		.filter((field) => !IGNORED.has(field) && JSON.stringify(from[field]) !== JSON.stringify(to[field]))
		.map((field) => ({ field, from: from[field] ?? null, to: to[field] ?? null }));
}
