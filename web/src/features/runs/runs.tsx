/** Every run of one's own, newest first. */
import { getRouteApi } from "@tanstack/react-router";
import { PIPELINE_STATUSES, type PipelineJob, type PipelineStatus, pipelineRoutes } from "@weft/contracts";
import { Table2 } from "lucide-react";
import { useAnswer } from "../../platform/call.ts";
import { plural } from "../../platform/format.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { CopyAs } from "../../ui/copy-as.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Empty, Loaded, PageHead } from "../../ui/page.tsx";
import { Pager } from "../../ui/table.tsx";
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
				<div className="overflow-hidden rounded-card border border-line bg-surface">
					<Loaded answer={answer} lines={8}>
						{({ results, count: all }) =>
							results.length === 0 ? (
								<Empty icon={Table2} action={<ButtonLink to="/builder">Draw a query</ButtonLink>}>
									{status
										? "No run is in this state."
										: "A run asks a controller what a query says, and keeps the rows for some days. There is none yet."}
								</Empty>
							) : (
								<>
									<RunTable runs={results} />
									<Pager
										page={Number(page)}
										pageSize={SIZE}
										count={all}
										onPage={(to) => void navigate({ search: (search) => ({ ...search, page: String(to) }) })}
									/>
								</>
							)
						}
					</Loaded>
				</div>
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
