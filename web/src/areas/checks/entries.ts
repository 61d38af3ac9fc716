/** Entries of checks: the state on a connection, or on all connections together. Pure. */
import type { Check, CheckState, CheckStateEntry } from "@weft/contracts";
import { CHECK_STATES } from "@weft/contracts/browser";

/** Of a check as a whole, or of its state on a connection. */
export const isMuted = ({ muted_until }: Pick<CheckStateEntry, "muted_until">, now: number): boolean =>
	muted_until !== null && Date.parse(muted_until) > now;

/** Whether there is something to acknowledge. */
export const isProblem = ({ state }: Pick<CheckStateEntry, "state">): boolean => state !== "ok" && state !== "unknown";

/** Place of a state from the best to the worst; one that is not known here is the worst. */
function getRank(state: CheckState): number {
	const at = CHECK_STATES.indexOf(state);
	return at < 0 ? CHECK_STATES.length : at;
}

/** The worst entry; of equal ones the first. */
export const findWorstEntry = (entries: readonly CheckStateEntry[]): CheckStateEntry | undefined =>
	entries.reduce<CheckStateEntry | undefined>(
		(worst, entry) => (worst === undefined || getRank(entry.state) > getRank(worst.state) ? entry : worst),
		undefined,
	);

/** How the API names an entry: the connection's id, or `all`. */
export const buildEntryKey = ({
	controller_connection_id: id,
}: Pick<CheckStateEntry, "controller_connection_id">): string => id ?? "all";

interface MatrixColumn {
	readonly id: string;
	readonly name: string;
}

interface Matrix {
	/** Connections by name. */
	readonly columns: readonly MatrixColumn[];
	/** Whether a check has a state of all connections together. */
	readonly hasAcross: boolean;
	/** Whether there are connections without a column. */
	readonly hasOthers: boolean;
}

/** Connections that have a column; those in the worst states before others. */
const COLUMNS_MAX = 8;
const names = new Intl.Collator("en", { numeric: true });

/** @param only the id of the one connection that is shown */
export function buildMatrix(checks: readonly Pick<Check, "states">[], only?: string): Matrix {
	const found = new Map<string, { readonly id: string; readonly name: string; rank: number }>();
	let hasAcross = false;
	for (const { states } of checks) {
		for (const { controller_connection_id: id, controller_connection_name: name, state } of states) {
			if (id === null) {
				hasAcross = true;
				continue;
			}
			if (only !== undefined && id !== only) continue;
			const known = found.get(id);
			if (known === undefined) found.set(id, { id, name: name ?? id, rank: getRank(state) });
			else known.rank = Math.max(known.rank, getRank(state));
		}
	}
	const byName = (a: MatrixColumn, b: MatrixColumn) => names.compare(a.name, b.name);
	const shown = [...found.values()].sort((a, b) => b.rank - a.rank || byName(a, b)).slice(0, COLUMNS_MAX);
	return {
		columns: shown.sort(byName).map(({ id, name }) => ({ id, name })),
		hasAcross,
		hasOthers: found.size > shown.length,
	};
}

/** Entries of connections without a column. */
export const collectOthers = ({ states }: Pick<Check, "states">, { columns }: Matrix): CheckStateEntry[] =>
	states.filter(({ controller_connection_id: id }) => id !== null && !columns.some((column) => column.id === id));

/** Whether an active check is evaluated only when a person runs its query. */
export const isUnwatched = ({ is_active, is_watched }: Pick<Check, "is_active" | "is_watched">): boolean =>
	is_active && !is_watched;
