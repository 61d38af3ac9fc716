/** How the rows of a query count faults by severity, if they do. */
import type { ClassNode, Flow, FlowNode, PostProcessor } from "@weft/contracts";

/** `faultSummary` has a row for each kind of fault, with the number of its faults. */
export const FAULT_CLASSES = ["faultInst", "faultSummary"] as const;
type FaultClass = (typeof FAULT_CLASSES)[number];

interface FaultNumbers {
	/** `sum`: the rows have numbers of faults in `field`. */
	readonly value: "count" | "sum";
	/** Null with `count`. */
	readonly field: string | null;
	readonly groupBy: string;
}

export interface FaultSource extends FaultNumbers {
	/** Whether the rows are all active faults of the fabric. */
	readonly isWhole: boolean;
}

interface FaultQuery {
	readonly flow: Flow;
	readonly postProcessors: readonly PostProcessor[];
}

type Step = Pick<PostProcessor, "type" | "config">;

/** Null if the rows do not count faults. */
export function findFaultSource({ flow, postProcessors }: FaultQuery): FaultSource | null {
	const classes = flow.nodes.filter((node): node is ClassNode => node.type === "classNode");
	const fault = FAULT_CLASSES.find((name) => classes.some(({ data }) => data.className === name));
	if (fault === undefined) return null;
	const numbers = findNumbers(fault, listSteps(flow, postProcessors));
	if (numbers === null) return null;
	const isWhole = classes.length === 1 && classes.every(isUnlimited) && flow.nodes.every(keepsActiveFaults);
	return { ...numbers, isWhole };
}

/** The post-processors that run, without sorting. */
const listSteps = (flow: Flow, postProcessors: readonly PostProcessor[]): Step[] =>
	[
		...flow.nodes.flatMap(({ type, data }): Step[] =>
			type === "postProcessorNode" && data.isPaused !== true
				? [{ type: data.processorType, config: data.config } as Step]
				: [],
		),
		...postProcessors.filter(({ enabled }) => enabled !== false),
	].filter(({ type }) => type !== "array-sort");

function findNumbers(fault: FaultClass, steps: readonly Step[]): FaultNumbers | null {
	const severity = `${fault}.severity`;
	const [step, ...others] = steps;
	if (step === undefined)
		return fault === "faultInst"
			? { value: "count", field: null, groupBy: severity }
			: { value: "sum", field: `${fault}.count`, groupBy: severity };
	if (others.length > 0 || step.type !== "aggregate") return null;
	const { groupBy, aggregations } = step.config as Extract<PostProcessor, { type: "aggregate" }>["config"];
	const key = groupBy.find((field) => field === "severity");
	const measure = aggregations.find(({ function: name, field }) =>
		fault === "faultInst" ? name === "count" && field === undefined : name === "sum" && field === "count",
	);
	if (key === undefined || measure === undefined) return null;
	const { function: name, field, as } = measure;
	return { value: "sum", field: as ?? (field === undefined ? name : `${name}_${field}`), groupBy: key };
}

const isUnlimited = ({ data: { scope = "self", limit, timeRange, node } }: ClassNode): boolean =>
	scope === "self" && limit === undefined && (timeRange ?? "") === "" && node === undefined;

/** Whether a node is no filter, or one that leaves out cleared faults only. */
function keepsActiveFaults(node: FlowNode): boolean {
	if (node.type !== "filterNode") return true;
	const { data } = node;
	return (
		data.filterType === "property" && data.property === "severity" && data.operator === "ne" && data.value === "cleared"
	);
}
