/** Every run of one's own, newest first. */
import { getRouteApi } from "@tanstack/react-router";
import type { PipelineJob, PipelineStatus } from "@weft/contracts";
import { PIPELINE_STATUSES, pipelineRoutes } from "@weft/contracts/browser";
import { Layers, SearchX, Table2 } from "lucide-react";
import { useAnswer } from "../../platform/call.ts";
import { useTimes } from "../../platform/profile.ts";
import { useSearchState } from "../../platform/search-state.ts";
import { useConnections } from "../../platform/target.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { FilterSelect } from "../../ui/filter-select.tsx";
import { ListPage } from "../../ui/list-page.tsx";
import { OpenWindowBanners } from "../../ui/open-window-banner.tsx";
import { Empty } from "../../ui/page.tsx";
import { PeriodFields, toInstants } from "../../ui/period.tsx";
import { SearchField } from "../../ui/search-field.tsx";
import { isUnderWay } from "./live.ts";
import { RunTable } from "./run-table.tsx";

const route = getRouteApi("/app/runs");
const SIZE = 50;
const BUSY_MS = 3_000;

export function RunsPage() {
	const [search, set] = useSearchState(route.useSearch(), route.useNavigate(), { replace: true });
	const { q = "", status, controller, from, to, page = "1" } = search;
	const times = useTimes();
	const connections = useConnections().data?.results ?? [];
	const filter = {
		...(q === "" ? {} : { search: q }),
		...(isStatus(status) ? { status } : {}),
		...(controller === undefined ? {} : { controller_connection_id: controller }),
		...toInstants({ from, to }, times),
	};
	const query = { page, page_size: String(SIZE), ...filter };
	const answer = useAnswer(pipelineRoutes.list, { query }, { keepPrevious: true });
	const busy = answer.data?.results.some(isJobUnderWay) ?? false;
	// A second observer of the same answer: it looks again while something runs.
	useAnswer(pipelineRoutes.list, { query }, { every: busy ? BUSY_MS : false, keepPrevious: true });
	const narrow = (change: Partial<typeof search>) => set({ ...change, page: undefined });
	return (
		<ListPage
			title="Runs"
			noun="run"
			crumbs={[{ label: "Query" }]}
			actions={
				<>
					<ButtonLink icon={Layers} to="/runs/groups">
						Group runs
					</ButtonLink>
					<CopyAs call={() => ({ route: pipelineRoutes.list, query })} />
				</>
			}
			above={
				<>
					<OpenWindowBanners connections={[controller]} className="pb-3" />
					<search className="flex flex-wrap gap-2">
						<SearchField value={q} label="Query name" onChange={(text) => narrow({ q: text || undefined })} />
						<FilterSelect
							label="State"
							any="Any state"
							value={status}
							options={PIPELINE_STATUSES.map((value) => ({ value, label: NAMES[value] }))}
							onChange={(value) => narrow({ status: value })}
						/>
						<FilterSelect
							label="Fabric"
							any="Any fabric"
							value={controller}
							options={connections.map(({ id, name }) => ({ value: id, label: name }))}
							onChange={(value) => narrow({ controller: value })}
						/>
						<PeriodFields from={from} to={to} onChange={narrow} />
					</search>
				</>
			}
			answer={answer}
			lines={8}
			page={Number(page)}
			pageSize={SIZE}
			empty={
				Object.keys(filter).length > 0 ? (
					<Empty
						icon={SearchX}
						action={
							<Button
								onClick={() =>
									narrow({ q: undefined, status: undefined, controller: undefined, from: undefined, to: undefined })
								}
							>
								Clear the filters
							</Button>
						}
					>
						No run matches the filters.
					</Empty>
				) : (
					<Empty icon={Table2} action={<ButtonLink to="/builder">Draw a query</ButtonLink>}>
						No runs yet. A run executes a query on a fabric and keeps its rows for some days.
					</Empty>
				)
			}
			onPage={(next) => set({ page: String(next) })}
		>
			{(results) => <RunTable runs={results} />}
		</ListPage>
	);
}

const NAMES: Readonly<Record<PipelineStatus, string>> = {
	pending: "Waiting",
	running: "Running",
	completed: "Succeeded",
	failed: "Failed",
	cancelled: "Cancelled",
};

const isStatus = (text: string | undefined): text is PipelineStatus =>
	PIPELINE_STATUSES.some((status) => status === text);
const isJobUnderWay = ({ status }: PipelineJob): boolean => isUnderWay(status);
