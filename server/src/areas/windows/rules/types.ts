/** What the rules of change windows work on. */
import type {
	ChangedBy,
	Expectation,
	FindingSeverity,
	ItemCounts,
	PlanGate,
	Verdict,
	WindowFinding,
} from "@weft/contracts";
import type { DnPattern } from "./dn-pattern.ts";

/** A difference of one object between before and after, after the drift rules of its query. */
export interface Difference {
	readonly dn: string;
	/** Null if it is unknown. */
	readonly className: string | null;
	readonly change: "added" | "deleted" | "modified";
	readonly severity: FindingSeverity;
	/** By name; all attributes of an added or deleted object. */
	readonly attributes: readonly {
		readonly name: string;
		readonly before: string | null;
		readonly after: string | null;
	}[];
	/** Attributes beyond those. */
	readonly omitted: number;
	/** Newest first; null if nobody has asked the controller, or its records could not be read. */
	readonly changedBy: readonly ChangedBy[] | null;
}

/** A finding that is not stored. */
export type NewFinding = Omit<WindowFinding, "id" | "accepted_by" | "accepted_at" | "reason">;

export interface CompiledExpectation {
	readonly expectation: Expectation;
	readonly pattern: DnPattern;
	/** Place in the list. */
	readonly place: number;
}

/** Expectations by the beginning of their dns; the most specific ones come first in each list. */
export interface CompiledExpectations {
	/** Those of one dn each, by it. */
	readonly exact: ReadonlyMap<string, readonly CompiledExpectation[]>;
	/** Those with patterns, by the length of the beginning and by it. */
	readonly patterns: ReadonlyMap<number, ReadonlyMap<string, readonly CompiledExpectation[]>>;
}

/** What holds for all items of a window. */
export interface Judging {
	readonly failOn: PlanGate["fail_on"];
	/** Those of the window; `connection_ids` and `item` select among them. */
	readonly expectations: readonly Expectation[];
	/** The same, compiled once for all items and connections. */
	readonly compiled: CompiledExpectations;
	/** Users of the controller whose changes are not foreign. */
	readonly implementers: readonly string[];
}

/** Rows of a group, as its values. */
export interface GroupCount {
	readonly group: readonly string[];
	readonly before: number;
	readonly after: number;
}

/** What one side of a check says. */
export interface CheckSide {
	readonly state: "ok" | "violated" | "unknown";
	readonly violations: number;
	/** Objects that violate it; `isComplete` says whether these are all. */
	readonly dns: readonly string[];
	readonly isComplete: boolean;
	/** Of `unknown`: why. */
	readonly error: string | null;
	/** Digest of the type and options of the check; null where it was not evaluated. */
	readonly rule: string | null;
}

/** A difference that an expectation took. */
export interface Met {
	readonly expectation: string;
	readonly dn: string;
	/** False where an attribute has another value than the declared one, which is a finding. */
	readonly isFulfilled: boolean;
}

export interface JudgedItem {
	readonly item: number;
	readonly kind: "query" | "check";
	readonly findings: readonly NewFinding[];
	readonly counts: ItemCounts;
	readonly met: readonly Met[];
	/** Why the item says nothing; null if it does. Its differences are then not judged. */
	readonly inconclusive: string | null;
}

export interface JudgedConnection {
	readonly connectionId: string;
	readonly verdict: Verdict;
	/** Words with counts, such as `undeclared:2`, in the order of their weight. */
	readonly reasons: readonly string[];
	readonly items: readonly (JudgedItem & { readonly verdict: Verdict })[];
	/** Findings about expectations of no single item. */
	readonly missing: readonly NewFinding[];
}
