/** The flow of a query: validation, variables, canonical form, and its graph. */

export { checkDriftRules } from "./drift-rules.ts";
export {
	type Content,
	digestValues,
	type Program,
	type RawContent,
	readContent,
	readProgram,
	readTemplate,
} from "./read-content.ts";
export {
	type CanonicalEdge,
	type CanonicalNode,
	canonicalizeQuery as canonicalQuery,
	formatCanonicalJson as canonicalJson,
	hashCanonical as canonicalHash,
} from "./rules/canonical-hash.ts";
export { buildGraph, type Graph, groupBy } from "./rules/graph.ts";
export {
	findJoinProblems,
	findJoins,
	listClassNames,
	mergeJoinedStages,
	type PlacedJoin,
} from "./rules/joined-stages.ts";
export { readFlow, readPostProcessors } from "./rules/validation.ts";
