/** The class model the simulator knows: enough of it to validate, to project and to generate. */
import type { RnFormat } from "../dn.ts";

/** `auto` is a property learned from a loaded answer: its type is guessed value by value. */
export type PropType =
	| { readonly kind: "string"; readonly pattern: RegExp | null; readonly max: number }
	/** `names` are the numbers that read back as a word, e.g. port 80 as `http`. */
	| { readonly kind: "number"; readonly min: number; readonly max: number; readonly names: ReadonlyMap<string, number> }
	| { readonly kind: "bool" }
	/** Literal to rank; the rank orders `lt`, `gt` and sorting. */
	| { readonly kind: "enum"; readonly literals: Map<string, number> }
	| { readonly kind: "mask"; readonly bits: ReadonlyMap<string, number> }
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

/** Which `rsp-subtree-include` facet shows objects of the class; `plain` ones are shown by `rsp-subtree` alone. */
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
}

export interface ClassInfo {
	readonly name: string;
	readonly label: string;
	/** Every ancestor, nearest first. */
	readonly supers: readonly string[];
	readonly supersSet: ReadonlySet<string>;
	readonly abstract: boolean;
	readonly rn: RnFormat;
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
	/** Learned from a loaded answer rather than defined here. */
	readonly learned: boolean;
}
