/** Violating rows of a state: a sample, with the true number of violations. */
import type { Check, CheckConfig, CheckSampleRow, CheckStateEntry } from "@weft/contracts";
import { checkRoutes } from "@weft/contracts/browser";
import { CircleCheck } from "lucide-react";
import { useMemo } from "react";
import { useAnswer } from "../../platform/call.ts";
import { formatCount, formatPlural } from "../../platform/format.ts";
import { useTimes } from "../../platform/profile.ts";
import { nameFile } from "../../platform/workbook.ts";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";
import { ResultGrid } from "../runs/grid/grid.tsx";
import { readSort, writeSort } from "../runs/grid/sort.ts";
import { iterateFields } from "../runs/grid/table.ts";
import { buildEntryKey } from "./entries.ts";
import { formatConnectionName } from "./words.tsx";

interface EvidenceProps {
	readonly check: Check;
	readonly entry: CheckStateEntry;
	readonly filter: string;
	readonly sort: string | undefined;
	readonly group: string | undefined;
	onFilter(text: string | undefined): void;
	onSort(sort: string | undefined): void;
	onGroup(group: string | undefined): void;
}

export function Evidence({ check, entry, ...view }: EvidenceProps) {
	const { id } = check;
	const connection_id = buildEntryKey(entry);
	const answer = useAnswer(checkRoutes.evidence, { params: { id, connection_id } }, { enabled: entry.violations > 0 });
	const times = useTimes();
	const title = `Evidence: ${formatConnectionName(entry)}`;
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
							No rows are shown: they are too large to be stored, or they are of fabrics that you do not see.
						</Empty>
					) : (
						<div style={{ height: computeGridHeight(sample.length) }}>
							<SampleGrid
								source={`${id} ${connection_id} ${last_evaluated_at}`}
								scope={`check ${id}`}
								name={nameFile(
									check.name,
									[formatConnectionName(entry)],
									times.getDay(last_evaluated_at ?? Date.now()),
								)}
								connection={entry.controller_connection_id}
								sample={sample}
								first={listConditionFields(check)}
								{...view}
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

interface SampleGridProps extends Omit<EvidenceProps, "check" | "entry"> {
	/** Another value is another sample. */
	readonly source: string;
	readonly scope: string;
	/** Name of exported files, without an ending. */
	readonly name: string;
	/** Id of the connection of all rows; null for rows of several. */
	readonly connection: string | null;
	readonly sample: readonly SampleRow[];
	/** Fields of the first columns. */
	readonly first?: readonly string[];
}

interface SampleRow extends CheckSampleRow {
	readonly violating_fields?: readonly string[];
}

/** Name of the column with the violating fields of a row. */
const VIOLATES = "violates";

export function SampleGrid(props: SampleGridProps) {
	const { source, scope, name, connection, sample, first = [], filter, sort, group, onFilter, onSort, onGroup } = props;
	const rows = useMemo(() => getRows(sample), [sample]);
	const columns = [...new Set([...first.map(getColumn), VIOLATES])];
	return (
		<ResultGrid
			source={{ key: source, rows, first: columns }}
			first={columns}
			marks={VIOLATES}
			scope={scope}
			name={name}
			label="violations"
			origin={{ query: null, controller: connection }}
			filter={filter}
			sort={readSort(sort)}
			group={group ?? null}
			onFilter={(text) => onFilter(text || undefined)}
			onSort={(next) => onSort(writeSort(next))}
			onGroup={(next) => onGroup(next ?? undefined)}
		/>
	);
}

/** Returns the column of a field, which may be a path such as `fvBD.attributes.mtu`. */
const getColumn = (field: string): string => field.slice(field.lastIndexOf(".") + 1);

/** Adds the connection to rows of several connections, and the violating fields to each row. */
function getRows(sample: readonly SampleRow[]): unknown[] {
	const connections = new Set(sample.map(({ connection }) => connection));
	return sample.map(({ connection, row, violating_fields: fields = [] }) => {
		if (connections.size === 1 && fields.length === 0) return row;
		return Object.fromEntries([
			...(connections.size === 1 ? [] : [["connection", connection] as const]),
			...iterateFields(row),
			...(fields.length === 0 ? [] : [[VIOLATES, fields.map(getColumn).join(", ")] as const]),
		]);
	});
}

/** Lists the fields of a check's conditions. */
function listConditionFields({ type, config }: Pick<Check, "type" | "config">): string[] {
	if (type === "each_row") return (config as unknown as CheckConfig<"each_row">).conditions.map(({ field }) => field);
	return type === "unique" ? [...(config as unknown as CheckConfig<"unique">).fields] : [];
}
