/** Violating rows of a state: a sample, with the true number of violations. */
import type { CheckSampleRow, CheckStateEntry } from "@weft/contracts";
import { checkRoutes } from "@weft/contracts/browser";
import { CircleCheck } from "lucide-react";
import { useMemo } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatCount, formatPlural } from "../../platform/format.ts";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";
import { ResultGrid } from "../runs/grid/grid.tsx";
import { readSort, writeSort } from "../runs/grid/sort.ts";
import { iterateFields } from "../runs/grid/table.ts";
import { buildEntryKey } from "./entries.ts";
import { placeName } from "./words.tsx";

interface EvidenceProps {
	/** Of the check. */
	readonly id: string;
	readonly entry: CheckStateEntry;
	readonly filter: string;
	readonly sort: string | undefined;
	onFilter(text: string | undefined): void;
	onSort(sort: string | undefined): void;
}

export function Evidence({ id, entry, filter, sort, onFilter, onSort }: EvidenceProps) {
	const connection_id = buildEntryKey(entry);
	const answer = useAnswer(checkRoutes.evidence, { params: { id, connection_id } }, { enabled: entry.violations > 0 });
	const title = `Evidence: ${placeName(entry)}`;
	if (entry.violations === 0) {
		return (
			<Panel title={title}>
				<Empty {...(entry.state === "ok" ? { icon: CircleCheck } : {})}>
					{NOTHING[entry.state] ?? NOTHING.unknown}
				</Empty>
			</Panel>
		);
	}
	return (
		<Panel
			title={title}
			aside={answer.data && <Amount shown={answer.data.sample.length} all={answer.data.violations} />}
		>
			<Loaded answer={answer} lines={4}>
				{({ sample, last_evaluated_at }) =>
					sample.length === 0 ? (
						<Empty>
							No rows are shown: they are too large to be stored, or they are of connections that you do not see.
						</Empty>
					) : (
						<div style={{ height: computeGridHeight(sample.length) }}>
							<SampleGrid
								source={`${id} ${connection_id} ${last_evaluated_at}`}
								scope={`check ${id}`}
								connection={entry.controller_connection_id}
								sample={sample}
								filter={filter}
								sort={sort}
								onFilter={onFilter}
								onSort={onSort}
							/>
						</div>
					)
				}
			</Loaded>
		</Panel>
	);
}

const NOTHING: Readonly<Record<string, string>> = {
	ok: "The latest run meets the check.",
	error: "The check could not be evaluated: there is no evidence.",
	unknown: "Not evaluated yet.",
};

/** As high as the rows need, up to a part of the window: more rows are scrolled to. */
export const computeGridHeight = (rows: number): string => `min(70vh, 26rem, calc(9rem + ${rows} * var(--row)))`;

export function Amount({ shown, all }: { shown: number; all: number }) {
	return (
		<span className="num text-muted">
			{shown < all ? `${formatCount(shown)} of ${formatPlural(all, "violation")}` : formatPlural(all, "violation")}
		</span>
	);
}

interface SampleGridProps extends Omit<EvidenceProps, "id" | "entry"> {
	/** Another value is another sample. */
	readonly source: string;
	readonly scope: string;
	/** Id of the connection of all rows; null for rows of several. */
	readonly connection: string | null;
	readonly sample: readonly CheckSampleRow[];
}

export function SampleGrid({ source, scope, connection, sample, filter, sort, onFilter, onSort }: SampleGridProps) {
	const rows = useMemo(() => getRows(sample), [sample]);
	return (
		<ResultGrid
			source={{ key: source, rows }}
			scope={scope}
			name="violations"
			origin={{ query: null, controller: connection }}
			filter={filter}
			sort={readSort(sort)}
			onFilter={(text) => onFilter(text || undefined)}
			onSort={(next) => onSort(writeSort(next))}
		/>
	);
}

/** Rows of several connections name theirs. */
function getRows(sample: readonly CheckSampleRow[]): unknown[] {
	const connections = new Set(sample.map(({ connection }) => connection));
	if (connections.size === 1) return sample.map(({ row }) => row);
	return sample.map(({ connection, row }) => Object.fromEntries([["connection", connection], ...iterateFields(row)]));
}
