/** The class model the simulator knows: enough of it to validate, to project and to generate. */
import type { RnFormat } from "../dn.ts";

/**
 * `auto` is a property outside the tables: its type is guessed value by value. Words, bits and
 * codes that loaded objects show are added, so that filters may name them.
 */
export type PropType =
	| { readonly kind: "string"; readonly pattern: RegExp | null; readonly max: number }
	/** `names` are the numbers that read back as a word, e.g. port 80 as `http`. */
	| { readonly kind: "number"; readonly min: number; readonly max: number; readonly names: Map<string, number> }
	| { readonly kind: "bool" }
	/** Literal to rank; the rank orders `lt`, `gt` and sorting. */
	| { readonly kind: "enum"; readonly literals: Map<string, number> }
	/** Word to its bit: 1, 2, 4 …; the sum of its bits orders a value. */
	| { readonly kind: "mask"; readonly bits: Map<string, number> }
	/** Fault codes, ranked by number; `more` are codes of another form. */
	| { readonly kind: "code"; readonly more: Set<string> }
	| { readonly kind: "date" }
	| { readonly kind: "auto" };

export interface PropInfo {
	readonly name: string;
	readonly type: PropType;
	readonly naming: boolean;
	readonly configurable: boolean;
	/** Value of a new object that does not set it. */
	readonly initial: string;
}

/** The `rsp-subtree-include` facet that shows objects of the class; `plain`: only `rsp-subtree`. */
export type Facet =
	| "plain"
	| "faults"
	| "fault-records"
	| "health"
	| "health-records"
	| "stats"
	| "audit-logs"
	| "event-logs";

/** What a named relation points at, and the back-relation the target gets. */
export interface RelationInfo {
	readonly target: string;
	readonly nameProp: string;
	readonly back: string | null;
	/** DN of the target while no name is set; absent: without a name the target is missing. */
	readonly standard?: string;
}

export interface ClassInfo {
	readonly name: string;
	readonly label: string;
	/** Every ancestor, nearest first. */
	readonly supers: readonly string[];
	readonly supersSet: ReadonlySet<string>;
	readonly abstract: boolean;
	/** Without literals and properties while unknown; an open class learns it from an object's DN. */
	rn: RnFormat;
	/** Classes it may be created under; empty when unknown. */
	readonly under: readonly string[];
	/** Sorted by name, without `dn` and `rn`. */
	readonly props: Map<string, PropInfo>;
	/** Users may create and delete it. */
	readonly configurable: boolean;
	readonly facet: Facet;
	readonly relation: RelationInfo | null;
	/** Children that come into being with the object. */
	readonly implied: readonly string[];
	/** The model source has a document of it. */
	readonly published: boolean;
	/** Known by name only: without a property table, so that it takes any attribute and any value. */
	readonly open: boolean;
}
