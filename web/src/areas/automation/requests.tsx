/** Automation requests: the caller's own, and those that the caller decides on. */
import { getRouteApi, Link } from "@tanstack/react-router";
import type { AutomationRequest } from "@weft/contracts";
import { automationRequestRoutes, REQUEST_STATUSES } from "@weft/contracts/browser";
import { ClipboardList } from "lucide-react";
import { useAnswer } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { useSearchState } from "../../platform/search-state.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { Empty } from "../../ui/page.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { formatRowCounts } from "./row-counts.ts";
import { REQUEST_LOOKS, RequestStatus, RunMode, Warned } from "./words.tsx";

const route = getRouteApi("/app/automation/requests");
const SIZE = 50;
const LOOK_MS = 15_000;

export function RequestsPage() {
	const [{ q = "", status, mode, mine, page = "1" }, set] = useSearchState(route.useSearch(), route.useNavigate(), {
		replace: true,
	});
	const may = useMay();
	const query = {
		page,
		page_size: String(SIZE),
		...(q === "" ? {} : { search: q }),
		...(REQUEST_STATUSES.some((known) => known === status) ? { status: status as AutomationRequest["status"] } : {}),
		...(mode === "dry" || mode === "real"
			? { check_mode: mode === "dry" ? ("true" as const) : ("false" as const) }
			: {}),
		...(mine === "1" ? { my_requests: "true" as const } : {}),
	};
	const answer = useAnswer(automationRequestRoutes.list, { query }, { keepPrevious: true, every: LOOK_MS });
	const filtered = q !== "" || status !== undefined || mode !== undefined || mine !== undefined;
	return (
		<ListPage
			title="Requests"
			noun="request"
			crumbs={[{ label: "Change" }]}
			actions={
				<>
					<SearchField
						value={q}
						label="Filter requests"
						onChange={(text) => set({ q: text || undefined, page: undefined })}
					/>
					<FilterSelect
						label="State"
						any="Any state"
						value={status}
						options={REQUEST_STATUSES.map((value) => ({ value, label: REQUEST_LOOKS[value]?.[0] ?? value }))}
						onChange={(value) => set({ status: value, page: undefined })}
					/>
					<FilterSelect
						label="Mode"
						any="Any mode"
						value={mode}
						options={[
							{ value: "real", label: "Makes changes" },
							{ value: "dry", label: "Dry run" },
						]}
						onChange={(value) => set({ mode: value, page: undefined })}
					/>
					<FilterSelect
						label="Whose"
						any="All that I see"
						value={mine}
						options={[{ value: "1", label: "My requests" }]}
						onChange={(value) => set({ mine: value, page: undefined })}
					/>
					<CopyAs call={() => ({ route: automationRequestRoutes.list, query })} />
					{may("add_automationrequest") && (
						<ButtonLink variant="primary" to="/automation/requests/new">
							New request
						</ButtonLink>
					)}
				</>
			}
			answer={answer}
			lines={8}
			page={Number(page)}
			pageSize={SIZE}
			empty={
				<Empty
					icon={ClipboardList}
					action={
						!filtered &&
						may("add_automationrequest") && <ButtonLink to="/automation/requests/new">Choose a template</ButtonLink>
					}
				>
					{filtered
						? "No request matches."
						: "A request is a table of rows that one job on the automation server carries out, after approval if its template asks for it."}
				</Empty>
			}
			onPage={(to) => set({ page: String(to) })}
		>
			{(results) => <RequestTable rows={results} />}
		</ListPage>
	);
}

function RequestTable({ rows }: { rows: readonly AutomationRequest[] }) {
	const times = useTimes();
	const columns: Column<AutomationRequest>[] = [
		{
			key: "title",
			head: "Request",
			className: "min-w-44 max-sm:max-w-0!",
			cell: ({ id, title, template_name }) => (
				<span className="flex min-w-0 flex-col py-1 2xl:flex-row 2xl:items-baseline 2xl:gap-x-2 2xl:py-0">
					<Link
						to="/automation/requests/$id"
						params={{ id }}
						className="truncate rounded-cell font-medium hover:underline"
						title={title}
					>
						{title}
					</Link>
					<span className="truncate text-muted text-xs" title={template_name}>
						{template_name}
					</span>
				</span>
			),
		},
		{
			key: "status",
			head: "State",
			cell: ({ status, can_approve, warnings }) => (
				<span className="flex items-center gap-1.5 whitespace-nowrap">
					<RequestStatus status={status} />
					<Warned warnings={warnings} />
					{can_approve && <span className="font-medium text-warn text-xs">yours to decide</span>}
				</span>
			),
		},
		{
			key: "mode",
			head: "Mode",
			className: "max-sm:hidden",
			cell: ({ check_mode }) => <RunMode dryRun={check_mode} />,
		},
		{
			key: "rows",
			head: "Rows",
			cell: ({ row_count, row_counts, check_mode }) => (
				<span className="num whitespace-nowrap">
					{(row_counts && formatRowCounts(row_counts, check_mode)) ?? formatPlural(row_count, "row")}
				</span>
			),
		},
		{
			key: "target",
			head: "Target",
			cell: ({ target_controller_name, automation_connection_name }) => (
				<span className="block max-w-40 truncate text-muted" title={automation_connection_name}>
					{target_controller_name || automation_connection_name}
				</span>
			),
		},
		{
			key: "by",
			head: "Requested by",
			cell: ({ requested_by }) => <span className="block max-w-32 truncate">{requested_by}</span>,
		},
		{
			key: "when",
			head: "When",
			align: "right",
			cell: ({ requested_at }) => (
				<span className="whitespace-nowrap text-muted" title={times.dateTime(requested_at)}>
					{times.relative(requested_at)}
				</span>
			),
		},
	];
	return <Table label="Requests" columns={columns} rows={rows} getKey={({ id }) => id} />;
}
