/** Saved queries, templates, and their runs in one list. */
import { getRouteApi, Link } from "@tanstack/react-router";
import {
	executionLogRoutes,
	queryCategoryRoutes,
	SAVED_QUERY_ORDERINGS,
	savedQueryRoutes,
} from "@weft/contracts/browser";
import { Download, Ellipsis, Library, MessageCircleQuestion, Plus, Upload } from "lucide-react";
import { type ChangeEvent, useRef, useState } from "react";
import { useAction, useAnswer } from "../../../platform/call.ts";
import { formatPlural } from "../../../platform/format.ts";
import { useCommands } from "../../../platform/keys.ts";
import { useMay } from "../../../platform/profile.ts";
import { ButtonLink, IconButton } from "../../../ui/button.tsx";
import { joinClasses } from "../../../ui/classes.ts";
import { CopyAs } from "../../../ui/copy-as.tsx";
import { SelectField } from "../../../ui/field.tsx";
import { FilterSelect } from "../../../ui/filter-select.tsx";
import { Menu } from "../../../ui/menu.tsx";
import { Empty, PageHead } from "../../../ui/page.tsx";
import { PagedList } from "../../../ui/paged-list.tsx";
import { SearchField } from "../../../ui/search-field.tsx";
import { showProblem } from "../../../ui/toast.tsx";
import { ExportDialog } from "./export-dialog.tsx";
import { HistoryTable, SIZE } from "./history-table.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { planImport } from "./query-files.ts";
import { QueryTable } from "./query-table.tsx";

const route = getRouteApi("/app/library");

const VIEWS = [
	["all", "All"],
	["mine", "Mine"],
	["favorites", "Favorites"],
	["templates", "Templates"],
	["history", "History"],
] as const;

type Ordering = (typeof SAVED_QUERY_ORDERINGS)[number];
const ORDERS: Readonly<Record<string, string>> = {
	"-updated_at": "Last changed",
	"-last_executed_at": "Last run",
	"-execution_count": "Most runs",
	name: "By name",
	"-created_at": "Newest",
};

const DEFAULT_ORDER = "-updated_at";

/** What the list asks the service. */
function buildListQuery(search: ReturnType<typeof route.useSearch>) {
	const { q = "", view = "all", category, order = DEFAULT_ORDER, page = "1" } = search;
	return {
		page,
		page_size: String(SIZE),
		ordering: (isOrdering(order) ? order : "-updated_at") as `-${Ordering}`,
		...(q === "" ? {} : { search: q }),
		...(category === undefined ? {} : { category }),
		...(view === "mine" ? { my_queries: "true" as const } : {}),
		...(view === "favorites" ? { is_favorite: "true" as const } : {}),
		...(view === "templates" ? { is_template: "true" as const } : {}),
	};
}

export function LibraryPage() {
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const may = useMay();
	const { q = "", view = "all", category, order = DEFAULT_ORDER, page = "1" } = search;
	const set = (change: Partial<typeof search>) =>
		void navigate({ search: (before) => ({ ...before, page: undefined, ...change }) });
	const history = view === "history";
	const query = buildListQuery(search);
	const answer = useAnswer(savedQueryRoutes.list, { query }, { enabled: !history, keepPrevious: true });
	const canAdd = may("add_savedquery");
	useCommands([
		...(canAdd
			? [
					{
						id: "library.new",
						label: "New query",
						group: "Library",
						keys: "c",
						run: () => void navigate({ to: "/builder" }),
					},
				]
			: []),
	]);
	return (
		<>
			<PageHead
				title="Library"
				crumbs={[{ label: "Query" }]}
				facts={!history && answer.data && formatPlural(answer.data.count, "query", "queries")}
				actions={
					<>
						<SearchField
							value={q}
							label="Filter queries"
							onChange={(text) =>
								void navigate({
									search: (before) => ({ ...before, q: text || undefined, page: undefined }),
									replace: true,
								})
							}
						/>
						<CopyAs
							call={() => (history ? { route: executionLogRoutes.list } : { route: savedQueryRoutes.list, query })}
						/>
						<FileMenu canAdd={canAdd} />
						<ButtonLink icon={MessageCircleQuestion} to="/gallery">
							Gallery
						</ButtonLink>
						{canAdd && (
							<ButtonLink variant="primary" icon={Plus} to="/builder">
								New query
							</ButtonLink>
						)}
					</>
				}
			/>
			<div className="flex flex-col gap-3 px-5 pb-5 max-sm:px-4">
				<div className="flex flex-wrap items-center gap-2">
					<Views view={view} />
					{!history && <Filters category={category} order={order} onChange={set} />}
				</div>
				{history ? (
					<div className="overflow-hidden rounded-card border border-line bg-surface">
						<HistoryTable page={page} onPage={(to) => set({ page: String(to) })} />
					</div>
				) : (
					<PagedList
						answer={answer}
						lines={8}
						page={Number(page)}
						pageSize={SIZE}
						onPage={(to) => set({ page: String(to) })}
						empty={
							<Empty
								icon={Library}
								action={
									canAdd &&
									q === "" && (
										<>
											<ButtonLink variant="primary" icon={MessageCircleQuestion} to="/gallery">
												Choose a ready question
											</ButtonLink>
											<ButtonLink icon={Plus} to="/builder">
												Draw a query
											</ButtonLink>
										</>
									)
								}
							>
								{q || category ? "No query matches." : (EMPTY[view] ?? EMPTY.all)}
							</Empty>
						}
					>
						{(queries) => <QueryTable queries={queries} />}
					</PagedList>
				)}
			</div>
		</>
	);
}

/** Export and import of queries and other objects as YAML files. */
function FileMenu({ canAdd }: { readonly canAdd: boolean }) {
	const file = useRef<HTMLInputElement>(null);
	const [exporting, setExporting] = useState(false);
	const plan = useAction(planImport, { onError: (error: unknown) => showProblem(error) });
	return (
		<>
			<Menu
				trigger={<IconButton label="Export and import" icon={Ellipsis} />}
				groups={[
					[
						{ label: "Export as YAML", icon: Download, run: () => setExporting(true) },
						...(canAdd ? [{ label: "Import YAML files", icon: Upload, run: () => file.current?.click() }] : []),
					],
				]}
			/>
			<input
				ref={file}
				type="file"
				accept=".yaml,.yml,application/yaml"
				multiple
				aria-label="YAML files"
				hidden
				onChange={(event: ChangeEvent<HTMLInputElement>) => {
					const chosen = [...(event.target.files ?? [])];
					if (chosen.length > 0) plan.mutate(chosen);
					event.target.value = "";
				}}
			/>
			{exporting && <ExportDialog onClose={() => setExporting(false)} />}
			{plan.data && <ImportDialog plan={plan.data} onClose={plan.reset} />}
		</>
	);
}

function Views({ view }: { readonly view: string }) {
	return (
		<nav aria-label="Views" className="flex flex-wrap overflow-hidden rounded-control border border-line bg-surface">
			{VIEWS.map(([value, label]) => (
				<Link
					key={value}
					from="/library"
					search={(before: Record<string, string | undefined>) => ({
						...before,
						view: value === "all" ? undefined : value,
						page: undefined,
					})}
					aria-current={view === value ? "page" : undefined}
					className={joinClasses(
						"grid h-7 place-items-center px-2.5",
						view === value ? "bg-accent-soft font-medium text-accent-text" : "hover:bg-sunken",
					)}
				>
					{label}
				</Link>
			))}
		</nav>
	);
}

interface FiltersProps {
	/** Id of the category; undefined: any. */
	readonly category: string | undefined;
	readonly order: string;
	onChange(change: { category?: string | undefined; order?: string }): void;
}

function Filters({ category, order, onChange }: FiltersProps) {
	const categories = useAnswer(queryCategoryRoutes.list, { query: { page_size: "200" } }, { staleTime: 60_000 });
	return (
		<>
			<FilterSelect
				label="Category"
				any="Any category"
				value={category}
				options={categories.data?.results.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
				onChange={(value) => onChange({ category: value })}
			/>
			<SelectField
				hideLabel
				label="Order"
				value={order}
				options={Object.entries(ORDERS).map(([value, label]) => ({ value, label }))}
				onChange={(event) => onChange({ order: event.target.value })}
			/>
		</>
	);
}

const EMPTY: Readonly<Record<string, string>> = {
	all: "A saved query is a canvas of classes and filters. It has versions, and can be shared, scheduled and stored as snapshots.",
	mine: "You have no saved queries yet.",
	favorites: "No favorites yet. Star a query to add it.",
	templates: "No templates yet. Templates are queries to start from.",
};

const isOrdering = (text: string): boolean => SAVED_QUERY_ORDERINGS.some((name) => name === text.replace(/^-/, ""));
