/** Warnings about rows of a request whose result is open after the end of its job. */
import type { AutomationWarning } from "@weft/contracts";

export interface JobEnd {
	/** Rows of the request. */
	readonly rows: number;
	/** Rows with a result. */
	readonly known: number;
	/** Rows that failed, or whose host was not reached, on at least one host. */
	readonly failed: number;
	/** Rows that were handed to included files or background tasks, and of which no more is known. */
	readonly passedOn: number;
	/** Items of loops that the job hides. */
	readonly hidden: number;
	/** Events that the server did not deliver. */
	readonly lostEvents: number;
	/** Whether any host took part in the job. */
	readonly ranOnHosts: boolean;
	/** Whether it was successful; otherwise its failure says enough of the rows. */
	readonly isGood: boolean;
	/** Names of nodes of the workflow whose output could not be read. */
	readonly unread: readonly string[];
	/** Whether nodes or nested workflows were not followed. */
	readonly isCut: boolean;
}

/** Explains how a playbook reports its rows; shown where it did not. */
export const REPORTING_HINT =
	"Weft reads results from loops whose items are the rows. Where a playbook handles rows in another " +
	'way, it can publish them: ansible.builtin.set_stats with the data "row_results", a list of {row, ' +
	'status, host, message}. See "Write a playbook for Weft" in docs/automation.md.';

/** Upper bound of the names in one warning. */
const NAMES_MAX = 5;

const NOTHING = "The job touched none of the rows";

const CUT = {
	code: "nodes_not_followed",
	message:
		"The workflow holds more nodes or nested workflows than are followed: nodes, output and results are incomplete.",
};

/** Warnings of a job that has ended. */
export function listOutcomeWarnings(totals: JobEnd): AutomationWarning[] {
	return [...listLostWarnings(totals), ...listUnreadWarnings(totals), ...listRowWarnings(totals)];
}

function listLostWarnings({ lostEvents }: JobEnd): AutomationWarning[] {
	if (lostEvents === 0) return [];
	const events = lostEvents === 1 ? "1 event" : `${lostEvents} events`;
	const message = `The automation server did not deliver ${events} of the job: output and results of rows may be incomplete.`;
	return [{ code: "events_lost", message }];
}

function listUnreadWarnings({ unread }: JobEnd): AutomationWarning[] {
	if (unread.length === 0) return [];
	const names = unread.slice(0, NAMES_MAX).map((name) => `"${name}"`);
	const more = unread.length > NAMES_MAX ? ` and ${unread.length - NAMES_MAX} more` : "";
	const message =
		`The output of jobs of the workflow could not be read: ${names.join(", ")}${more}. Output and results of rows ` +
		"may be incomplete. Check which jobs the token's user may read on the automation server.";
	return [{ code: "output_unread", message }];
}

function listRowWarnings(totals: JobEnd): AutomationWarning[] {
	// Nodes that are not followed may have handled the rows.
	if (totals.isCut) return [CUT];
	if (totals.isGood) return [...listFailedWarnings(totals), ...listUnknownWarnings(totals)];
	// Where it ran on no host, its failure says enough of the rows.
	return totals.ranOnHosts && totals.known + totals.passedOn + totals.hidden === 0 ? listUntouchedWarnings(totals) : [];
}

function listUntouchedWarnings({ rows, isGood, unread }: JobEnd): AutomationWarning[] {
	// The jobs that could not be read may have handled the rows.
	if (rows === 0 || unread.length > 0) return [];
	const end = isGood ? "" : "The job failed. ";
	const message = `${end}${NOTHING}, as far as its results tell: no loop of its playbook goes over them.`;
	return [{ code: "rows_untouched", message }];
}

/** Warnings about rows that failed in a job which ignores failures (`ignore_errors`, `rescue`). */
function listFailedWarnings({ rows, failed }: JobEnd): AutomationWarning[] {
	if (failed === 0) return [];
	return [{ code: "rows_failed", message: `The job succeeded, but ${failed} of ${rows} rows failed.` }];
}

function listUnknownWarnings(totals: JobEnd): AutomationWarning[] {
	const { rows, known, passedOn, hidden, ranOnHosts, unread } = totals;
	if (rows === 0 || known === rows) return [];
	if (hidden > 0) {
		const message = `The job hides the items of its loops (no_log): the result of ${rows - known} of ${rows} rows is not known.`;
		return [{ code: "rows_censored", message }];
	}
	if (known > 0) {
		const message = `The job succeeded, but the result of ${rows - known} of ${rows} rows is not known.`;
		return [{ code: "rows_unknown", message }];
	}
	if (!ranOnHosts && unread.length === 0) {
		const message = `${NOTHING}: it ran on no host. Check the inventory and the limit of the template on the automation server.`;
		return [{ code: "rows_untouched", message }];
	}
	if (passedOn > 0) {
		return [{ code: "rows_unreported", message: "The job reported the result of none of the rows." }];
	}
	return listUntouchedWarnings(totals);
}
