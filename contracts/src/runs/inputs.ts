/** What runs with a canvas: the same fields for a run, a plan and a group execution. */
import * as z from "zod";
import { defineDictionary, defineList } from "../core/bounded.ts";
import { FLOW_LIMITS } from "../queries/flow/values.ts";

export const runInputs = {
	/** Values of the variables, by id. */
	variable_values: defineDictionary(z.unknown(), {
		max: FLOW_LIMITS.variables,
		error: "Must be an object of variable id: value.",
	}).nullish(),
	/** Post-processors after the canvas's own; those of the saved query where absent. */
	post_processors: defineList(z.unknown(), { max: FLOW_LIMITS.postProcessors, error: "Must be a list." }).nullish(),
	/** Variables of the canvas; those of the saved query where absent. */
	variables: defineList(z.unknown(), { max: FLOW_LIMITS.variables, error: "Must be a list." }).nullish(),
};
