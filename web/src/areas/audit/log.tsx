/** The audit log: facets with counts, filters in the address, one entry beside the list. */
import { getRouteApi } from "@tanstack/react-router";
import type { AuditEntry } from "@weft/contracts";
import { AUDIT_CATEGORIES, AUDIT_EXPORT_ROWS, AUDIT_WINDOWS, auditRoutes } from "@weft/contracts/browser";
import { ScrollText } from "lucide-react";
import { useState } from "react";
import { type AnswerOf, callRoute, invalidateAreas, useAnswer } from "../../platform/call.ts";
import { formatCount, formatPlural } from "../../platform/format.ts";
import { parseTable } from "../../platform/parse-table.ts";
import { useTimes } from "../../platform/profile.ts";
import { useSearchState } from "../../platform/search-state.ts";
import { nameFile, type Sheet } from "../../platform/workbook.ts";
import { Button } from "../../ui/button.tsx";
import { joinClasses } from "../../ui/classes.ts";
import { CopyAs } from "../../ui/copy-as.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/field.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { Empty, Loaded, Panel } from "../../ui/page.tsx";
import { PagedList } from "../../ui/paged-list.tsx";
import { PeriodFields, toInstants } from "../../ui/period.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { SheetMenu } from "../../ui/sheet-menu.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { EntryView } from "./entry.tsx";
import { AuditFrame } from "./frame.tsx";
import { CATEGORY_NAMES } from "./words.ts";

const route = getRouteApi("/app/audit");
const SIZE = 50;
type Category = (typeof AUDIT_CATEGORIES)[number];
type Window = (typeof AUDIT_WINDOWS)[number];

const getCategory = (text: string | undefined): Category | undefined =>
	AUDIT_CATEGORIES.find((known) => known === text);

export function AuditPage() {
	const times = useTimes();
	const [search, set] = useSearchState(route.useSearch(), route.useNavigate(), { replace: true });
	const {
		q = "",
		username = "",
		ip = "",
		request = "",
		action = "",
		from,
		to,
		page = "1",
		entry,
		window: chosen,
	} = search;
	const category = getCategory(search.category);
	const span: Window = AUDIT_WINDOWS.find((known) => known === chosen) ?? "24h";
	const filter = {
		...(q === "" ? {} : { search: q }),
		...(category === undefined ? {} : { category }),
		...(action === "" ? {} : { action }),
		...(username === "" ? {} : { username }),
		...(ip === "" ? {} : { ip }),
		...(request === "" ? {} : { request_id: request }),
		...toInstants({ from, to }, times),
	};
	const query = { page, page_size: String(SIZE), ...filter };
	const answer = useAnswer(auditRoutes.list, { query }, { keepPrevious: true });
	const stats = useAnswer(auditRoutes.stats, { query: { window: span } });
	const narrow = (change: Partial<typeof search>) => set({ ...change, page: undefined });
	const isFiltered = Object.keys(filter).length > 0;
	return (
		<AuditFrame
			title="Audit log"
			facts={answer.data && formatPlural(answer.data.count, "entry", "entries")}
			actions={
				<>
					<CopyAs call={() => ({ route: auditRoutes.list, query })} />
					<Export filter={filter} matches={answer.data?.count} />
				</>
			}
		>
			<div className="grid items-start gap-3 lg:grid-cols-[220px_minmax(0,1fr)]">
				<Facets
					stats={stats}
					span={span}
					category={category}
					onSpan={(value) => set({ window: value })}
					onCategory={(value) => narrow({ category: value })}
				/>
				<div className="flex min-w-0 flex-col gap-3">
					<search className="flex flex-wrap gap-2">
						<SearchField
							value={q}
							label="Words of the description"
							onChange={(text) => narrow({ q: text || undefined })}
						/>
						<FilterSelect
							label="Category"
							any="Any category"
							value={category}
							options={AUDIT_CATEGORIES.map((value) => ({ value, label: CATEGORY_NAMES[value] }))}
							onChange={(value) => narrow({ category: value })}
						/>
						{(
							[
								["action", "Action", action],
								["username", "Username", username],
								["ip", "IP address", ip],
								["request", "Request id", request],
							] as const
						).map(([name, label, value]) => (
							<SearchField
								key={name}
								mono={name !== "username"}
								value={value}
								label={label}
								className="w-40"
								onChange={(text) => narrow({ [name]: text || undefined })}
							/>
						))}
						<PeriodFields from={from} to={to} onChange={narrow} />
						{isFiltered && (
							<Button
								variant="ghost"
								onClick={() =>
									narrow({
										q: undefined,
										category: undefined,
										action: undefined,
										username: undefined,
										ip: undefined,
										request: undefined,
										from: undefined,
										to: undefined,
									})
								}
							>
								Clear filters
							</Button>
						)}
					</search>
					<PagedList
						answer={answer}
						lines={10}
						page={Number(page)}
						pageSize={SIZE}
						empty={<Empty icon={ScrollText}>{isFiltered ? "No entry matches." : "The log is empty."}</Empty>}
						onPage={(next) => set({ page: String(next) })}
					>
						{(rows) => <Entries rows={rows} onOpen={(id) => set({ entry: String(id) })} />}
					</PagedList>
				</div>
			</div>
			{entry !== undefined && (
				<EntryView
					id={entry}
					onClose={() => set({ entry: undefined })}
					onFilter={(change) => narrow({ ...change, entry: undefined })}
				/>
			)}
		</AuditFrame>
	);
}

interface FacetsProps {
	readonly stats: ReturnType<typeof useAnswer<typeof auditRoutes.stats>>;
	readonly span: Window;
	readonly category: Category | undefined;
	onSpan(span: Window): void;
	onCategory(category: Category | undefined): void;
}

const SPANS: Readonly<Record<Window, string>> = { "24h": "24 hours", "7d": "7 days", "30d": "30 days" };

function Facets({ stats, span, category, onSpan, onCategory }: FacetsProps) {
	return (
		<Panel
			title="Last"
			aside={
				<SelectField
					hideLabel
					label="Period of the counts"
					value={span}
					options={AUDIT_WINDOWS.map((value) => ({ value, label: SPANS[value] }))}
					onChange={(event) => onSpan(event.target.value as Window)}
				/>
			}
		>
			<Loaded answer={stats} lines={6}>
				{({ total, by_category, failed_logins, unique_actors }: AnswerOf<typeof auditRoutes.stats>) => (
					<>
						<dl className="m-0 grid grid-cols-[1fr_auto] gap-x-3 gap-y-1 border-line border-b px-3 py-2">
							<dt className="text-muted">Entries</dt>
							<dd className="num m-0 text-right">{formatCount(total)}</dd>
							<dt className="text-muted">Users</dt>
							<dd className="num m-0 text-right">{formatCount(unique_actors)}</dd>
							<dt className="text-muted">Failed sign-ins</dt>
							<dd className="num m-0 text-right">{formatCount(failed_logins)}</dd>
						</dl>
						<ul aria-label="Categories" className="m-0 flex list-none flex-col p-1">
							{Object.entries(by_category)
								.sort(([, a], [, b]) => b - a)
								.map(([name, entries]) => (
									<li key={name}>
										<button
											type="button"
											aria-pressed={category === name}
											className={joinClasses(
												"flex h-7 w-full items-center gap-2 rounded-control px-2 text-left hover:bg-sunken",
												category === name && "bg-accent-soft font-medium text-accent-text",
											)}
											onClick={() => onCategory(category === name ? undefined : getCategory(name))}
										>
											<span className="min-w-0 flex-1 truncate">{CATEGORY_NAMES[name as Category] ?? name}</span>
											<span className="num">{formatCount(entries)}</span>
										</button>
									</li>
								))}
						</ul>
					</>
				)}
			</Loaded>
		</Panel>
	);
}

function Entries({ rows, onOpen }: { rows: readonly AuditEntry[]; onOpen(id: number): void }) {
	const times = useTimes();
	const columns: Column<AuditEntry>[] = [
		{
			key: "when",
			head: "When",
			cell: ({ created_at }) => (
				<span className="whitespace-nowrap" title={times.relative(created_at)}>
					{times.dateTime(created_at)}
				</span>
			),
		},
		{
			key: "user",
			head: "User",
			cell: ({ username }) => <span className="block max-w-32 truncate">{username || "-"}</span>,
		},
		{
			key: "what",
			head: "Entry",
			className: "w-1/2 min-w-60",
			cell: ({ id, description, action }) => (
				<button
					type="button"
					className="block max-w-full truncate rounded-cell text-left hover:underline"
					title={description || action}
					onClick={() => onOpen(id)}
				>
					{description || action}
				</button>
			),
		},
		{
			key: "category",
			head: "Category",
			cell: ({ category }) => (
				<span className="whitespace-nowrap text-muted">{CATEGORY_NAMES[category] ?? category}</span>
			),
		},
		{
			key: "ip",
			head: "Address",
			cell: ({ ip_address }) => <span className="mono">{ip_address === "" ? "-" : (ip_address ?? "unknown")}</span>,
		},
	];
	return <Table label="Audit log" columns={columns} rows={rows} getKey={({ id }) => String(id)} />;
}

type ExportFilter = NonNullable<Parameters<typeof callRoute<typeof auditRoutes.export>>[1]>["query"];

interface ExportProps {
	readonly filter: ExportFilter;
	/** Undefined while it is not known. */
	readonly matches: number | undefined;
}

/** Reads the matching entries, the newest first. The audit log records it. */
async function readEntries(filter: ExportFilter): Promise<Sheet> {
	const text: unknown = await callRoute(auditRoutes.export, { query: filter });
	const [columns = [], ...rows] = parseTable(String(text));
	return { name: "Audit log", columns, count: rows.length, row: (at) => rows[at] ?? [] };
}

/** Says before the download when it would not have every entry. */
function Export({ filter, matches }: ExportProps) {
	const times = useTimes();
	/** Resolves the question with the answer of the person. Null while no question is open. */
	const [answer, setAnswer] = useState<((goesOn: boolean) => void) | null>(null);
	const end = (goesOn: boolean) => {
		answer?.(goesOn);
		setAnswer(null);
	};
	const tooMany = matches !== undefined && matches > AUDIT_EXPORT_ROWS;
	return (
		<>
			<SheetMenu
				name={nameFile("audit-log", [], times.getDay(Date.now()))}
				disabled={matches === undefined || matches === 0}
				read={async () => {
					if (tooMany && !(await new Promise<boolean>((resolve) => setAnswer(() => resolve)))) return null;
					const sheet = await readEntries(filter);
					void invalidateAreas("audit");
					return sheet;
				}}
			/>
			<Dialog
				open={answer !== null}
				title="The export has a limit"
				onClose={() => end(false)}
				actions={
					<>
						<Button onClick={() => end(false)}>Cancel</Button>
						<Button variant="primary" onClick={() => end(true)}>
							Export the first {formatCount(AUDIT_EXPORT_ROWS)}
						</Button>
					</>
				}
			>
				<p className="m-0">
					{formatPlural(matches ?? 0, "entry matches", "entries match")}; a file has at most{" "}
					{formatCount(AUDIT_EXPORT_ROWS)}, the newest first. To export all of them, choose shorter periods and export
					each.
				</p>
			</Dialog>
		</>
	);
}
