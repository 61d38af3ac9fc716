/**
 * A model as queries ask for it (`ports/class-model.ts`): what they never ask about is never worked
 * out.
 */
import type { ModelClass, ModelGraph } from "../../../core/ports/class-model.ts";
import { flag } from "./flags.ts";
import type { Model } from "./model.ts";

export function buildGraph(model: Model, version: string): ModelGraph {
	const known = new Map<string, ModelClass>();
	const names = (ids: Uint32Array): string[] => Array.from(ids, (id) => model.name(id));

	return {
		version,
		find(className) {
			const before = known.get(className);
			if (before !== undefined) return before;
			const id = model.find(className.replace(":", ""));
			if (id < 0 || !model.is(id, flag.published)) return undefined;
			const found = describeClass(id);
			known.set(className, found);
			return found;
		},
		*names() {
			for (let id = 0; id < model.count; id++) {
				if (!model.is(id, flag.abstract)) yield { rnFormat: model.rn(id), naming: model.naming(id) };
			}
		},
	};

	function getType(definition: number): [name: string, type: string] {
		const { type } = JSON.parse(model.definitions.text(definition)) as { readonly type: string };
		return [model.propertyName(definition), type];
	}

	function describeClass(id: number): ModelClass {
		let properties: Map<string, boolean> | null = null;
		const readProperties = (): ReadonlyMap<string, boolean> => {
			properties ??= new Map(
				Array.from(model.properties(id), (definition) => [
					model.propertyName(definition),
					model.propertyIs(definition, flag.settable),
				]),
			);
			return properties;
		};
		let types: ReadonlyMap<string, string> | null = null;
		return {
			name: model.name(id),
			rnFormat: model.rn(id),
			naming: model.naming(id),
			abstract: model.is(id, flag.abstract),
			contains: names(model.contains(id)),
			containers: names(model.containers(id)),
			superClasses: names(model.supers(id)),
			subClasses: names(model.subs(id)),
			hasProperty: (name) => readProperties().has(name),
			isConfigurable: (name) => readProperties().get(name),
			properties() {
				types ??= new Map(Array.from(model.properties(id), getType));
				return types;
			},
		};
	}
}
