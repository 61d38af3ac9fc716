/** Checks by name, and the results of a check by connection. */
import type { Check, CheckState, CheckStateEntry, FindingSeverity } from "@weft/contracts";
import { CHECK_STATES, checkRoutes, FINDING_SEVERITIES } from "@weft/contracts/browser";
import type { WeftClient } from "@weft/sdk";
import type { Collection } from "../../resolve.ts";

/** Description of the noun in the help. */
export const NOUN = "Checks of the rows that queries find.";

export const getChecks = (client: WeftClient): Collection<Check> => ({
	kind: "check",
	list: (search) => client.each(checkRoutes.list, { query: search === undefined ? {} : { search } }),
	byId: (id) => client.call(checkRoutes.detail, { params: { id } }),
});

/** The place of a result whose check looks at all connections together. */
export const ALL_CONNECTIONS = "all connections";

export const NEVER_EVALUATED = "It has not been evaluated.";

/** A check on one connection. */
export interface CheckResult {
	/** Name; null: all connections together, or none that is known. */
	readonly connection: string | null;
	readonly connection_id: string | null;
	readonly check: string;
	readonly check_id: string;
	readonly query: string;
	readonly severity: FindingSeverity;
	readonly state: CheckState;
	readonly violations: number;
	/** Why the check could not be evaluated; null if it was. */
	readonly error: string | null;
	/** The run that was evaluated, or should have been; null without one. */
	readonly run: string | null;
}

/** Place of a result that belongs to no single connection. */
export const NO_PLACE = { id: null, name: null };

/** Builds the result of a check that was not evaluated. */
export const buildUnknownResult = (
	{ id, name, query_name, severity }: Check,
	error: string,
	place: { readonly id: string | null; readonly name: string | null },
	run: string | null,
): CheckResult => ({
	connection: place.name,
	connection_id: place.id,
	check: name,
	check_id: id,
	query: query_name,
	severity,
	state: "unknown",
	violations: 0,
	error,
	run,
});

export const buildResult = (check: Check, entry: CheckStateEntry): CheckResult => ({
	...buildUnknownResult(
		check,
		"",
		{ id: entry.controller_connection_id, name: entry.controller_connection_name },
		entry.last_run,
	),
	state: entry.state,
	violations: entry.violations,
	error: entry.error,
});

const names = new Intl.Collator("en", { numeric: true });

/** Orders results by state, the worst first, then by severity, check and connection. */
export const compareResults = (one: CheckResult, other: CheckResult): number =>
	CHECK_STATES.indexOf(other.state) - CHECK_STATES.indexOf(one.state) ||
	FINDING_SEVERITIES.indexOf(other.severity) - FINDING_SEVERITIES.indexOf(one.severity) ||
	names.compare(one.check, other.check) ||
	names.compare(one.connection ?? "", other.connection ?? "");

export const formatViolations = (count: number): string => `${count} violation${count === 1 ? "" : "s"}`;
