/** Every run of one's own, newest first. */
import { getRouteApi } from "@tanstack/react-router";
import { PIPELINE_STATUSES, type PipelineJob, type PipelineStatus, pipelineRoutes } from "@weft/contracts";
import { Table2 } from "lucide-react";
import { useAnswer } from "../../platform/call.ts";
import { plural } from "../../platform/format.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Empty, PageHead } from "../../ui/page.tsx";
import { PagedList } from "../../ui/paged-list.tsx";
import { isUnderWay } from "./live.ts";
import { RunTable } from "./run-table.tsx";

const route = getRouteApi("/app/runs");
const SIZE = 50;
const BUSY_MS = 3_000;

export function RunsPage() {
	const { status, page = "1" } = route.useSearch();
	const navigate = route.useNavigate();
	const query = { page, page_size: String(SIZE), ...(isStatus(status) ? { status } : {}) };
	const answer = useAnswer(pipelineRoutes.list, { query }, { keepPrevious: true });
	const busy = answer.data?.results.some(isJobUnderWay) ?? false;
	// A second observer of the same answer: it looks again while something runs.
	useAnswer(pipelineRoutes.list, { query }, { every: busy ? BUSY_MS : false, keepPrevious: true });
	return (
		<>
			<PageHead
				title="Runs"
				crumbs={[{ label: "Query" }]}
				facts={answer.data && plural(answer.data.count, "run")}
				actions={
					<>
						<SelectField
							hideLabel
							label="State"
							value={status ?? ""}
							options={[
								{ value: "", label: "Any state" },
								...PIPELINE_STATUSES.map((value) => ({ value, label: NAMES[value] })),
							]}
							onChange={(event) => void navigate({ search: { status: event.target.value || undefined } })}
						/>
						<CopyAs call={() => ({ route: pipelineRoutes.list, query })} />
					</>
				}
			/>
			<div className="px-5 pb-5 max-sm:px-4">
				<PagedList
					answer={answer}
					lines={8}
					page={Number(page)}
					pageSize={SIZE}
					empty={
						<Empty icon={Table2} action={<ButtonLink to="/builder">Draw a query</ButtonLink>}>
							{status
								? "No runs in this state."
								: "No runs yet. A run executes a query on a controller and keeps its rows for some days."}
						</Empty>
					}
					onPage={(to) => void navigate({ search: (search) => ({ ...search, page: String(to) }) })}
				>
					{(results) => <RunTable runs={results} />}
				</PagedList>
			</div>
		</>
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
