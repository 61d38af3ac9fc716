/** The little that planning and checking queries needs to know of a model. */
import { flag } from "./flags.ts";
import type { Model } from "./model.ts";
import { mayContain } from "./relations.ts";

export interface ModelFacts {
	/** The version's label, such as `6.1(1)`. */
	readonly version: string;
	/** Classes with a document. */
	knows(className: string): boolean;
	/** Null for an unknown class. */
	knowsProperty(className: string, property: string): boolean | null;
	/** `subnet-[{ip}]`; null for an unknown class, empty for an abstract one. */
	rnFormat(className: string): string | null;
	namingProperties(className: string): readonly string[];
	isAbstract(className: string): boolean;
	/** Rows of a query for this class may carry a sub class's name. */
	hasSubclasses(className: string): boolean;
	/** Every class that can contain this one, also for the sake of a super class of it. */
	containers(className: string): readonly string[];
	/**
	 * Whether one can stand directly under the other: by the documents, or for a super class of
	 * either; null where a class is unknown.
	 */
	containment(parent: string, child: string): "direct" | "inherited" | "none" | null;
	/** Known classes whose names look like this one. */
	similar(className: string): readonly string[];
}

export function collectFacts(
	model: Model,
	version: string,
	similar: (className: string) => readonly string[],
): ModelFacts {
	const find = (name: string): number => {
		const id = model.find(name.replace(":", ""));
		return id >= 0 && model.is(id, flag.published) ? id : -1;
	};
	return {
		version,
		knows: (name) => find(name) >= 0,
		knowsProperty(name, property) {
			const id = find(name);
			return id < 0 ? null : model.properties(id).some((definition) => model.propertyName(definition) === property);
		},
		rnFormat(name) {
			const id = find(name);
			return id < 0 ? null : model.rn(id);
		},
		namingProperties(name) {
			const id = find(name);
			return id < 0 ? [] : model.naming(id);
		},
		isAbstract(name) {
			const id = find(name);
			return id >= 0 && model.is(id, flag.abstract);
		},
		hasSubclasses(name) {
			const id = find(name);
			return id >= 0 && model.subs(id).length > 0;
		},
		containers(name) {
			const id = find(name);
			if (id < 0) return [];
			const found = new Set<number>();
			for (const one of [id, ...model.supers(id)]) for (const container of model.containers(one)) found.add(container);
			return Array.from(found, (container) => model.name(container));
		},
		containment(parent, child) {
			const [above, below] = [find(parent), find(child)];
			if (above < 0 || below < 0) return null;
			return mayContain(model, above, below) ?? "none";
		},
		similar,
	};
}
