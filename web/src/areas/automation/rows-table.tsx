/** The rows of a request as they are sent, with their results. Draws only visible rows. */

import { useVirtualizer } from "@tanstack/react-virtual";
import type { InputData } from "@weft/contracts";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { formatCount, formatPlural } from "../../platform/format.ts";
import { formatValue } from "../../platform/value-text.ts";
import { joinClasses } from "../../ui/classes.ts";
import { SelectField } from "../../ui/field.tsx";
import { ValueText } from "../../ui/object-link.tsx";
import { Empty } from "../../ui/page.tsx";
import { buildRowKey, listColumns, listSheets, type RowOutcome, type Sheet } from "./rows-model.ts";
import { ROW_LOOKS, RowStatus } from "./words.tsx";

const ROW_PX = 28;

interface RowsViewProps {
	readonly data: InputData | null;
	readonly snapshot: Readonly<Record<string, unknown>>;
	/** By row; null while there are none. */
	readonly outcomes: ReadonlyMap<string, RowOutcome> | null;
	/** Id of the connection to which DNs lead; null if not known. */
	readonly connection?: string | null;
}

export function RowsView({ data, snapshot, outcomes, connection = null }: RowsViewProps) {
	const sheets = useMemo(() => listSheets(data), [data]);
	const [chosen, setChosen] = useState(0);
	const [status, setStatus] = useState("");
	const sheet = sheets[chosen] ?? sheets[0];
	const counts = useMemo(() => {
		const found = new Map<string, number>();
		for (const outcome of outcomes?.values() ?? []) found.set(outcome.status, (found.get(outcome.status) ?? 0) + 1);
		return found;
	}, [outcomes]);
	if (sheet === undefined || sheets.every(({ rows }) => rows.length === 0))
		return <Empty>This request has no rows.</Empty>;
	return (
		<>
			{(sheets.length > 1 || counts.size > 0) && (
				<div className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-1.5">
					{sheets.length > 1 && (
						<SelectField
							hideLabel
							label="Sheet"
							value={String(sheets.indexOf(sheet))}
							options={sheets.map(({ name, rows }, at) => ({
								value: String(at),
								label: `${name} (${formatCount(rows.length)})`,
							}))}
							onChange={(event) => setChosen(Number(event.target.value))}
						/>
					)}
					{counts.size > 0 && (
						<SelectField
							hideLabel
							label="Result"
							value={status}
							options={[
								{ value: "", label: "All results" },
								...[...counts].map(([value, number]) => ({
									value,
									label: `${ROW_LOOKS[value]?.[0] ?? value} (${formatCount(number)})`,
								})),
							]}
							onChange={(event) => setStatus(event.target.value)}
						/>
					)}
				</div>
			)}
			<RowsTable key={sheet.name} {...{ sheet, snapshot, outcomes, status, connection }} />
		</>
	);
}

interface RowsTableProps {
	readonly sheet: Sheet;
	readonly snapshot: Readonly<Record<string, unknown>>;
	readonly outcomes: ReadonlyMap<string, RowOutcome> | null;
	/** Shows only rows with this result; empty: all. */
	readonly status: string;
	readonly connection: string | null;
}

function RowsTable({ sheet, snapshot, outcomes, status, connection }: RowsTableProps) {
	const frame = useRef<HTMLDivElement>(null);
	const columns = useMemo(() => listColumns(sheet, snapshot), [sheet, snapshot]);
	const shown = useMemo(() => {
		const all = sheet.rows.map((_, index) => index);
		return status === ""
			? all
			: all.filter((index) => outcomes?.get(buildRowKey(sheet.name, index))?.status === status);
	}, [sheet, outcomes, status]);
	const rows = useVirtualizer({
		count: shown.length,
		getScrollElement: () => frame.current,
		estimateSize: () => ROW_PX,
		overscan: 12,
	});
	const layout = {
		gridTemplateColumns: `56px ${outcomes ? "140px minmax(160px, 1fr) " : ""}repeat(${columns.length}, minmax(120px, 1fr))`,
	};
	const cell = "truncate border-line border-b px-2 leading-[27px]";
	return (
		// biome-ignore lint/a11y/useSemanticElements: only the visible rows are in the page
		<div
			ref={frame}
			role="table"
			aria-label={sheet.name === null ? "Rows" : `Rows of ${sheet.name}`}
			aria-rowcount={shown.length + 1}
			// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
			tabIndex={0}
			className="max-h-[60vh] min-h-24 overflow-auto outline-offset-[-2px]"
		>
			<div className="w-max min-w-full">
				{/* biome-ignore lint/a11y/useSemanticElements: see above */}
				<div
					role="row"
					tabIndex={-1}
					aria-rowindex={1}
					className="sticky top-0 z-[1] grid bg-sunken text-muted"
					style={layout}
				>
					{["#", ...(outcomes ? ["Result", "Hosts"] : []), ...columns].map((name) => (
						// biome-ignore lint/a11y/useSemanticElements: see above
						<span role="columnheader" tabIndex={-1} key={name} className={cell} title={name}>
							{name}
						</span>
					))}
				</div>
				{/* biome-ignore lint/a11y/useSemanticElements: see above */}
				<div role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }}>
					{rows.getVirtualItems().map(({ index: at, start }) => {
						const index = shown[at] ?? 0;
						const row = sheet.rows[index];
						const outcome = outcomes?.get(buildRowKey(sheet.name, index));
						return (
							// biome-ignore lint/a11y/useSemanticElements: see above
							<div
								key={index}
								role="row"
								tabIndex={-1}
								aria-rowindex={at + 2}
								className="absolute inset-x-0 grid hover:bg-sunken"
								style={{ ...layout, height: ROW_PX, transform: `translateY(${start}px)` }}
							>
								<Cell className={joinClasses(cell, "num text-muted")}>{formatCount(index + 1)}</Cell>
								{outcomes && (
									<>
										<Cell className={joinClasses(cell, "flex items-center")}>
											{outcome && <RowStatus status={outcome.status} />}
										</Cell>
										<Cell className={joinClasses(cell, "text-muted")} title={outcome ? formatDetails(outcome) : ""}>
											{outcome && formatSummary(outcome)}
										</Cell>
									</>
								)}
								{columns.map((name) => {
									const text = formatValue(row?.[name]);
									return (
										<Cell key={name} className={joinClasses(cell, "mono")} title={text ?? ""}>
											{text === null ? (
												<span className="text-muted">-</span>
											) : (
												<ValueText text={text} connection={connection} />
											)}
										</Cell>
									);
								})}
							</div>
						);
					})}
				</div>
			</div>
		</div>
	);
}

function Cell({ className, title, children }: { className: string; title?: string; children: ReactNode }) {
	return (
		// biome-ignore lint/a11y/useSemanticElements: see the table
		<span role="cell" className={className} title={title}>
			{children}
		</span>
	);
}

/** The message of the worst host, or the names of all. */
function formatSummary({ status, hosts }: RowOutcome): string {
	const worst = hosts.find((host) => host.status === status);
	const names = hosts.map(({ host }) => host).filter(Boolean);
	const where = names.length > 2 ? formatPlural(names.length, "host") : names.join(", ");
	if (!worst || worst.message === "") return where;
	return worst.host === "" ? worst.message : `${worst.host}: ${worst.message}`;
}

const formatDetails = ({ hosts }: RowOutcome): string =>
	hosts.map(({ host, status, message }) => `${host}: ${status}${message === "" ? "" : `, ${message}`}`).join("\n");
