/** Nodes that can be added besides classes: filters, steps, output and start. */
import type { PostProcessorType } from "@weft/contracts";
import { POST_PROCESSOR_TYPES } from "@weft/contracts/browser";
import type { Data, Kind } from "./model/canvas.ts";
import { PROCESSORS } from "./model/processors.ts";
import type { Choice } from "./pick-dialog.tsx";

export interface Addition {
	readonly kind: Kind;
	readonly data: Data;
	/** Id that the node gets unless another one has it. */
	readonly wish: string;
}

interface KindChoice extends Choice {
	readonly words: string;
	readonly add: Addition;
}

export const FILTERS: readonly KindChoice[] = [
	{
		id: "filter",
		label: "Filter by value",
		words: "filter by value property condition",
		add: {
			kind: "filterNode",
			wish: "filter",
			data: { filterType: "property", property: "name", operator: "eq", value: "" },
		},
	},
	{
		id: "patterns",
		label: "Filter by text pattern",
		words: "filter by text pattern",
		add: {
			kind: "filterNode",
			wish: "filter",
			data: {
				filterType: "query-target-filter",
				patternGroups: [{ logicalOperator: "or", patterns: [{ property: "name", type: "starts", pattern: "" }] }],
			},
		},
	},
];

export const ENDS: readonly KindChoice[] = [
	{
		id: "output",
		label: "Output",
		aside: "its classes are the result",
		words: "output rows",
		add: { kind: "outputNode", wish: "output", data: {} },
	},
	{
		id: "start",
		label: "Start",
		aside: "where a query begins",
		words: "start begin",
		add: { kind: "startNode", wish: "start", data: {} },
	},
];

/** Steps in the order of their use. The join comes first: few people look for it by its name. */
const ORDER: readonly PostProcessorType[] = ["join", ...POST_PROCESSOR_TYPES.filter((type) => type !== "join")];

export const listSteps = (wanted: string): Choice[] =>
	ORDER.filter((type) =>
		`step post-processor ${type} ${PROCESSORS[type].name} ${PROCESSORS[type].does}`.toLowerCase().includes(wanted),
	).map((type) => ({
		id: `processor:${type}`,
		label: PROCESSORS[type].name,
		aside: PROCESSORS[type].does,
	}));

/** Options of a list of steps, by their names. */
export const STEP_OPTIONS = ORDER.map((value) => ({ value, label: PROCESSORS[value].name }));

/** Reads the node of a choice. Returns undefined for choices that are not listed here. */
export function readAddition(id: string): Addition | undefined {
	const [kind, name = ""] = id.split(":");
	if (kind === "class") return { kind: "classNode", wish: name, data: { className: name } };
	if (kind === "processor") {
		const type = name as PostProcessorType;
		return { kind: "postProcessorNode", wish: type, data: { processorType: type, config: PROCESSORS[type].start } };
	}
	return [...FILTERS, ...ENDS].find((each) => each.id === id)?.add;
}
