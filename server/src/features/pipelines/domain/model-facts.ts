/** What a loaded class model tells the compiler and the planner. */
import { containersOf } from "../../../platform/class-model.ts";
import type { ModelClass, ModelGraph } from "../../../ports/class-model.ts";
import type { ClassFacts, ClassModel } from "./class-table.ts";
import type { Catalog } from "./explain.ts";
import { MAX_PATHS } from "./layout.ts";

export interface ModelFacts {
	readonly model: ClassModel;
	readonly catalog: Catalog;
}

/** Facts are worked out when they are asked for, once for each class; they belong to this one version of the model. */
export function modelFacts(graph: ModelGraph): ModelFacts {
	const known = new Map<string, ClassFacts | undefined>();
	return {
		model(className) {
			if (known.has(className)) return known.get(className);
			const found = graph.find(className);
			const facts = found && factsOf(graph, found);
			known.set(className, facts);
			return facts;
		},
		catalog: {
			hasClass: (className) => graph.find(className) !== undefined,
			hasProperty: (className, property) =>
				ALWAYS.has(property) || (graph.find(className)?.hasProperty(property) ?? false),
		},
	};
}

/** Every object has them, whatever its class's document says. */
const ALWAYS: ReadonlySet<string> = new Set(["dn", "rn", "status", "childAction"]);

function factsOf(graph: ModelGraph, own: ModelClass): ClassFacts {
	// So many containers make more ways down than a layout takes.
	const containers = containersOf(graph, own.name, MAX_PATHS);
	return {
		rnFormat: own.abstract ? "" : namedFormat(own),
		parents:
			containers && (containers.top ? (containers.classes.length === 0 ? [] : undefined) : orOpen(containers.classes)),
		hasSubclasses: own.abstract || own.subClasses.length > 0,
	};
}

/** A class whose containers nobody names stands somewhere all the same. */
const orOpen = (classes: readonly string[]): readonly string[] | undefined =>
	classes.length === 0 ? undefined : classes;

/** The format with the naming properties in its places, also where it calls them by other names. */
function namedFormat({ rnFormat, naming }: ModelClass): string {
	const places = rnFormat.match(/\{[^{}]+\}/g) ?? [];
	if (places.length !== naming.length) return rnFormat;
	let at = 0;
	return rnFormat.replace(/\{[^{}]+\}/g, () => `{${naming[at++] ?? ""}}`);
}
