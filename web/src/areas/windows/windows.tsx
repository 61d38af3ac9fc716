/** Change windows: planned, running and over, with their verdicts. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ChangeWindowListed } from "@weft/contracts";
import { changeWindowRoutes, VERDICTS, WINDOW_STATES } from "@weft/contracts/browser";
import { Plus, ShieldCheck } from "lucide-react";
import { useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useCommands } from "../../platform/keys.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { useSearchState } from "../../platform/search-state.ts";
import { useConnections } from "../../platform/target.ts";
import { Button } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { MonthTabs } from "../../ui/month-tabs.tsx";
import { Empty } from "../../ui/page.tsx";
import { PagedList } from "../../ui/paged-list.tsx";
import { State } from "../../ui/pill.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Month } from "../calendar/month.tsx";
import { WindowsFrame } from "./frame.tsx";
import { WindowForm } from "./window-form.tsx";
import { STATE_LOOKS, VERDICT_LOOKS } from "./words.ts";

const route = getRouteApi("/app/change-windows");
const SIZE = 50;

const isNamed = <Name extends string>(names: readonly Name[], text: string | undefined): text is Name =>
	names.some((name) => name === text);

export function WindowsPage() {
	const navigate = route.useNavigate();
	const times = useTimes();
	const [search, set] = useSearchState(route.useSearch(), navigate, { replace: true });
	const { q = "", state, verdict, fabric, mine, page = "1", new: making, view } = search;
	const fabrics = useConnections().data?.results ?? [];
	const isFiltered = [q, state, verdict, fabric, mine].some(Boolean);
	const month = search.month ?? times.getDay(Date.now()).slice(0, 7);
	const may = useMay();
	const canAdd = may("add_changewindow");
	const query = {
		page,
		page_size: String(SIZE),
		...(q === "" ? {} : { search: q }),
		...(isNamed(WINDOW_STATES, state) ? { state } : {}),
		...(isNamed(VERDICTS, verdict) ? { verdict } : {}),
		...(fabric ? { connection: fabric } : {}),
		...(mine ? { mine: "true" as const } : {}),
	};
	const isMonth = view === "month";
	const answer = useAnswer(changeWindowRoutes.list, { query }, { keepPrevious: true, enabled: !isMonth });
	const begin = () => set({ new: "1" });
	useCommands(
		canAdd ? [{ id: "windows.new", label: "New change window", group: "Change windows", keys: "c", run: begin }] : [],
	);
	const add = canAdd && (
		<Button variant="primary" icon={Plus} onClick={begin}>
			New change window
		</Button>
	);
	return (
		<WindowsFrame
			title="Change windows"
			facts={!isMonth && answer.data && formatPlural(answer.data.count, "change window")}
			actions={
				isMonth ? (
					add
				) : (
					<>
						<SearchField
							value={q}
							label="Filter change windows"
							onChange={(text) => set({ q: text || undefined, page: undefined })}
						/>
						<FilterSelect
							label="State"
							any="Any state"
							value={state}
							options={WINDOW_STATES.map((value) => ({ value, label: STATE_LOOKS[value][0] }))}
							onChange={(value) => set({ state: value, page: undefined })}
						/>
						<FilterSelect
							label="Verdict"
							any="Any verdict"
							value={verdict}
							options={VERDICTS.map((value) => ({ value, label: VERDICT_LOOKS[value][0] }))}
							onChange={(value) => set({ verdict: value, page: undefined })}
						/>
						<FilterSelect
							label="Fabric"
							any="Any fabric"
							value={fabric}
							options={fabrics.map(({ id, name }) => ({ value: id, label: name }))}
							onChange={(value) => set({ fabric: value, page: undefined })}
						/>
						<FilterSelect
							label="Requester"
							any="All requesters"
							value={mine}
							options={[{ value: "1", label: "My windows" }]}
							onChange={(value) => set({ mine: value, page: undefined })}
						/>
						<CopyAs call={() => ({ route: changeWindowRoutes.list, query })} />
						{add}
					</>
				)
			}
		>
			<div className="mb-3">
				<MonthTabs label="Views of change windows" view={view} />
			</div>
			{isMonth ? (
				<Month month={month} onMonth={(next) => set({ month: next })} />
			) : (
				<PagedList
					answer={answer}
					lines={6}
					page={Number(page)}
					pageSize={SIZE}
					empty={
						<Empty icon={ShieldCheck} action={!isFiltered && add}>
							{isFiltered
								? "No change window matches."
								: "A change window takes the state before and after a change, and proves that exactly what you declared has happened."}
						</Empty>
					}
					onPage={(to) => set({ page: String(to) })}
				>
					{(rows) => <WindowTable rows={rows} />}
				</PagedList>
			)}
			{making !== undefined && (
				<WindowForm
					window={null}
					onSaved={({ id }) => void navigate({ to: "/change-windows/$id", params: { id } })}
					onClose={() => set({ new: undefined })}
				/>
			)}
		</WindowsFrame>
	);
}

function WindowTable({ rows }: { rows: readonly ChangeWindowListed[] }) {
	const times = useTimes();
	const columns: Column<ChangeWindowListed>[] = [
		{
			key: "title",
			head: "Change window",
			className: "min-w-32 max-sm:w-full max-sm:max-w-0! sm:w-1/3",
			cell: ({ id, title, ticket, plan_name }) => (
				<span className="flex min-w-0 flex-col py-1">
					<Link to="/change-windows/$id" params={{ id }} className="truncate rounded-cell font-medium hover:underline">
						{title}
					</Link>
					<span className="truncate text-muted text-xs">
						{ticket === null ? plan_name : `${ticket.number}, ${plan_name}`}
					</span>
				</span>
			),
		},
		{
			key: "state",
			head: (
				<>
					State<span className="sm:hidden"> and verdict</span>
				</>
			),
			cell: ({ state, verdict }) => (
				<span className="flex flex-col items-start gap-1 max-sm:py-1">
					<State looks={STATE_LOOKS} status={state} />
					<span className="sm:hidden">
						<VerdictState verdict={verdict} />
					</span>
				</span>
			),
		},
		{
			key: "verdict",
			head: "Verdict",
			// A phone has no room for the column: the verdict stands below the state.
			className: "max-sm:hidden",
			cell: ({ verdict }) => <VerdictState verdict={verdict} />,
		},
		{
			key: "fabrics",
			head: "Fabrics",
			align: "right",
			className: "max-sm:hidden",
			cell: ({ connection_ids, hidden_count }) => connection_ids.length + hidden_count,
		},
		{ key: "by", head: "By", className: "max-sm:hidden", cell: ({ created_by }) => created_by?.username ?? "" },
		{
			key: "at",
			head: "Begins",
			className: "max-sm:hidden",
			cell: ({ starts_at, opened_at, created_at, state }) => {
				const at = opened_at ?? starts_at;
				if (at === null)
					return (
						<span className="text-muted" title={`Made ${times.dateTime(created_at)}`}>
							{state === "cancelled" || state === "expired" ? "never" : "when it is started"}
						</span>
					);
				return (
					<span className="whitespace-nowrap" title={times.dateTime(at)}>
						{times.relative(at)}
					</span>
				);
			},
		},
	];
	return <Table label="Change windows" columns={columns} rows={rows} getKey={({ id }) => id} />;
}

const VerdictState = ({ verdict }: Pick<ChangeWindowListed, "verdict">) =>
	verdict === null ? (
		<span className="whitespace-nowrap text-muted">not judged</span>
	) : (
		<State looks={VERDICT_LOOKS} status={verdict} />
	);
