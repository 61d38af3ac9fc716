/** What can be said about using a class, worked out from the model alone. */
import { flag } from "./flags.ts";
import type { Model } from "./model.ts";
import { findWayTo, listChildren } from "./tree.ts";

interface ClassInsights {
	readonly dnPattern: string;
	readonly exampleDn: string;
	readonly method: "dn" | "class" | "parent" | "sub_classes";
	readonly required: readonly string[];
	readonly configurable: readonly string[];
	readonly children: readonly number[];
	readonly notes: readonly string[];
}

const CHILDREN = 10;

export function buildInsights(model: Model, id: number): ClassInsights {
	const way = findWayTo(model, id);
	const dnPattern = buildPattern(model, id, way);
	const properties = Array.from(model.properties(id));
	const named = (bit: number) =>
		properties
			.filter((definition) => model.propertyIs(definition, bit))
			.map((definition) => model.propertyName(definition));
	const naming = model.naming(id);
	return {
		dnPattern,
		exampleDn: model.is(id, flag.abstract) ? "" : buildExample(model, way, dnPattern),
		method: getMethod(model, id, naming),
		required: named(flag.required),
		configurable: named(flag.settable),
		children: listCommonChildren(model, id),
		notes: getNotes(model, id, naming),
	};
}

/**
 * By the way that people expect where the document knows it, else the document's first form, else
 * what the way gives.
 */
function buildPattern(model: Model, id: number, way: readonly number[]): string {
	const forms = model.dns(id, 0, 200);
	const built = way
		.map((at) => model.rn(at))
		.filter((rn) => rn !== "")
		.join("/");
	return forms.length === 0 || forms.includes(built) ? built : (forms[0] ?? built);
}

/** Values that look like what stands there. */
function buildExample(model: Model, way: readonly number[], pattern: string): string {
	const names = way.filter((id) => model.rn(id).includes("{")).map((id) => model.name(id).replace(/^[a-z0-9]+/, ""));
	let at = 0;
	return pattern
		.split("/")
		.map((rn) => {
			if (!rn.includes("{")) return rn;
			const name = names[at++] ?? "Object";
			return rn.replace(/\{(\w+)\}/g, (_, property: string) => pickSample(property, name));
		})
		.join("/");
}

function pickSample(property: string, name: string): string {
	if (/^(ip|addr|prefix|subnet)$/i.test(property)) return "10.0.0.1/24";
	if (/mac/i.test(property)) return "00:50:56:00:00:01";
	if (/dn$/i.test(property)) return "uni/tn-Tenant1";
	if (/^(from|to|encap|vlan)/i.test(property)) return "vlan-100";
	if (/(id|num|index|order|prio|code)$/i.test(property)) return "1";
	return `${name}1`;
}

function getMethod(model: Model, id: number, naming: readonly string[]): ClassInsights["method"] {
	if (model.is(id, flag.abstract)) return "sub_classes";
	// A single child that comes with its parent is read with it.
	if (naming.length === 0 && (model.before[id] ?? -1) >= 0 && model.rn(model.before[id] ?? 0).includes("{"))
		return "parent";
	if (naming.length <= 1 && model.is(id, flag.configurable)) return "dn";
	return "class";
}

/**
 * What people configure below it first, and the classes that fewest others contain: those are its
 * own.
 */
function listCommonChildren(model: Model, id: number): number[] {
	const weight = (child: number) =>
		(model.is(child, flag.configurable) ? 0 : 1_000_000) +
		(model.is(child, flag.relation) ? 100_000 : 0) +
		model.containers(child).length;
	return listChildren(model, id, false)
		.filter((child) => child !== id)
		.sort((a, b) => weight(a) - weight(b) || a - b)
		.slice(0, CHILDREN);
}

function getNotes(model: Model, id: number, naming: readonly string[]): string[] {
	const notes: string[] = [];
	if (model.is(id, flag.abstract)) {
		const subs = Array.from(model.subs(id), (sub) => model.name(sub));
		notes.push(
			`Abstract: it has no objects of its own${subs.length === 0 ? "" : `; its sub classes have (${subs.slice(0, 5).join(", ")}${subs.length > 5 ? ", …" : ""})`}.`,
		);
	} else if (naming.length === 0) notes.push("A single one under each parent: its relative name has no value in it.");
	else if (naming.length > 1) notes.push(`Named by ${naming.join(" and ")} together.`);
	if (!model.is(id, flag.configurable) && !model.is(id, flag.abstract))
		notes.push("Kept by the fabric: nobody configures it.");
	const containers = model.containers(id).length;
	if (model.is(id, flag.common)) notes.push("Stands under nearly every class.");
	else if (containers > 1) notes.push(`Stands under ${containers} classes; a query for the class finds them all.`);
	if (model.is(id, flag.relation)) {
		const ends = [...model.to(id), ...model.from(id)].map((end) => model.name(end));
		notes.push(ends.length === 0 ? "A relation between objects." : `A relation: ${ends.join(", ")}.`);
	}
	if (model.is(id, flag.contextRoot)) notes.push("A context root: names below it are its own.");
	return notes;
}
