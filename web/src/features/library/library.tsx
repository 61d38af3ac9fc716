/** Saved queries, templates and what was run of them, in one list. */
import { getRouteApi, Link } from "@tanstack/react-router";
import {
	backgroundRunRoutes,
	type ExecutionLog,
	executionLogRoutes,
	queryCategoryRoutes,
	queryExchangeRoutes,
	SAVED_QUERY_ORDERINGS,
	type SavedQuerySummary,
	savedQueryRoutes,
} from "@weft/contracts";
import { CopyPlus, Download, Ellipsis, History, Library, Play, Plus, Star, Trash2, Upload } from "lucide-react";
import { type ChangeEvent, useRef, useState } from "react";
import { send, useAction, useAnswer } from "../../platform/call.ts";
import { count, duration, personName, plural } from "../../platform/format.ts";
import { useCommands } from "../../platform/keys.ts";
import { problemOf } from "../../platform/problem.ts";
import { useMay, useProfile, useTimes } from "../../platform/profile.ts";
import { useTarget } from "../../platform/target.ts";
import { ButtonLink, IconButton } from "../../ui/button.tsx";
import { cx } from "../../ui/classes.ts";
import { CopyAs } from "../../ui/copy-as.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Menu } from "../../ui/menu.tsx";
import { Empty, Loaded, PageHead } from "../../ui/page.tsx";
import { Pill, Status } from "../../ui/pill.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { type Column, Pager, Table } from "../../ui/table.tsx";
import { say } from "../../ui/toast.tsx";
import { saveFile } from "../grid/save-file.ts";

const route = getRouteApi("/app/library");
const SIZE = 50;

const VIEWS = [
	["all", "All"],
	["mine", "Mine"],
	["favorites", "Favorites"],
	["templates", "Templates"],
	["history", "History"],
] as const;

type Ordering = (typeof SAVED_QUERY_ORDERINGS)[number];
const ORDERS: Readonly<Record<string, string>> = {
	"-updated_at": "Changed last",
	"-last_executed_at": "Run last",
	"-execution_count": "Run most",
	name: "By name",
	"-created_at": "Newest",
};

export function LibraryPage() {
	const search = route.useSearch();
	const navigate = route.useNavigate();
	const may = useMay();
	const { q = "", view = "all", category, order = "-updated_at", page = "1" } = search;
	const set = (change: Partial<typeof search>) =>
		void navigate({ search: (before) => ({ ...before, page: undefined, ...change }) });
	const file = useRef<HTMLInputElement>(null);
	const history = view === "history";
	const query = {
		page,
		page_size: String(SIZE),
		ordering: (isOrdering(order) ? order : "-updated_at") as `-${Ordering}`,
		...(q === "" ? {} : { search: q }),
		...(category === undefined ? {} : { category }),
		...(view === "mine" ? { my_queries: "true" as const } : {}),
		...(view === "favorites" ? { is_favorite: "true" as const } : {}),
		...(view === "templates" ? { is_template: "true" as const } : {}),
	};
	const categories = useAnswer(queryCategoryRoutes.list, { query: { page_size: "200" } }, { staleTime: 60_000 });
	const answer = useAnswer(savedQueryRoutes.list, { query }, { enabled: !history, keepPrevious: true });
	const canAdd = may("add_savedquery");
	const take = useAction(importFile, {
		stale: ["saved_queries"],
		onSuccess: (text) => say(text),
		onError: (error) => say(`${problemOf(error).title}. ${problemOf(error).detail}`),
	});
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
				facts={!history && answer.data && plural(answer.data.count, "query", "queries")}
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
						<Menu
							trigger={<IconButton label="Export and import" icon={Ellipsis} />}
							groups={[
								[
									{ label: "Export my queries", icon: Download, run: () => void exportQueries() },
									...(canAdd ? [{ label: "Import queries", icon: Upload, run: () => file.current?.click() }] : []),
								],
							]}
						/>
						<input
							ref={file}
							type="file"
							accept="application/json"
							aria-label="File with queries"
							hidden
							onChange={(event: ChangeEvent<HTMLInputElement>) => {
								const [chosen] = event.target.files ?? [];
								if (chosen) take.mutate(chosen);
								event.target.value = "";
							}}
						/>
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
					<nav
						aria-label="Views"
						className="flex flex-wrap overflow-hidden rounded-control border border-line bg-surface"
					>
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
								className={cx(
									"grid h-7 place-items-center px-2.5",
									view === value ? "bg-accent-soft font-medium text-accent-text" : "hover:bg-sunken",
								)}
							>
								{label}
							</Link>
						))}
					</nav>
					{!history && (
						<>
							<SelectField
								hideLabel
								label="Category"
								value={category ?? ""}
								options={[
									{ value: "", label: "Any category" },
									...(categories.data?.results.map(({ id, name }) => ({ value: String(id), label: name })) ?? []),
								]}
								onChange={(event) => set({ category: event.target.value || undefined })}
							/>
							<SelectField
								hideLabel
								label="Order"
								value={order}
								options={Object.entries(ORDERS).map(([value, label]) => ({ value, label }))}
								onChange={(event) => set({ order: event.target.value })}
							/>
						</>
					)}
				</div>
				<div className="overflow-hidden rounded-card border border-line bg-surface">
					{history ? (
						<HistoryTable page={page} onPage={(to) => set({ page: String(to) })} />
					) : (
						<Loaded answer={answer} lines={8}>
							{({ results, count: all }) =>
								results.length === 0 ? (
									<Empty
										icon={Library}
										action={
											canAdd &&
											q === "" && (
												<ButtonLink variant="primary" icon={Plus} to="/builder">
													Draw a query
												</ButtonLink>
											)
										}
									>
										{q || category ? "No query meets that." : (EMPTY[view] ?? EMPTY.all)}
									</Empty>
								) : (
									<>
										<QueryTable queries={results} />
										<Pager page={Number(page)} pageSize={SIZE} count={all} onPage={(to) => set({ page: String(to) })} />
									</>
								)
							}
						</Loaded>
					)}
				</div>
			</div>
		</>
	);
}

const EMPTY: Readonly<Record<string, string>> = {
	all: "A saved query is a drawing of what to ask a controller. It has versions, can be shared and scheduled, and its answers can be kept.",
	mine: "You have saved no query yet.",
	favorites: "Queries that you give a star are here.",
	templates: "Templates are queries for others to begin with. There is none yet.",
};

const isOrdering = (text: string): boolean => SAVED_QUERY_ORDERINGS.some((name) => name === text.replace(/^-/, ""));

async function exportQueries(): Promise<void> {
	const document = await send(queryExchangeRoutes.export, { query: {} });
	saveFile("weft-queries.json", "application/json", JSON.stringify(document, null, 2));
}

/** What became of the queries of an exported file, in a sentence. */
async function importFile(file: File): Promise<string> {
	const document = JSON.parse(await file.text());
	const { results } = await send(queryExchangeRoutes.import, { body: { document, on_conflict: "rename" } });
	const bad = results.filter(({ status }) => status === "invalid");
	const good = results.length - bad.length;
	return bad.length === 0
		? `${plural(good, "query", "queries")} imported`
		: `${plural(good, "query", "queries")} imported; ${plural(bad.length, "one", "others")} not: ${bad.map(({ name }) => name ?? "unnamed").join(", ")}`;
}

function QueryTable({ queries }: { queries: readonly SavedQuerySummary[] }) {
	const times = useTimes();
	const profile = useProfile();
	const [removing, setRemoving] = useState<SavedQuerySummary | null>(null);
	const columns: Column<SavedQuerySummary>[] = [
		{
			key: "star",
			head: <span className="sr-only">Favorite</span>,
			className: "w-8 pr-0!",
			cell: (query) => <Favorite query={query} />,
		},
		{
			key: "name",
			head: "Query",
			className: "w-1/2",
			cell: ({ id, name, description, tags_list, is_public, is_template, enable_time_machine }) => (
				<span className="flex min-w-0 flex-col py-1">
					<span className="flex min-w-0 items-center gap-2">
						<Link to="/builder/$id" params={{ id }} className="truncate rounded-cell font-medium hover:underline">
							{name}
						</Link>
						{is_template && <Pill tone="accent">Template</Pill>}
						{is_public && <Pill>Public</Pill>}
						{enable_time_machine && (
							<Link
								to="/time-machine/$queryId"
								params={{ queryId: id }}
								title="Answers are kept: open the Time Machine"
							>
								<Pill tone="violet" icon={History}>
									Kept
								</Pill>
							</Link>
						)}
						{tags_list.slice(0, 3).map((tag) => (
							<span key={tag} className="text-muted text-xs">
								#{tag}
							</span>
						))}
					</span>
					{description && (
						<span className="truncate text-muted text-xs" title={description}>
							{description}
						</span>
					)}
				</span>
			),
		},
		{
			key: "category",
			head: "Category",
			cell: ({ category_name }) => <span className="text-muted">{category_name}</span>,
		},
		{ key: "version", head: "Version", cell: ({ version_string }) => <span className="mono">{version_string}</span> },
		{ key: "owner", head: "Owner", cell: ({ created_by }) => personName(created_by) },
		{ key: "runs", head: "Runs", align: "right", cell: ({ execution_count }) => count(execution_count) },
		{
			key: "last",
			head: "Last run",
			align: "right",
			cell: ({ last_executed_at }) => (
				<span className="whitespace-nowrap text-muted">
					{last_executed_at ? times.relative(last_executed_at) : "never"}
				</span>
			),
		},
		{
			key: "verbs",
			head: <span className="sr-only">Verbs</span>,
			align: "right",
			cell: (query) => (
				<Verbs
					query={query}
					mine={query.created_by.id === profile?.id || profile?.is_admin === true}
					onRemove={() => setRemoving(query)}
				/>
			),
		},
	];
	const remove = useAction((id: string) => send(savedQueryRoutes.remove, { params: { id } }), {
		stale: ["saved_queries"],
	});
	return (
		<>
			<Table label="Queries" columns={columns} rows={queries} keyOf={({ id }) => id} />
			<Confirm
				open={removing !== null}
				title={`Delete ${removing?.name}?`}
				verb="Delete the query"
				onConfirm={async () => removing && remove.mutateAsync(removing.id)}
				onClose={() => setRemoving(null)}
			>
				<p className="m-0">
					Its versions go with it, and schedules that use it fail at their next run. Runs stay until their time is over.
				</p>
			</Confirm>
		</>
	);
}

function Favorite({ query: { id, name, is_favorite } }: { query: SavedQuerySummary }) {
	const [shown, setShown] = useState<boolean | null>(null);
	const turn = useAction(() => send(savedQueryRoutes.favorite, { params: { id } }), {
		stale: ["saved_queries"],
		onMutate: () => setShown(!is_favorite),
		onSettled: () => setShown(null),
	});
	const on = shown ?? is_favorite;
	return (
		<button
			type="button"
			aria-pressed={on}
			aria-label={`Favorite: ${name}`}
			className={cx("grid size-6 place-items-center rounded-cell hover:bg-line", on ? "text-warn" : "text-muted")}
			onClick={() => turn.mutate()}
		>
			<Star size={14} fill={on ? "currentColor" : "none"} aria-hidden="true" />
		</button>
	);
}

function Verbs({ query: { id, name }, mine, onRemove }: { query: SavedQuerySummary; mine: boolean; onRemove(): void }) {
	const may = useMay();
	const target = useTarget();
	const navigate = route.useNavigate();
	const run = useAction(
		async () => {
			if (target === undefined) throw new Error("There is no controller to run it on.");
			return send(backgroundRunRoutes.start, { params: { id }, body: { controller_connection_id: target.id } });
		},
		{
			stale: ["pipelines"],
			onSuccess: (job) => void navigate({ to: "/runs/$id", params: { id: job.id } }),
			// What it asks before it runs is asked in the builder.
			onError: (error) =>
				problemOf(error).status === 400
					? void navigate({ to: "/builder/$id", params: { id } })
					: say(`${name}: ${problemOf(error).title}`),
		},
	);
	const copy = useAction(() => send(savedQueryRoutes.duplicate, { params: { id } }), {
		stale: ["saved_queries"],
		onSuccess: (made) => say(`${made.name} is yours`),
	});
	return (
		<span className="inline-flex items-center gap-1">
			{may("execute_savedquery") && (
				<IconButton
					variant="ghost"
					label={`Run ${name}`}
					icon={Play}
					busy={run.isPending}
					onClick={() => run.mutate()}
				/>
			)}
			<Menu
				trigger={<IconButton variant="ghost" label={`More for ${name}`} icon={Ellipsis} />}
				groups={[
					[
						{
							label: "Time Machine",
							icon: History,
							run: () => void navigate({ to: "/time-machine/$queryId", params: { queryId: id } }),
						},
						...(may("add_savedquery") ? [{ label: "Duplicate", icon: CopyPlus, run: () => copy.mutate() }] : []),
					],
					mine && may("delete_savedquery") ? [{ label: "Delete", icon: Trash2, danger: true, run: onRemove }] : [],
				]}
			/>
		</span>
	);
}

function HistoryTable({ page, onPage }: { page: string; onPage(page: number): void }) {
	const times = useTimes();
	const answer = useAnswer(
		executionLogRoutes.list,
		{ query: { page, page_size: String(SIZE) } },
		{ keepPrevious: true },
	);
	const columns: Column<ExecutionLog>[] = [
		{
			key: "query",
			head: "Query",
			className: "w-1/3",
			cell: ({ query, query_name }) =>
				query ? (
					<Link to="/builder/$id" params={{ id: query }} className="rounded-cell font-medium hover:underline">
						{query_name}
					</Link>
				) : (
					<span className="text-muted">{query_name} (deleted)</span>
				),
		},
		{ key: "who", head: "By", cell: ({ executed_by }) => executed_by },
		{
			key: "result",
			head: "Result",
			cell: ({ success, error_message }) => (
				<span className="flex items-center gap-2">
					<Status status={success ? "success" : "failed"} />
					{error_message && (
						<span className="max-w-80 truncate text-muted" title={error_message}>
							{error_message}
						</span>
					)}
				</span>
			),
		},
		{ key: "rows", head: "Rows", align: "right", cell: ({ result_count }) => count(result_count) },
		{
			key: "duration",
			head: "Duration",
			align: "right",
			cell: ({ execution_time_ms }) => <span className="text-muted">{duration(execution_time_ms)}</span>,
		},
		{
			key: "when",
			head: "When",
			align: "right",
			cell: ({ executed_at }) => <span className="whitespace-nowrap text-muted">{times.dateTime(executed_at)}</span>,
		},
	];
	return (
		<Loaded answer={answer} lines={8}>
			{({ results, count: all }) =>
				results.length === 0 ? (
					<Empty icon={History}>Each execution of a saved query leaves a line here.</Empty>
				) : (
					<>
						<Table label="Executions" columns={columns} rows={results} keyOf={({ id }) => id} />
						<Pager page={Number(page)} pageSize={SIZE} count={all} onPage={onPage} />
					</>
				)
			}
		</Loaded>
	);
}
