/** Input and output of the rules of change windows. */
import type {
	ChangedBy,
	Expectation,
	FindingSeverity,
	ItemCounts,
	ObjectChange,
	PlanGate,
	Verdict,
	WindowFinding,
} from "@weft/contracts";
import type { DnPattern } from "./dn-pattern.ts";
import type { LiteralIndex } from "./literal-index.ts";

/** A difference of one object between before and after, after the drift rules of its query. */
export interface Difference {
	readonly dn: string;
	/** Null if it is unknown. */
	readonly className: string | null;
	readonly change: ObjectChange;
	readonly severity: FindingSeverity;
	/** Sorted by name. All attributes of an added or deleted object. */
	readonly attributes: readonly {
		readonly name: string;
		readonly before: string | null;
		readonly after: string | null;
	}[];
	/** Number of further attributes. */
	readonly omitted: number;
	/** Newest first; null if the controller's records were not read, or could not be read. */
	readonly changedBy: readonly ChangedBy[] | null;
}

/** A finding that is not stored. */
export type NewFinding = Omit<WindowFinding, "id" | "accepted_by" | "accepted_at" | "reason">;

export interface CompiledExpectation {
	readonly expectation: Expectation;
	/** Names and values of the expected attributes; null if any attribute may differ. */
	readonly attributes: readonly (readonly [name: string, value: ExpectedValue])[] | null;
	/** Place in the list. */
	readonly place: number;
}

type ExpectedValue = NonNullable<Expectation["attributes"]>[string];

/** Expectations with the same pattern. */
export interface PatternGroup {
	readonly pattern: DnPattern;
	/** By class name; null for those of any class. */
	readonly byClass: ReadonlyMap<string | null, ClassGroup>;
}

/** Expectations with the same pattern and class. */
export interface ClassGroup {
	readonly all: readonly CompiledExpectation[];
	/** Those that allow any attribute to differ. */
	readonly anyAttribute: readonly CompiledExpectation[];
	/** Those that name attributes, by each of the names. */
	readonly byAttribute: ReadonlyMap<string, readonly CompiledExpectation[]>;
}

/** Expectations by the texts that their dns must have. */
export interface CompiledExpectations {
	/** Expectations of one dn each, by that dn. */
	readonly exact: ReadonlyMap<string, PatternGroup>;
	/** Expectations with patterns, each by one of its literals. */
	readonly patterns: LiteralIndex<PatternGroup>;
}

/** The input that all items of a window share. */
export interface Judging {
	readonly failOn: PlanGate["fail_on"];
	/** All expectations of the window; their `connection_ids` and `item` say where they apply. */
	readonly expectations: readonly Expectation[];
	/** The expectations, compiled once for all items and connections. */
	readonly compiled: CompiledExpectations;
	/** Users of the controller whose changes are not foreign. */
	readonly implementers: readonly string[];
}

/** Numbers of rows of a group, which its values identify. */
export interface GroupCount {
	readonly group: readonly string[];
	readonly before: number;
	readonly after: number;
}

/** The result of a check on one side of the work. */
export interface CheckSide {
	readonly state: "ok" | "violated" | "unknown";
	readonly violations: number;
	/** Objects that violate the check; with `others`, `isComplete` says whether they are all. */
	readonly dns: readonly string[];
	/** Digests of rows without a DN. Absent in results of earlier versions. */
	readonly others?: readonly string[];
	readonly isComplete: boolean;
	/** The reason of `unknown`; null otherwise. */
	readonly error: string | null;
	/** Digest of the check's type, options and severity; null where it was not evaluated. */
	readonly rule: string | null;
}

/** A difference that an expectation took. */
export interface Met {
	readonly expectation: string;
	readonly dn: string;
	/** False if an attribute has another value than the declared one, which is a finding. */
	readonly isFulfilled: boolean;
}

export interface JudgedItem {
	readonly item: number;
	readonly kind: "query" | "check";
	readonly findings: readonly NewFinding[];
	readonly counts: ItemCounts;
	readonly met: readonly Met[];
	/** The reason why the item cannot be judged; null if it is judged. */
	readonly inconclusive: string | null;
	/** Whether the item has more differences than were judged. */
	readonly isCut?: boolean;
}

export interface JudgedConnection {
	readonly connectionId: string;
	readonly verdict: Verdict;
	/** Words with counts, such as `undeclared:2`, in the order of their weight. */
	readonly reasons: readonly string[];
	readonly items: readonly (JudgedItem & { readonly verdict: Verdict })[];
	/** Findings about expectations that belong to no single item. */
	readonly missing: readonly NewFinding[];
}
