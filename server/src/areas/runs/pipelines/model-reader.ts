/**
 * Facts of the loaded class model for the planner and for runs; null without a model, for which
 * built-in facts are used.
 */
import type { Context } from "../../../context.ts";
import type { ModelGraph } from "../../../core/ports/class-model.ts";
import { type ModelFacts, readModelFacts } from "./rules/model-facts.ts";

export type LoadedFacts =
	| { readonly facts: ModelFacts | null; readonly problem: null }
	| { readonly facts: null; readonly problem: string };

export function createModelReader({ classModel, log }: Context): () => Promise<LoadedFacts> {
	/** By version of the model, so that the facts of a class are computed once. */
	const known = new WeakMap<ModelGraph, ModelFacts>();

	return async () => {
		try {
			const graph = await classModel();
			if (graph === null) return { facts: null, problem: null };
			const facts = known.get(graph) ?? readModelFacts(graph);
			known.set(graph, facts);
			return { facts, problem: null };
		} catch (error) {
			log.warn({ err: error }, "the class model cannot be read; queries are planned without it");
			return { facts: null, problem: "The class model cannot be read at the moment: planned without it." };
		}
	};
}
