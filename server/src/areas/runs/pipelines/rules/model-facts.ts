/** Facts of a loaded class model for the compiler and the planner. */
import { listContainers } from "../../../../core/class-model.ts";
import type { ModelClass, ModelGraph, RnNaming } from "../../../../core/ports/class-model.ts";
import type { ClassFacts, ClassModel } from "./class-table.ts";
import { MAX_PATHS } from "./dn-layout.ts";
import { listCompoundFormats } from "./dn-names.ts";

export interface ModelFacts {
	readonly model: ClassModel;
	readonly graph: ModelGraph;
	/** JSON of the formats that name readers need (`listCompoundFormats`). Computed on first use. */
	nameFormats(): string;
}

/** Computes the facts of each class on first use. They belong to this version of the model. */
export function readModelFacts(graph: ModelGraph): ModelFacts {
	const known = new Map<string, ClassFacts | undefined>();
	let formats: string | null = null;
	return {
		model(className) {
			if (known.has(className)) return known.get(className);
			const found = graph.find(className);
			const facts = found && collectFacts(graph, found);
			known.set(className, facts);
			return facts;
		},
		graph,
		nameFormats() {
			formats ??= JSON.stringify(listCompoundFormats(Array.from(graph.names(), findNamedFormat)));
			return formats;
		},
	};
}

/** Properties of every object, also where the class's document does not list them. */
const ALWAYS: ReadonlySet<string> = new Set(["dn", "rn", "status", "childAction"]);

/** Whether the model has the class with the property. */
export const isKnownProperty = (graph: ModelGraph, className: string, property: string): boolean =>
	ALWAYS.has(property) || (graph.find(className)?.hasProperty(property) ?? false);

/** Whether objects of the class may be of a class with more properties. */
export function mayHaveSubclass(graph: ModelGraph, className: string): boolean {
	const found = graph.find(className);
	return found !== undefined && (found.abstract || found.subClasses.length > 0);
}

function collectFacts(graph: ModelGraph, own: ModelClass): ClassFacts {
	// More containers make more paths than a layout takes.
	const containers = listContainers(graph, own.name, MAX_PATHS);
	return {
		rnFormat: own.abstract ? "" : findNamedFormat(own),
		parents:
			containers &&
			(containers.top ? (containers.classes.length === 0 ? [] : undefined) : useOrOpen(containers.classes)),
		hasSubclasses: own.abstract || own.subClasses.length > 0,
	};
}

/**
 * A class without known containers is not at the top of the tree, so that its parents are unknown.
 */
const useOrOpen = (classes: readonly string[]): readonly string[] | undefined =>
	classes.length === 0 ? undefined : classes;

/**
 * The format with its placeholders named as the naming properties, which it may call by other
 * names.
 */
function findNamedFormat({ rnFormat, naming }: RnNaming): string {
	const places = rnFormat.match(/\{[^{}]+\}/g) ?? [];
	if (places.length !== naming.length) return rnFormat;
	let at = 0;
	return rnFormat.replace(/\{[^{}]+\}/g, () => `{${naming[at++] ?? ""}}`);
}
