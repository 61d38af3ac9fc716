/** A compiled canvas: stages, each with the class chains that it asks for, before any value or count is known. */
import type { ClassNode, InjectMode, PostProcessor } from "@weft/contracts";
import type { FilterExpr } from "./filter-expression.ts";

export interface Plan {
	stages: StagePlan[];
	/** Indices of the stages whose rows are the run's answer: those with an output node, else those that feed no other. */
	resultStages: number[];
	warnings: PlanWarning[];
}

export interface PlanWarning {
	nodeId: string | null;
	message: string;
}

export interface StagePlan {
	index: number;
	/** In the order of the canvas. */
	nodeIds: string[];
	/** Every class node of the stage, parents before children. */
	classes: { nodeId: string; className: string }[];
	/** Of the first answer class. */
	className: string;
	inputs: StageInput[];
	branches: Branch[];
	/** The canvas's own processors of this stage that are not paused, in the order of its edges. */
	processors: PostProcessor[];
	output: { nodeId: string; pageSize: number | undefined; enableTimeMachine: boolean } | undefined;
}

/** A pipeline edge: values of an earlier stage's rows, as a condition on class nodes of this one. */
export interface StageInput {
	edgeId: string;
	sourceStage: number;
	/** A class node: its rows before post-processing. Undefined: the stage's rows as they leave it. */
	sourceNode: string | undefined;
	targetNodes: string[];
	extractField: string;
	injectAs: InjectMode;
	injectProperty: string;
}

/** One way down the containment edges to a class whose rows are wanted. */
export interface Branch {
	/** The class node whose rows these are. */
	nodeId: string;
	/** Rows of a class that only feeds a later stage are not part of this stage's own rows. */
	answer: boolean;
	/** Topmost class first; the last is the one whose rows are wanted. */
	chain: ChainNode[];
	layout: Layout;
	/** The class has no subclasses, so that its rows carry its own name. */
	concrete: boolean;
	onSwitch: boolean;
	options: ClassNode["data"];
}

export interface ChainNode {
	nodeId: string;
	className: string;
	/** All must hold. */
	filters: FilterExpr[];
}

/** How the DNs of a chain are built, as far down the chain as there is only one way. */
export interface Layout {
	levels: { rnFormat: string; chainIndex: number | undefined }[];
	/** By place in the chain: every object of this class lies below objects of all the classes before it, whatever its DN. */
	implied: boolean[];
}

export type Strategy = "mo" | "class" | "node-class" | "join";

/** One query. `paged` ones carry an `order-by` and may be read page by page; the path has no page options. */
export interface Fetch {
	path: string;
	className: string;
	paged: boolean;
	/** Only the number of objects is wanted: read `totalCount` of a page of one. */
	count?: boolean;
	/** So many kept rows are enough, in the order they come. */
	stopAfter?: number;
	/** Order and limit hold within a group: one per value when iterating, else one in all. */
	group: number;
}
