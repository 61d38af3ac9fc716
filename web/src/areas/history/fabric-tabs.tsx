/** The differences of two fabrics in three tabs, with a search and files. */
import { Download, EqualApproximately } from "lucide-react";
import type { ReactNode } from "react";
import { useAction } from "../../platform/call.ts";
import { formatCount, formatPlural } from "../../platform/format.ts";
import { saveFile } from "../../platform/save-file.ts";
import { nameFile, saveWorkbook, writeSheetAsCsv, writeSheetAsJson, writeWorkbook } from "../../platform/workbook.ts";
import { Button } from "../../ui/button.tsx";
import { getTabClass } from "../../ui/classes.ts";
import { Menu } from "../../ui/menu.tsx";
import { Empty } from "../../ui/page.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { type Column, Pager, Table } from "../../ui/table.tsx";
import { showProblem } from "../../ui/toast.tsx";
import {
	type AttributeLine,
	type Both,
	type FabricDifferences,
	type LoneObject,
	searchDifferences,
	writeSheets,
} from "./fabric-lines.ts";

const PAGE = 100;

/** Part of the address of the page. */
export interface TabsSearch {
	/** "a": only in the first fabric, "b": only in the second one; else those that differ. */
	readonly show?: string | undefined;
	readonly q?: string | undefined;
	readonly page?: string | undefined;
}

interface FabricTabsProps {
	readonly differences: FabricDifferences;
	readonly fabrics: Both<string>;
	readonly search: TabsSearch;
	/** Name of the query, for the names of files. */
	readonly name: string;
	/** Day of the rows, as YYYY-MM-DD, for the names of files. */
	readonly day: string;
	/** The sentence in place of the tabs where nothing differs. */
	readonly equal: ReactNode;
	/** Draws the name of an object in the first (0) or second fabric as a link. */
	linkObject(name: string, at: 0 | 1): ReactNode;
	onSearch(change: TabsSearch): void;
}

export function FabricTabs({ differences, fabrics, search, name, day, equal, linkObject, onSearch }: FabricTabsProps) {
	const { show, q = "" } = search;
	const { differ, only } = differences;
	if (differ.length + only[0].length + only[1].length === 0) return <Empty icon={EqualApproximately}>{equal}</Empty>;
	const shown = searchDifferences(differences, q);
	const tab = show === "a" || show === "b" ? show : "differ";
	const tabs = [
		["differ", "Differ", shown.differ.length],
		["a", `Only in ${fabrics[0]}`, shown.only[0].length],
		["b", `Only in ${fabrics[1]}`, shown.only[1].length],
	] as const;
	const at = tab === "a" ? 0 : 1;
	const page = Math.max(1, Number(search.page) || 1);
	const paged = { page, linkObject, onPage: (next: number) => onSearch({ page: String(next) }) };
	return (
		<section
			aria-label="Differences of the fabrics"
			className="overflow-hidden rounded-card border border-line bg-surface"
		>
			<div className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-2">
				<SearchField
					value={q}
					label="Search objects, attributes and values"
					className="min-w-52 flex-1 basis-64 sm:max-w-md"
					onChange={(text) => onSearch({ q: text || undefined, page: undefined })}
				/>
				<span className="flex-1" />
				<ExportMenu
					file={nameFile(name, fabrics, day)}
					differences={shown}
					fabrics={fabrics}
					tab={tabs.findIndex(([key]) => key === tab)}
				/>
			</div>
			<div role="tablist" aria-label="Kinds of differences" className="flex overflow-x-auto border-line border-b px-3">
				{tabs.map(([key, label, count]) => (
					<button
						key={key}
						type="button"
						role="tab"
						aria-selected={key === tab}
						className={getTabClass(key === tab)}
						onClick={() => onSearch({ show: key === "differ" ? undefined : key, page: undefined })}
					>
						{label} <span className="num">{formatCount(count)}</span>
					</button>
				))}
			</div>
			{tab === "differ" ? (
				<DifferTable lines={shown.differ} fabrics={fabrics} {...paged} />
			) : (
				<OnlyTable objects={shown.only[at]} at={at} fabric={fabrics[at]} {...paged} />
			)}
		</section>
	);
}

interface Paged {
	readonly page: number;
	linkObject(name: string, at: 0 | 1): ReactNode;
	onPage(page: number): void;
}

const getPage = <Row,>(rows: readonly Row[], page: number): readonly Row[] =>
	rows.slice((page - 1) * PAGE, page * PAGE);

function DifferTable({
	lines,
	fabrics,
	page,
	linkObject,
	onPage,
}: Paged & { lines: readonly AttributeLine[]; fabrics: Both<string> }) {
	if (lines.length === 0) return <Empty>No attribute differs.</Empty>;
	const columns: Column<AttributeLine>[] = [
		{
			key: "object",
			head: "Object",
			className: "w-2/5 min-w-56 py-1 max-w-0! max-sm:min-w-36",
			cell: ({ names: [first, second], className, attribute }) => (
				<>
					{linkObject(first, 0)}
					{second !== first && linkObject(second, 1)}
					{className && <span className="mono block truncate text-2xs text-muted">{className}</span>}
					{/* Narrow screens have no room for a column of its own. */}
					<span className="mono block truncate sm:hidden">{attribute}</span>
				</>
			),
		},
		{
			key: "attribute",
			head: "Attribute",
			className: "max-sm:hidden",
			cell: ({ attribute }) => <span className="mono">{attribute}</span>,
		},
		...fabrics.map(
			(fabric, at): Column<AttributeLine> => ({
				key: `value ${at}`,
				head: fabric,
				className: "min-w-28 py-1 max-sm:min-w-20",
				cell: ({ values }) => <Value value={values[at] ?? null} />,
			}),
		),
	];
	return (
		<>
			<Table
				label="Attributes that differ"
				columns={columns}
				rows={getPage(lines, page)}
				getKey={({ names, attribute }) => `${names.join(" ")} ${attribute}`}
			/>
			<Pager page={page} pageSize={PAGE} count={lines.length} onPage={onPage} />
		</>
	);
}

function Value({ value }: { value: string | null }) {
	if (value === null) return <i className="text-muted">(absent)</i>;
	if (value === "") return <i className="text-muted">(empty)</i>;
	return <span className="mono [overflow-wrap:anywhere]">{value}</span>;
}

function OnlyTable({
	objects,
	at,
	fabric,
	page,
	linkObject,
	onPage,
}: Paged & { objects: readonly LoneObject[]; at: 0 | 1; fabric: string }) {
	if (objects.length === 0) return <Empty>{`No object is only in ${fabric}.`}</Empty>;
	const columns: Column<LoneObject>[] = [
		{
			key: "object",
			head: "Object",
			className: "w-2/3 min-w-56 max-w-0!",
			cell: ({ name }) => linkObject(name, at),
		},
		{ key: "class", head: "Class", cell: ({ className }) => <span className="mono">{className}</span> },
		{ key: "name", head: "Name", cell: ({ label }) => label },
	];
	return (
		<>
			<Table
				label={`Objects only in ${fabric}`}
				columns={columns}
				rows={getPage(objects, page)}
				getKey={({ name }) => name}
			/>
			<Pager page={page} pageSize={PAGE} count={objects.length} onPage={onPage} />
		</>
	);
}

interface ExportMenuProps extends Pick<FabricTabsProps, "differences" | "fabrics"> {
	/** Name of the files, without an ending. */
	readonly file: string;
	/** Position of the visible tab. */
	readonly tab: number;
}

function ExportMenu({ file, differences, fabrics, tab }: ExportMenuProps) {
	const sheets = () => writeSheets(differences, fabrics);
	const getTab = () => sheets()[tab] ?? sheets()[0];
	const excel = useAction(async () => saveWorkbook(file, await writeWorkbook(sheets())), { onError: showProblem });
	return (
		<Menu
			trigger={
				<Button icon={Download} busy={excel.isPending}>
					Export
				</Button>
			}
			groups={[
				[
					{ label: "All three tabs as Excel", run: () => excel.mutate() },
					{
						label: "This tab as CSV",
						run: () => saveFile(`${file}.csv`, "text/csv", writeSheetAsCsv(getTab())),
					},
					{
						label: "This tab as JSON",
						run: () => saveFile(`${file}.json`, "application/json", writeSheetAsJson(getTab())),
					},
				],
			]}
		/>
	);
}

/** How many objects two snapshots have that do not differ. */
export const describeEqual = (fabrics: Both<string>, counts: Both<number>, leavesOut: string): string =>
	`No differences between ${fabrics[0]} and ${fabrics[1]}: ` +
	`${formatPlural(counts[0], "object")} and ${formatCount(counts[1])}, ${leavesOut}.`;
