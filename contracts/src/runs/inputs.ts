/** What runs with a canvas: the same fields for a run, a plan and a group execution. */
import * as z from "zod";
import { dictionaryOf, listOf } from "../core/bounded.ts";
import { FLOW_LIMITS } from "../queries/flow/values.ts";

export const runInputs = {
	/** Values of the variables, by id. */
	variable_values: dictionaryOf(z.unknown(), {
		max: FLOW_LIMITS.variables,
		error: "Must be an object of variable id: value.",
	}).nullish(),
	/** Post-processors after the canvas's own; those of the saved query where absent. */
	post_processors: listOf(z.unknown(), { max: FLOW_LIMITS.postProcessors, error: "Must be a list." }).nullish(),
	/** Variables of the canvas; those of the saved query where absent. */
	variables: listOf(z.unknown(), { max: FLOW_LIMITS.variables, error: "Must be a list." }).nullish(),
};
