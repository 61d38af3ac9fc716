/**
 * A compiled flow: stages with the class chains that each queries, before any value or count is
 * known.
 */
import type { ClassNode, InjectMode, PostProcessor, PostProcessorConfig } from "@weft/contracts";
import type { FilterExpr } from "./filter-expression.ts";

export interface Plan {
	stages: StagePlan[];
	/**
	 * Indices of the stages whose rows are the run's result: those with an output node, else those
	 * that feed no other.
	 */
	resultStages: number[];
	warnings: PlanWarning[];
}

export interface PlanWarning {
	nodeId: string | null;
	message: string;
}

/** What the flow alone shows of a stage. */
export interface StageOutline {
	index: number;
	/** In the order of the canvas, stage by stage where joins have made one of several. */
	nodeIds: string[];
	/** Every class node of the stage, parents before children. */
	classes: { nodeId: string; className: string }[];
	/**
	 * Class nodes whose rows are the stage's rows: those with no class below, or wired to an output;
	 * those that the stage's joins read where it has any.
	 */
	answers: string[];
	/** Of the first answer class; the base of the first join. */
	className: string;
	inputs: StageInput[];
	/** Pipeline edges between classes of the stage, which joins have made one of several. */
	innerInputs: InnerInput[];
	/** Joins of the stage's rows, in order. */
	joins: PostProcessorConfig<"join">[];
}

export interface StagePlan extends StageOutline {
	branches: Branch[];
	/** The canvas's own processors of this stage that are not paused, in the order of its edges. */
	processors: PostProcessor[];
}

/**
 * A pipeline edge: values of an earlier stage's rows, as a condition on class nodes of this one.
 */
export interface StageInput {
	edgeId: string;
	sourceStage: number;
	/**
	 * A class node: its rows before post-processing. Undefined: the stage's rows as they leave it.
	 */
	sourceNode: string | undefined;
	targetNodes: string[];
	extractField: string;
	injectAs: InjectMode;
	injectProperty: string;
}

/** A pipeline edge inside a stage: its sources are read before its targets. */
export interface InnerInput extends StageInput {
	sourceNodes: string[];
}

/** Values by the id of the pipeline edge that carries them, distinct, in order. */
export type InputValues = ReadonlyMap<string, readonly string[]>;

/** A path down the plain edges to a class whose rows are needed. */
export interface Branch {
	/** The class node whose rows these are. */
	nodeId: string;
	/** False for a class that only feeds a later stage: its rows are not the stage's rows. */
	answer: boolean;
	/** Topmost class first; the rows are those of the last. */
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
	/** The controller may count objects of the class and list none. */
	mayBeEmpty: boolean;
}

/** The levels of a chain's DNs, as far down the chain as the class model allows only one layout. */
export interface Layout {
	levels: { rnFormat: string; chainIndex: number | undefined }[];
	/**
	 * By index in the chain: whether every object of this class lies below objects of all classes
	 * before it.
	 */
	implied: boolean[];
}

export type Strategy = "mo" | "class" | "node-class" | "join";

/**
 * One query. `paged` ones carry an `order-by` and may be read page by page; the path has no page
 * options.
 */
export interface Fetch {
	path: string;
	className: string;
	paged: boolean;
	/** Only the number of objects is needed: `totalCount` of a page of one. */
	count?: boolean;
	/** Read until this many rows were kept. */
	stopAfter?: number;
	/**
	 * Order and limit apply within a group: one per value when iterating, else one for all requests.
	 */
	group: number;
}
