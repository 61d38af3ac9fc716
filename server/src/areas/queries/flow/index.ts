/** The flow of a query: validation, variables, canonical form, and its graph. */

export {
	type CanonicalEdge,
	type CanonicalNode,
	canonicalHash,
	canonicalJson,
	canonicalQuery,
} from "./domain/canonical-hash.ts";
export { buildGraph, type Graph, groupBy } from "./domain/graph.ts";
export { readFlow, readPostProcessors } from "./domain/validation.ts";
export { checkDriftRules } from "./drift-rules.ts";
export {
	type Content,
	digestValues,
	type Program,
	type ProgramInput,
	type RawContent,
	readContent,
	readProgram,
	readTemplate,
} from "./service.ts";
